//! Distributes work over threads.

use std::{
    panic::resume_unwind,
    sync::mpsc::{Receiver, channel},
    thread::{self, Builder, ScopedJoinHandle, available_parallelism},
};

/// The number of objects that a thread decodes at a time.
const PART: usize = 32;

/// Minimum number of objects for a thread, which costs about as much as decoding ten.
const MIN_PER_THREAD: usize = 64;

/// Reads all items in order, in parts, and passes each part to `consume`.
///
/// If there are many, up to `threads` other threads read, while this one consumes.
///
/// # Errors
///
/// The first error of `consume`. It gets no further parts then.
pub(super) fn read_in_parts<'a, I: Sync, O: Send, E>(
    all: &'a [I],
    threads: usize,
    read: impl Fn(&'a [I]) -> Vec<O> + Sync,
    mut consume: impl FnMut(Vec<O>) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.min(all.len() / MIN_PER_THREAD);
    if threads == 0 || all.len() < 2 * MIN_PER_THREAD {
        return consume(read(all));
    }
    thread::scope(|scope| {
        let read = &read;
        let mut workers: Vec<_> = (0..threads)
            .map(|number| {
                let (sender, done) = channel();
                let parts = all.chunks(PART).skip(number).step_by(threads);
                let read_parts = move || parts.map(read).try_for_each(|part| sender.send(part)).unwrap_or_default();
                Worker { thread: Builder::new().spawn_scoped(scope, read_parts).ok(), done }
            })
            .collect();
        for (number, part) in all.chunks(PART).enumerate() {
            consume(workers[number % threads].next().unwrap_or_else(|| read(part)))?;
        }
        Ok(())
    })
}

/// Whether the process can run several threads at the same time.
pub(super) fn has_other_cores() -> bool {
    available_parallelism().is_ok_and(|cores| cores.get() > 1)
}

/// A thread that reads some of the parts.
struct Worker<'scope, O> {
    /// `None` if it could not be spawned.
    thread: Option<ScopedJoinHandle<'scope, ()>>,
    done: Receiver<Vec<O>>,
}

impl<O> Worker<'_, O> {
    /// Waits for the next part; returns `None` if there is no thread. Continues a panic of the thread.
    fn next(&mut self) -> Option<Vec<O>> {
        self.done.recv().ok().or_else(|| {
            let panic = self.thread.take()?.join().err()?;
            resume_unwind(panic)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    const THREADS: [usize; 4] = [1, 2, 3, 64];

    fn numbers() -> Vec<usize> {
        (0..1000).collect()
    }

    #[test]
    fn parts_keep_their_order() {
        for threads in THREADS.into_iter().chain([0]) {
            for count in [0, 1, 127, 128, 129, 1000] {
                let (all, mut doubled) = (&numbers()[..count], Vec::new());
                let read = |part: &[usize]| part.iter().map(|n| n * 2).collect();
                let consume = |part| -> Result<(), ()> {
                    doubled.extend::<Vec<_>>(part);
                    Ok(())
                };
                read_in_parts(all, threads, read, consume).unwrap();
                assert!(doubled.into_iter().eq((0..count).map(|n| n * 2)));
            }
        }
    }

    #[test]
    fn nothing_is_consumed_after_an_error() {
        for threads in THREADS {
            let mut consumed = 0;
            let consume = |part: Vec<usize>| {
                consumed += part.len();
                if consumed > 500 { Err(consumed) } else { Ok(()) }
            };
            let read = |part: &[usize]| part.to_vec();
            let error = read_in_parts(&numbers(), threads, read, consume).unwrap_err();
            assert_eq!((consumed, error), (512, 512));
        }
    }

    #[test]
    fn a_panic_of_a_thread_continues() {
        let read = |part: &[usize]| {
            assert!(!part.contains(&700), "700");
            part.to_vec()
        };
        let consume = |_| Ok::<(), ()>(());
        let reading = || read_in_parts(&numbers(), 2, read, consume);
        let panic = catch_unwind(AssertUnwindSafe(reading)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"700"));
    }
}
