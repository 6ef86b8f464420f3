//go:build tools

// Package monitoring pins the module whose resource definitions the chart's ServiceMonitor and PrometheusRule are held against.
package monitoring

import _ "github.com/prometheus-operator/prometheus-operator/pkg/versionutil"
