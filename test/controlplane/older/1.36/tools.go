//go:build tools

// Package controlplane pins the API server and kubectl of Kubernetes 1.36; etcd is that of the newest version.
package controlplane

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
