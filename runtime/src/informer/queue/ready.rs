//! The keys that can be claimed, in their order.

use super::fairness::Turns;

/// Which keys are claimed first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    /// The object of the key changed, or this was the priority of the run that adds the key again.
    #[default]
    Changed,
    /// The object was listed at the start, or repeated by a resync.
    Listed,
}

/// The group of a key. Groups take turns, so that none starves the others.
pub(super) type GroupOf<Q> = fn(&Q) -> u64;

/// One claim of this number takes the key that has waited longest, whatever its priority and its group are. So no stream of
/// changes delays a key by more than this factor over FIFO order. Changes keep four fifths of the claims while a long list is
/// reconciled.
pub(super) const CLAIMS_PER_OLDEST: u64 = 5;

/// Keys by priority, and in FIFO order within each group. Groups take turns.
pub(super) struct ReadyKeys<Q> {
    group_of: GroupOf<Q>,
    /// Keys that were claimed and returned.
    returned: Turns<Q>,
    changed: Turns<Q>,
    listed: Turns<Q>,
    last_number: u64,
    claims: u64,
    /// Whether the last claim took a returned key.
    took_returned: bool,
}

/// Where a key waits.
#[derive(Clone, Copy)]
pub(super) struct QueuePosition {
    line: Line,
    number: u64,
}

#[derive(Clone, Copy)]
enum Line {
    Returned,
    Of(Priority),
}

impl<Q> ReadyKeys<Q> {
    pub(super) fn new(group_of: GroupOf<Q>) -> Self {
        Self {
            group_of,
            returned: Turns::default(),
            changed: Turns::default(),
            listed: Turns::default(),
            last_number: 0,
            claims: 0,
            took_returned: false,
        }
    }

    /// Returns the number of keys by priority. Returned keys count as changed.
    pub(super) fn depth(&self) -> [usize; 2] {
        [self.returned.len() + self.changed.len(), self.listed.len()]
    }

    /// Adds a key behind all others of its priority and group.
    pub(super) fn push(&mut self, key: Q, priority: Priority) -> QueuePosition {
        self.last_number += 1;
        let place = QueuePosition { line: Line::Of(priority), number: self.last_number };
        self.insert(key, place)
    }

    /// Adds a key that is next.
    pub(super) fn push_front(&mut self, key: Q) -> QueuePosition {
        self.last_number += 1;
        let place = QueuePosition { line: Line::Returned, number: self.last_number };
        self.insert(key, place)
    }

    /// Moves a key to a higher priority. It has waited as long as before.
    pub(super) fn promote(&mut self, place: QueuePosition, priority: Priority) -> QueuePosition {
        if let Line::Returned = place.line {
            return place;
        }
        let promoted = QueuePosition { line: Line::Of(priority), ..place };
        match self.line(place.line).remove(place.number) {
            Some(key) => self.insert(key, promoted),
            None => place,
        }
    }

    pub(super) fn pop(&mut self) -> Option<Q> {
        self.claims += 1;
        if self.claims.is_multiple_of(CLAIMS_PER_OLDEST)
            && let Some(key) = self.pop_oldest()
        {
            self.took_returned = false;
            return Some(key);
        }
        // Only every other claim, because a key that is returned each time would be the only one.
        let returned = if self.took_returned { None } else { self.returned.pop() };
        self.took_returned = returned.is_some();
        returned.or_else(|| self.changed.pop()).or_else(|| self.listed.pop()).or_else(|| self.returned.pop())
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.group_of);
    }

    fn pop_oldest(&mut self) -> Option<Q> {
        let lines = [Line::Returned, Line::Of(Priority::Changed), Line::Of(Priority::Listed)];
        let oldest = lines.into_iter().filter_map(|line| Some((self.line(line).oldest()?, line)));
        let (number, line) = oldest.min_by_key(|(number, _)| *number)?;
        self.line(line).remove(number)
    }

    fn insert(&mut self, key: Q, place: QueuePosition) -> QueuePosition {
        let group = (self.group_of)(&key);
        self.line(place.line).insert(place.number, key, group, 0);
        place
    }

    fn line(&mut self, line: Line) -> &mut Turns<Q> {
        match line {
            Line::Returned => &mut self.returned,
            Line::Of(Priority::Changed) => &mut self.changed,
            Line::Of(Priority::Listed) => &mut self.listed,
        }
    }
}
