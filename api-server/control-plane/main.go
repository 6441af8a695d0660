// Command control-plane runs etcd and kube-apiserver in one process: a real Kubernetes API for tests.
//
//	control-plane DIR [kube-apiserver flag]...
//
// DIR holds etcd's data. The process lives as long as its standard input stays open, and then removes DIR, so that
// nothing is left behind when its owner dies. An owner that writes "keep" before it closes the input keeps DIR, and may
// start the same control plane again.
package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const etcdStartLimit = time.Minute

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: control-plane DIR [kube-apiserver flag]..."))
	}
	dir, flags := os.Args[1], os.Args[2:]
	go leaveWithOwner(dir)
	endpoint, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		fail(err)
	}
	os.Exit(runAPIServer(endpoint, flags))
}

// leaveWithOwner ends the process when standard input closes.
func leaveWithOwner(dir string) {
	farewell, _ := io.ReadAll(os.Stdin)
	if strings.TrimSpace(string(farewell)) != "keep" {
		os.RemoveAll(dir)
	}
	os.Exit(0)
}

// startEtcd serves the data in dir on a free port of the loopback interface and returns the client URL.
func startEtcd(dir string) (string, error) {
	server, err := embed.StartEtcd(etcdConfig(dir))
	if err != nil {
		return "", fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-server.Server.ReadyNotify():
		return "http://" + server.Clients[0].Addr().String(), nil
	case err := <-server.Err():
		return "", fmt.Errorf("etcd stopped: %w", err)
	case <-time.After(etcdStartLimit):
		return "", fmt.Errorf("etcd was not ready after %s", etcdStartLimit)
	}
}

func etcdConfig(dir string) *embed.Config {
	config := embed.NewConfig()
	config.Dir = dir
	config.LogLevel = "warn"
	config.UnsafeNoFsync = true
	config.ListenClientUrls = anyLoopbackPort()
	config.AdvertiseClientUrls = anyLoopbackPort()
	config.ListenPeerUrls = anyLoopbackPort()
	config.AdvertisePeerUrls = anyLoopbackPort()
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	return config
}

func anyLoopbackPort() []url.URL {
	return []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
}

func runAPIServer(etcd string, flags []string) int {
	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{"--etcd-servers=" + etcd}, flags...))
	return cli.Run(command)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "control-plane:", err)
	os.Exit(1)
}
