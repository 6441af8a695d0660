//! The stream limit of a connection.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// The maximum number of concurrent requests of a connection, which the server sends first.
pub(super) struct StreamLimit {
    /// 0 while it is unknown.
    streams: AtomicUsize,
    changed: Arc<Notify>,
}

impl StreamLimit {
    /// Creates an unknown limit. `changed` is notified when the limit becomes known.
    pub(super) fn unknown(changed: Arc<Notify>) -> Arc<Self> {
        Arc::new(Self { streams: AtomicUsize::new(0), changed })
    }

    pub(super) fn get(&self) -> Option<usize> {
        Some(self.streams.load(Ordering::Relaxed)).filter(|streams| *streams > 0)
    }

    /// A server may temporarily allow none, but then no request could detect when that ends.
    pub(super) fn set(&self, streams: usize) {
        self.streams.store(streams.max(1), Ordering::Relaxed);
        self.changed.notify_waiters();
    }
}
