//go:build tools

// Package versitygw pins the S3 server that the test of the export of the history writes to.
package versitygw

import _ "github.com/versity/versitygw/cmd/versitygw"
