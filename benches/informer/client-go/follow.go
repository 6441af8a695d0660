package main

import (
	"sync/atomic"
	"time"
)

// follower hears of each changed object.
type follower struct {
	last                  atomic.Uint64
	firstHeard, lastHeard time.Time
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
		f.firstHeard = time.Now()
	}
	if number(changed.(*VirtualMachine).ResourceVersion) == last {
		f.lastHeard = time.Now()
		f.last.Store(0)
		close(f.done)
	}
}

func (*follower) OnDelete(any) {}
