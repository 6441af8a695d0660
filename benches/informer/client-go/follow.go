package main

import (
	"sync/atomic"
	"time"

	"crdkit/benches/shared"
)

// follower is a handler that counts updates.
type follower struct {
	last                  atomic.Uint64
	firstEvent, lastEvent time.Time
	events                int
	done                  chan struct{}
}

func (*follower) OnAdd(any, bool) {}

func (f *follower) OnUpdate(_, changed any) {
	last := f.last.Load()
	if last == 0 {
		return
	}
	if f.events++; f.events == 1 {
		f.firstEvent = time.Now()
	}
	if shared.Number(changed.(*shared.VirtualMachine).ResourceVersion) == last {
		f.lastEvent = time.Now()
		f.last.Store(0)
		close(f.done)
	}
}

func (*follower) OnDelete(any) {}
