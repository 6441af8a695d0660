// Command elector is a candidate for a Lease with client-go's own elector.
//
//	elector SERVER NAMESPACE LEASE IDENTITY LEASE_DURATION RENEW_DEADLINE RETRY_PERIOD
//
// It writes `leads` when it becomes the leader, `stops` when it is no longer, and `sees IDENTITY` for each leader that it sees. It
// releases the Lease and ends when standard input closes.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	if len(os.Args) != 8 {
		fail(fmt.Errorf("usage: elector SERVER NAMESPACE LEASE IDENTITY LEASE_DURATION RENEW_DEADLINE RETRY_PERIOD"))
	}
	if err := run(os.Args[1:]); err != nil {
		fail(err)
	}
}

func run(args []string) error {
	durations := make([]time.Duration, 3)
	for i, text := range args[4:] {
		duration, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		durations[i] = duration
	}
	leases, err := coordinationv1.NewForConfig(&rest.Config{Host: args[0]})
	if err != nil {
		return err
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: args[1], Name: args[2]},
			Client:     leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: args[3]},
		},
		LeaseDuration:   durations[0],
		RenewDeadline:   durations[1],
		RetryPeriod:     durations[2],
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { fmt.Println("leads") },
			OnStoppedLeading: func() { fmt.Println("stops") },
			OnNewLeader:      func(identity string) { fmt.Println("sees", identity) },
		},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	elector.Run(ctx)
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "elector:", err)
	os.Exit(1)
}
