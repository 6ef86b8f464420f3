//go:build tools

// Package tools pins the validator of OLM bundles.
package tools

import _ "github.com/operator-framework/api/cmd/operator-verify"
