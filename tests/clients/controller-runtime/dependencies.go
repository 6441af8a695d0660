// Package suites keeps what the suites of controller-runtime need in go.mod.
package suites

import (
	_ "github.com/go-logr/logr/funcr"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/gofuzz"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/prometheus/client_golang/prometheus/testutil"
	_ "go.uber.org/goleak"
	_ "go.uber.org/zap/zapcore"
	_ "gomodules.xyz/jsonpatch/v2"
	_ "k8s.io/apiserver/pkg/authentication/user"
	_ "sigs.k8s.io/controller-runtime/pkg/metrics/filters"
)
