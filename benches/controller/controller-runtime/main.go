// Runs a controller of controller-runtime through the same measurements as the other contestants (see
// ../../src/controller/course.rs).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"crdkit/benches/shared"
)

// work is the task of the benchmark, passed as JSON.
type work struct {
	Port        int `json:"port"`
	Objects     int `json:"objects"`
	Concurrency int `json:"concurrency"`
	Paced       int `json:"paced"`
	Rate        int `json:"rate"`
	Burst       int `json:"burst"`
}

// pause is long enough for the process to become idle.
const pause = 400 * time.Millisecond

func main() {
	var work work
	shared.Check(json.Unmarshal([]byte(os.Args[1]), &work))
	figures := map[string]float64{}
	observed := newObserved(work.Objects)

	meter := shared.Start()
	startController(work, observed)
	observed.wait()
	add(meter, figures, "start", work.Objects)
	time.Sleep(pause)
	figures["memory"] = shared.Megabytes("VmRSS")
	figures["peak"] = shared.Megabytes("VmHWM")

	meter = change(work, observed, work.Paced, work.Rate)
	add(meter, figures, "paced", work.Paced)
	latencies := observed.takeLatencies()
	for name, share := range map[string]float64{"p50": 0.5, "p99": 0.99, "p999": 0.999} {
		at := min(int(float64(len(latencies))*share), len(latencies)-1)
		figures[name] = float64(latencies[at]) / 1000
	}

	runs := observed.runs.Load()
	meter = change(work, observed, work.Burst, 0)
	add(meter, figures, "burst", work.Burst)
	figures["burst_runs"] = float64(observed.runs.Load() - runs)
	time.Sleep(pause)
	figures["memory_after"] = shared.Megabytes("VmRSS")
	shared.Check(json.NewEncoder(os.Stdout).Encode(figures))
}

// startController starts a manager with one controller, whose client reads from the cache.
func startController(work work, observed *observed) {
	ctrl.SetLogger(logr.Discard())
	// Without a client-side rate limit, as is the default of ctrl.GetConfig.
	config := &rest.Config{Host: fmt.Sprintf("http://127.0.0.1:%d", work.Port), QPS: -1}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  shared.NewScheme(),
		Metrics: server.Options{BindAddress: "0"},
	})
	shared.Check(err)
	reconciler := &reconciler{client: manager.GetClient(), observed: observed}
	shared.Check(ctrl.NewControllerManagedBy(manager).
		For(&shared.VirtualMachine{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: work.Concurrency}).
		Complete(reconciler))
	go func() { shared.Check(manager.Start(context.Background())) }()
}

type reconciler struct {
	client   client.Client
	observed *observed
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var object shared.VirtualMachine
	if err := r.client.Get(ctx, request.NamespacedName, &object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.observed.reconciled(&object)
	return ctrl.Result{}, nil
}

func change(work work, observed *observed, count, rate int) shared.Meter {
	observed.expect(count)
	meter := shared.Start()
	shared.Control(work.Port, fmt.Sprintf("change?count=%d&rate=%d", count, rate))
	observed.wait()
	return meter
}

// add adds the time, and the processor time of a reconciliation in microseconds.
func add(meter shared.Meter, figures map[string]float64, name string, reconciliations int) {
	meter.Add(figures, name)
	figures[name+"_cpu"] *= 1e6 / float64(reconciliations)
}
