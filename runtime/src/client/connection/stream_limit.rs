//! How many requests a connection takes at once.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// How many requests a connection takes at once, as the server says when it begins.
pub(super) struct StreamLimit {
    /// 0 as long as it is unknown.
    streams: AtomicUsize,
    changed: Arc<Notify>,
}

impl StreamLimit {
    /// Whoever waits for `changed` is woken when the limit becomes known.
    pub(super) fn unknown(changed: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            streams: AtomicUsize::new(0),
            changed,
        })
    }

    pub(super) fn get(&self) -> Option<usize> {
        Some(self.streams.load(Ordering::Relaxed)).filter(|streams| *streams > 0)
    }

    /// A server may allow none for a time, but then no request could find out when that is over.
    pub(super) fn set(&self, streams: usize) {
        self.streams.store(streams.max(1), Ordering::Relaxed);
        self.changed.notify_waiters();
    }
}
