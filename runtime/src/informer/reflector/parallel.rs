//! Distributes work over threads.

use std::{
    num::NonZeroUsize,
    panic::resume_unwind,
    thread::{self, Builder},
};

/// Minimum number of objects for a thread, which costs about as much as decoding ten.
const MIN_PER_THREAD: usize = 64;

/// Reads all items in order, in parts of at least [`MIN_PER_THREAD`] on up to `threads` threads.
pub(super) fn read_in_parts<'a, I: Sync, O: Send>(
    all: &'a [I],
    threads: NonZeroUsize,
    read: impl Fn(&'a [I]) -> Vec<O> + Sync,
) -> Vec<O> {
    let threads = threads.get().min(all.len() / MIN_PER_THREAD);
    if threads < 2 {
        return read(all);
    }
    let (mine, others) = all.split_at(all.len() / threads);
    thread::scope(|scope| {
        let others = others.chunks(others.len().div_ceil(threads - 1));
        let read = &read;
        let others: Vec<_> =
            others.map(|part| (part, Builder::new().spawn_scoped(scope, move || read(part)))).collect();
        let mut done = read(mine);
        for (part, other) in others {
            done.extend(match other {
                Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // The thread could not be spawned.
                Err(_) => read(part),
            });
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_order() {
        let all: Vec<usize> = (0..1000).collect();
        for threads in [1, 2, 3, 64] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let doubled = read_in_parts(&all, threads, |part| part.iter().map(|n| n * 2).collect());
            assert!(doubled.iter().copied().eq((0..1000).map(|n| n * 2)));
        }
    }
}
