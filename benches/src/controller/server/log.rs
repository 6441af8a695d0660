//! The log of changes, which watches read.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

/// A state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) number: usize,
    pub(super) version: u64,
    /// When it changed, in nanoseconds since 1970; 0 if it never did.
    pub(super) at: u64,
}

/// All changes, and the newest state of each object.
pub(super) struct Log {
    changes: Mutex<Changes>,
    changed: Condvar,
}

struct Changes {
    all: Vec<Change>,
    newest: Vec<Change>,
}

/// The first resourceVersion. All have as many digits.
const FIRST: u64 = 10_000_000;

/// The stride between changed objects: a prime number, so that all objects are changed.
const STRIDE: usize = 61_813;

impl Log {
    pub(super) fn new(objects: usize) -> Self {
        let newest = (0..objects).map(|number| Change { number, version: FIRST, at: 0 }).collect();
        Self { changes: Mutex::new(Changes { all: Vec::new(), newest }), changed: Condvar::new() }
    }

    /// The position in the log after a resourceVersion.
    pub(super) fn position_after(version: u64) -> usize {
        usize::try_from(version.saturating_sub(FIRST)).unwrap_or_default()
    }

    /// The newest resourceVersion at a position.
    pub(super) fn version_at(position: usize) -> u64 {
        FIRST + position as u64
    }

    /// Changes objects, each as often as any other.
    pub(super) fn change(&self, count: usize) {
        let mut changes = self.changes();
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        for _ in 0..count {
            let position = changes.all.len();
            let number = position * STRIDE % changes.newest.len();
            let change = Change {
                number,
                version: Self::version_at(position + 1),
                at: u64::try_from(at.as_nanos()).unwrap_or_default(),
            };
            changes.all.push(change);
            changes.newest[number] = change;
        }
        drop(changes);
        self.changed.notify_all();
    }

    /// The newest resourceVersion, and the states of objects.
    pub(super) fn states(&self, numbers: &[usize]) -> (u64, Vec<Change>) {
        let changes = self.changes();
        let states = numbers.iter().map(|number| changes.newest[*number]).collect();
        (Self::version_at(changes.all.len()), states)
    }

    /// Waits for changes after a position; none after the time limit.
    pub(super) fn changes_after(&self, position: usize, limit: Duration) -> Vec<Change> {
        let waited = self.changed.wait_timeout_while(self.changes(), limit, |changes| changes.all.len() <= position);
        let (changes, _) = waited.unwrap_or_else(PoisonError::into_inner);
        changes.all.get(position..).unwrap_or_default().to_vec()
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_changes_once_before_one_changes_again() {
        let log = Log::new(1000);
        log.change(1000);
        let changes = log.changes_after(0, Duration::ZERO);
        let mut numbers: Vec<_> = changes.iter().map(|change| change.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1000).collect::<Vec<_>>());
        let last = changes.last().unwrap();
        assert_eq!(log.states(&[last.number]), (last.version, vec![*last]));
        assert_eq!(log.changes_after(Log::position_after(last.version), Duration::ZERO), []);
    }
}
