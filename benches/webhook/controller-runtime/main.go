// Serves the webhooks of the benchmark with controller-runtime. Its argument is the folder with the certificate.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"crdkit/benches/shared"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	scheme, port := newScheme(), freePort()
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[1]})
	server.Register("/validate-vm-test-v1-virtualmachine", admission.WithValidator(scheme, policy{}))
	server.Register("/mutate-vm-test-v1-virtualmachine", admission.WithDefaulter(scheme, policy{}))
	server.Register("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
	go func() { shared.Check(server.Start(context.Background())) }()
	for server.StartedChecker()(nil) != nil {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(port)
	answerUsage()
}

// freePort returns a port that was free a moment ago.
func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	shared.Check(err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// answerUsage writes what this process has used for each line of its input.
func answerUsage() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		usage := map[string]float64{
			"cpu": shared.CPU(), "memory": shared.Megabytes("VmRSS"), "peak": shared.Megabytes("VmHWM"),
		}
		shared.Check(json.NewEncoder(os.Stdout).Encode(usage))
	}
}
