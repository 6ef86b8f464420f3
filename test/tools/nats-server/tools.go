//go:build tools

// Package natsserver pins the NATS server that the tests of notification sinks publish to.
package natsserver

import _ "github.com/nats-io/nats-server/v2"
