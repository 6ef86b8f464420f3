//go:build tools

// Package argocd pins Argo CD 3.6, whose controller applies flags in the tests of GitOps.
package argocd

import _ "github.com/argoproj/argo-cd/v3/cmd"
