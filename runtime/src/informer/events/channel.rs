use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
};

use super::{
    DeferredDrops,
    buffer::{Buffer, OverflowPolicy},
    notification::Notification,
};
use crate::informer::{
    Event,
    stored_object::Stored,
    sync::{self, Mutex, MutexGuard},
};

/// The channel from the fan-out to one subscriber.
pub(super) struct Channel {
    state: Mutex<ChannelState>,
}

struct ChannelState {
    buffer: Buffer,
    pushes: u64,
    closed: bool,
    reader: Option<Waker>,
}

impl Channel {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(ChannelState { buffer: Buffer::new(), pushes: 0, closed: false, reader: None }) }
    }

    pub(super) fn push(&self, batch: &Arc<[Notification]>, deferred: &mut DeferredDrops) {
        self.change(|state| {
            state.pushes += 1;
            state.buffer.push(batch, deferred);
        });
    }

    pub(super) fn close(&self) {
        self.change(|state| state.closed = true);
    }

    pub(super) fn set_policy(&self, policy: OverflowPolicy) {
        let mut deferred = DeferredDrops::default();
        self.state().buffer.set_policy(policy, &mut deferred);
    }

    /// Returns the number of dropped events.
    pub(super) fn dropped(&self) -> u64 {
        self.state().buffer.dropped()
    }

    /// Returns the number of pushes if the buffer is empty, to detect later pushes.
    pub(super) fn pushes_if_empty(&self) -> Option<u64> {
        let state = self.state();
        state.buffer.is_empty().then_some(state.pushes)
    }

    /// Polls for the next event; `None` after the last one.
    pub(super) fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Event<Stored>>> {
        // Dropped after the lock is released.
        let _deferred_drop;
        let mut state = self.state();
        if let Some((event, deferred_drop)) = state.buffer.pop() {
            _deferred_drop = deferred_drop;
            return Poll::Ready(Some(event));
        }
        if state.closed || state.buffer.dropped() > 0 {
            return Poll::Ready(None);
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn change(&self, change: impl FnOnce(&mut ChannelState)) {
        let mut state = self.state();
        change(&mut state);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, ChannelState> {
        sync::lock(&self.state)
    }
}

#[cfg(test)]
impl Channel {
    pub(super) fn slots(&self) -> usize {
        self.state().buffer.slots()
    }
}
