// Measures controller-runtime's fake client with the work of the other contestants (see ../../src/api_server/course.rs). It has no
// transport: its calls take and return Go values.
package main

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"crdkit/benches/shared"
)

// work is the task of the benchmark, passed as JSON.
type work struct {
	Requests int `json:"requests"`
	Watches  int `json:"watches"`
	Changes  int `json:"changes"`
	Objects  int `json:"objects"`
}

// starts is the number of clients whose start is measured.
const starts = 201

func main() {
	// One thread of Go code, as the server in the process has; the garbage collector uses it too.
	runtime.GOMAXPROCS(1)
	var work work
	shared.Check(json.Unmarshal([]byte(os.Args[1]), &work))
	course := &course{work: work, figures: map[string]float64{}, context: context.Background()}
	course.start()
	before := shared.Megabytes("VmRSS")
	course.requests()
	course.watch()
	created := make(map[int]bool, work.Requests)
	for _, number := range course.numbers() {
		created[number] = true
	}
	for number := range work.Objects {
		if !created[number] {
			course.create(number)
		}
	}
	runtime.GC()
	time.Sleep(400 * time.Millisecond)
	course.figures["memory"] = shared.Megabytes("VmRSS")
	course.figures["memory_growth"] = course.figures["memory"] - before
	course.list()
	shared.Check(json.NewEncoder(os.Stdout).Encode(course.figures))
}

// course is the client, and what has been measured.
type course struct {
	work    work
	figures map[string]float64
	context context.Context
	client  client.WithWatch
}

func newClient() client.WithWatch {
	return fake.NewClientBuilder().
		WithScheme(shared.NewScheme()).
		WithStatusSubresource(&shared.VirtualMachine{}).
		Build()
}

// start measures the time until a list has been answered.
func (c *course) start() {
	times := make([]float64, 0, starts)
	for range starts + 1 {
		start := time.Now()
		c.client = newClient()
		shared.Check(c.client.List(c.context, &shared.VirtualMachineList{}, client.Limit(1)))
		times = append(times, float64(time.Since(start).Nanoseconds())/1e6)
	}
	c.figures["first_start"] = times[0]
	c.figures["start"] = median(times[1:])
}

// numbers returns the objects of the requests, spread over all namespaces.
func (c *course) numbers() []int {
	numbers := make([]int, c.work.Requests)
	for at := range numbers {
		numbers[at] = at * c.work.Objects / c.work.Requests
	}
	return numbers
}

// requests measures each kind of request, one at a time.
func (c *course) requests() {
	numbers := c.numbers()
	c.measure("create", numbers, c.create)
	current := make(map[int]*shared.VirtualMachine, len(numbers))
	c.measure("get", numbers, func(number int) {
		var object shared.VirtualMachine
		shared.Check(c.client.Get(c.context, c.key(number), &object))
		current[number] = &object
	})
	c.measure("list", numbers, func(number int) {
		var list shared.VirtualMachineList
		shared.Check(c.client.List(c.context, &list, client.InNamespace(c.key(number).Namespace), client.Limit(10)))
	})
	for _, object := range current {
		object.Status = status()
	}
	c.measure("status", numbers, func(number int) {
		shared.Check(c.client.Status().Update(c.context, current[number]))
	})
	configurations := make(map[int]*unstructured.Unstructured, len(numbers))
	for _, number := range numbers {
		configurations[number] = configuration(machine(c.key(number), number))
	}
	c.measure("apply", numbers, func(number int) {
		applied := client.ApplyConfigurationFromUnstructured(configurations[number])
		shared.Check(c.client.Apply(c.context, applied, client.FieldOwner("applier"), client.ForceOwnership))
	})
}

func (c *course) create(number int) {
	object := machine(c.key(number), number)
	shared.Check(c.client.Create(c.context, object, client.FieldOwner("bench")))
}

// watch measures how fast many watches receive the same changes.
func (c *course) watch() {
	var received sync.WaitGroup
	for range c.work.Watches {
		watch, err := c.client.Watch(c.context, &shared.VirtualMachineList{})
		shared.Check(err)
		received.Add(1)
		go func() {
			for range c.work.Changes {
				<-watch.ResultChan()
			}
			watch.Stop()
			received.Done()
		}()
	}
	meter := shared.Start()
	for at := range c.work.Changes {
		number := at % c.work.Requests * c.work.Objects / c.work.Requests
		object := &shared.VirtualMachine{}
		object.Name, object.Namespace = c.key(number).Name, c.key(number).Namespace
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"phase": "Running", "replicas": 10 + at}})
		shared.Check(err)
		shared.Check(c.client.Status().Patch(c.context, object, client.RawPatch(types.MergePatchType, patch)))
		// A watch has room for a hundred events.
		runtime.Gosched()
	}
	received.Wait()
	c.add("watch", meter, c.work.Watches*c.work.Changes)
}

// list reads all objects at once: the fake client has no pages.
func (c *course) list() {
	meter := shared.Start()
	var list shared.VirtualMachineList
	shared.Check(c.client.List(c.context, &list))
	if len(list.Items) != c.work.Objects {
		panic(len(list.Items))
	}
	c.add("pages", meter, len(list.Items))
}

func (c *course) measure(name string, numbers []int, call func(int)) {
	meter := shared.Start()
	for _, number := range numbers {
		call(number)
	}
	c.add(name, meter, len(numbers))
}

// add adds the calls a second, and the processor time of one in microseconds.
func (c *course) add(name string, meter shared.Meter, calls int) {
	lapse := map[string]float64{}
	meter.Add(lapse, name)
	c.figures[name+"_rate"] = float64(calls) / lapse[name+"_wall"]
	c.figures[name+"_cpu"] = lapse[name+"_cpu"] / float64(calls) * 1e6
}
