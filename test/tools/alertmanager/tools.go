//go:build tools

// Package alertmanager pins the Alertmanager that sends alerts in the tests of alerts that act.
package alertmanager

import _ "github.com/prometheus/alertmanager/cmd/alertmanager"
