package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"crdkit/benches/shared"
)

// limit is the time after which a phase has failed.
const limit = 120 * time.Second

// observed is the record of the states that were reconciled.
type observed struct {
	versions  []atomic.Uint64
	states    atomic.Int64
	runs      atomic.Int64
	expected  atomic.Int64
	complete  chan struct{}
	mutex     sync.Mutex
	latencies []int64
}

func newObserved(objects int) *observed {
	observed := &observed{versions: make([]atomic.Uint64, objects), complete: make(chan struct{}, 1)}
	observed.expected.Store(int64(objects))
	return observed
}

func (o *observed) reconciled(object *shared.VirtualMachine) {
	_, digits, _ := strings.Cut(object.Name, "-")
	number, err := strconv.Atoi(digits)
	shared.Check(err)
	version := shared.Number(object.ResourceVersion)
	o.runs.Add(1)
	if o.versions[number].Swap(version) >= version {
		return
	}
	changed, err := strconv.ParseInt(object.Annotations["example.com/changed"], 10, 64)
	shared.Check(err)
	latency := time.Now().UnixNano() - changed
	o.mutex.Lock()
	o.latencies = append(o.latencies, latency)
	o.mutex.Unlock()
	if o.states.Add(1) == o.expected.Load() {
		o.complete <- struct{}{}
	}
}

// expect announces more states.
func (o *observed) expect(more int) {
	o.takeLatencies()
	o.expected.Add(int64(more))
}

func (o *observed) wait() {
	select {
	case <-o.complete:
	case <-time.After(limit):
		panic(fmt.Sprintf("%d of %d states were reconciled within %v", o.states.Load(), o.expected.Load(), limit))
	}
}

// takeLatencies returns the times from the changes of objects to their reconciliations, in nanoseconds, sorted.
func (o *observed) takeLatencies() []int64 {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	latencies := o.latencies
	o.latencies = nil
	slices.Sort(latencies)
	return latencies
}
