//go:build tools

// Package alertmanager pins the Alertmanager that the tests of alerts that act send from.
package alertmanager

import _ "github.com/prometheus/alertmanager/cmd/alertmanager"
