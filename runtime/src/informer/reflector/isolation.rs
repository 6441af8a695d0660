//! Keeps closures of the program from holding up other watches on the same thread.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

/// To read a batch takes some milliseconds; longer than this only because of closures.
const SLOW: Duration = Duration::from_millis(20);

/// How many batches are read with closures of the program now, in all informers.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Runs what calls closures of the program.
#[derive(Debug, Default)]
pub(super) struct Isolation {
    /// Whether the closures have once taken long.
    is_slow: AtomicBool,
}

impl Isolation {
    /// Gives the thread's other tasks another one for closures that have once taken long, and for those that run beside
    /// others, so that at most one thread is lost to a closure that never returns.
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

/// One of [`RUNNING`], as long as it lives.
struct Running {
    others: usize,
}

impl Running {
    fn begin() -> Self {
        Self {
            others: RUNNING.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Whether others run closures now, which may never return: this one must not take one more thread.
    fn is_beside_others(&self) -> bool {
        self.others > 0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether other tasks of this one's thread can go on on another.
fn has_other_threads() -> bool {
    let runtime = Handle::try_current();
    runtime.is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}
