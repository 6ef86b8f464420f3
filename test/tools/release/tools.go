//go:build tools

// Package tools pins the programs that publish a release, and the registry of their tests.
package tools

import (
	_ "github.com/distribution/distribution/v3/cmd/registry"
	_ "github.com/sigstore/cosign/v3/cmd/cosign"
	_ "oras.land/oras/cmd/oras"
)
