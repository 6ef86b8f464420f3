//go:build tools

// Package flux pins the kustomize-controller of Flux 2.9, which applies flags in the tests of GitOps.
package flux

import _ "github.com/fluxcd/kustomize-controller"
