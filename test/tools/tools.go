//go:build tools

// Package tools pins the programs that the tests of chart and workflows use.
package tools

import (
	_ "github.com/rhysd/actionlint/cmd/actionlint"
	_ "github.com/yannh/kubeconform/cmd/kubeconform"
	_ "helm.sh/helm/v4/cmd/helm"
)
