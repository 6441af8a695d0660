// Runs client-go's informer through the same measurements as the other contestants (../../src/informer/scenario.rs).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"crdkit/benches/shared"
)

// work is the task of the benchmark, passed as JSON.
type work struct {
	Port    int  `json:"port"`
	Objects int  `json:"objects"`
	Events  int  `json:"events"`
	Lookups bool `json:"lookups"`
	Relists bool `json:"relists"`
}

const byApp = "app"

// pause is long enough for the process to become idle.
const pause = 400 * time.Millisecond

func main() {
	var work work
	shared.Check(json.Unmarshal([]byte(os.Args[1]), &work))
	figures := map[string]float64{}
	follower := &follower{done: make(chan struct{})}
	informer := sync(work, follower, figures)
	if work.Lookups {
		lookUp(informer.GetIndexer(), work.Objects, figures)
	}
	if work.Events > 0 {
		watch(work, follower, figures)
	}
	if work.Relists {
		relist(work, informer, "relist_unchanged", 0, figures)
		relist(work, informer, "relist_changed", work.Objects/10, figures)
	}
	shared.Check(json.NewEncoder(os.Stdout).Encode(figures))
}

func sync(work work, follower *follower, figures map[string]float64) cache.SharedIndexInformer {
	meter := shared.Start()
	informer := newInformer(work.Port)
	_, err := informer.AddEventHandler(follower)
	shared.Check(err)
	go informer.RunWithContext(context.Background())
	if !cache.WaitForCacheSync(nil, informer.HasSynced) {
		panic("the informer was stopped")
	}
	meter.Add(figures, "sync")
	waitForObjects(informer, work.Objects)
	figures["sync_peak"] = shared.Megabytes("VmHWM")
	figures["settled"] = shared.Megabytes("VmRSS")
	return informer
}

func newInformer(port int) cache.SharedIndexInformer {
	config := &rest.Config{
		Host:    fmt.Sprintf("http://127.0.0.1:%d", port),
		APIPath: "/apis",
		// Disables client-side rate limiting, which would dominate the measurement.
		QPS: -1,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &shared.GroupVersion,
			NegotiatedSerializer: serializer.NewCodecFactory(shared.NewScheme()).WithoutConversion(),
		},
	}
	client, err := rest.RESTClientFor(config)
	shared.Check(err)
	lister := cache.NewListWatchFromClient(client, "virtualmachines", "", fields.Everything())
	return cache.NewSharedIndexInformer(lister, &shared.VirtualMachine{}, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		byApp: func(object any) ([]string, error) {
			meta, err := meta.Accessor(object)
			return []string{meta.GetLabels()["app"]}, err
		},
	})
}

// watch measures from the first to the last update that the handler receives.
func watch(work work, follower *follower, figures map[string]float64) {
	shared.ForgetPeak()
	follower.last.Store(shared.Number(shared.Control(work.Port, "newest")) + uint64(work.Events))
	before := shared.CPU()
	shared.Control(work.Port, fmt.Sprintf("modify?count=%d", work.Events))
	<-follower.done
	figures["watch_cpu"] = shared.CPU() - before
	figures["watch_wall"] = follower.lastEvent.Sub(follower.firstEvent).Seconds()
	figures["watch_events"] = float64(follower.events)
	time.Sleep(pause)
	figures["watch_peak"] = shared.Megabytes("VmHWM")
	figures["settled_after_watch"] = shared.Megabytes("VmRSS")
}

// relist expires the resourceVersion of the watch while some objects change.
func relist(work work, informer cache.SharedIndexInformer, name string, changed int, figures map[string]float64) {
	before := shared.Megabytes("VmRSS")
	shared.ForgetPeak()
	meter := shared.Start()
	newest := shared.Control(work.Port, fmt.Sprintf("expire?changed=%d", changed))
	for informer.LastSyncResourceVersion() != newest {
		time.Sleep(time.Millisecond)
	}
	meter.Add(figures, name)
	waitForObjects(informer, work.Objects)
	figures[name+"_peak"] = shared.Megabytes("VmHWM")
	figures[name+"_growth"] = shared.Megabytes("VmHWM") / before
}

func waitForObjects(informer cache.SharedIndexInformer, objects int) {
	time.Sleep(pause)
	if cached := len(informer.GetIndexer().ListKeys()); cached != objects {
		panic(fmt.Sprintf("%d objects are cached", cached))
	}
}
