//go:build tools

// Package prometheus pins the Prometheus and the promtool that the tests of alerts and dashboard use.
package prometheus

import (
	_ "github.com/prometheus/prometheus/cmd/prometheus"
	_ "github.com/prometheus/prometheus/cmd/promtool"
)
