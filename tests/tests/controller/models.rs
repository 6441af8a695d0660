//! How a model runs its random schedules, and shortens one that fails.

use std::{
    fmt::Debug,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crdkit_tests::{case_count, number};

/// A model: what its schedules are, and the environment variables that select them.
pub(crate) struct Model<S, T> {
    /// The variable with the number of schedules, and how many all are.
    pub(crate) count: (&'static str, u64),
    /// The variable with the seed of the first of them.
    pub(crate) seed: &'static str,
    pub(crate) schedule: fn(u64) -> S,
    pub(crate) steps: fn(&mut S) -> &mut Vec<T>,
    /// Returns what is wrong after a schedule, which has this seed.
    pub(crate) problem: fn(u64, &S) -> Option<String>,
}

impl<S: Clone + Debug, T> Model<S, T> {
    /// Checks all schedules, on all processors.
    pub(crate) fn check(&self) {
        let (first, count) = (number(self.seed).unwrap_or(1), case_count::<u64>(self.count.0, self.count.1));
        let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        thread::scope(|scope| {
            let run = |thread| {
                (first + thread..first + count).step_by(threads as usize).for_each(|seed| self.check_schedule(seed));
            };
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
            for thread in running {
                thread.join().unwrap();
            }
        });
    }

    /// Runs the schedule of a seed, and shortens it if it fails.
    fn check_schedule(&self, seed: u64) {
        let mut schedule = (self.schedule)(seed);
        let Some(mut problem) = (self.problem)(seed, &schedule) else {
            return;
        };
        let mut index = 0;
        while index < (self.steps)(&mut schedule).len() {
            let mut shorter = schedule.clone();
            (self.steps)(&mut shorter).remove(index);
            match (self.problem)(seed, &shorter) {
                Some(same) => (schedule, problem) = (shorter, same),
                None => index += 1,
            }
        }
        panic!("{}={seed}: {problem}\n{schedule:?}", self.seed);
    }
}

/// Runs a schedule on a paused clock. A panic is a problem too.
pub(crate) fn problem_of(run: impl AsyncFnOnce() -> Option<String>) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let run = || runtime.block_on(run());
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Some(format!("a panic: {}", text.unwrap_or_default()))
    })
}
