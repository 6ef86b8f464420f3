//go:build tools

// Package monitoring pins the module with the resource definitions for the chart's ServiceMonitor and PrometheusRule.
package monitoring

import _ "github.com/prometheus-operator/prometheus-operator/pkg/versionutil"
