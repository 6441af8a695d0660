//! Prevents user closures from blocking other watches on the same thread.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

/// Reading a batch takes a few milliseconds; only user closures make it take longer than this.
const SLOW: Duration = Duration::from_millis(20);

/// The number of batches that are being read with user closures, in all informers.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Runs code that calls user closures.
#[derive(Debug, Default)]
pub(super) struct Isolation {
    /// Whether the closures were slow at least once.
    is_slow: AtomicBool,
}

impl Isolation {
    /// Moves the other tasks of this thread to another one if the closures were slow before, or if other closures are
    /// running. A closure that never returns thus blocks at most one thread.
    pub(super) fn run<O>(&self, read: impl FnOnce() -> O) -> O {
        let running = Running::begin();
        let may_block = self.is_slow.load(Ordering::Relaxed) || running.is_beside_others();
        if may_block && has_other_threads() {
            return block_in_place(read);
        }
        let began = Instant::now();
        let done = read();
        if began.elapsed() > SLOW {
            self.is_slow.store(true, Ordering::Relaxed);
        }
        done
    }
}

/// A guard that is counted in [`RUNNING`].
struct Running {
    others: usize,
}

impl Running {
    fn begin() -> Self {
        Self { others: RUNNING.fetch_add(1, Ordering::Relaxed) }
    }

    /// Whether other closures are running, which may never return, so that this one must not block another thread.
    fn is_beside_others(&self) -> bool {
        self.others > 0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the runtime can move other tasks to another thread.
pub(super) fn has_other_threads() -> bool {
    let runtime = Handle::try_current();
    runtime.is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}
