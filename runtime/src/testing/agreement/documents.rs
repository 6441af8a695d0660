//! Random documents, as many that the schema accepts as it refuses.

use serde_json::Value;

use super::{generate, judge::Judge, mutate, random::Random};

/// Makes documents until as many are counted as are wanted.
pub(super) struct Documents<'a> {
    judge: &'a Judge,
    pub(super) random: Random,
    wanted: usize,
    /// How many more are made: those that nobody counts are made up for, within reason.
    left: usize,
    pub(super) accepted: usize,
    pub(super) refused: usize,
}

impl<'a> Documents<'a> {
    pub(super) fn new(judge: &'a Judge, seed: u64, wanted: usize) -> Self {
        Self { judge, random: Random::new(seed), wanted, left: wanted.saturating_mul(4), accepted: 0, refused: 0 }
    }

    /// A document of the sort that there are fewer of.
    pub(super) fn next(&mut self) -> Option<Value> {
        if self.counted() >= self.wanted {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let document = generate::value(&self.judge.root, &mut self.random);
        Some(match self.refused > self.accepted {
            true => document,
            false => self.changed(&document),
        })
    }

    fn counted(&self) -> usize {
        self.accepted + self.refused
    }

    /// A document with a change; with several, until it is refused, where too few are.
    fn changed(&mut self, document: &Value) -> Value {
        const TRIES: usize = 16;
        let root = &self.judge.root;
        let is_urgent = self.refused * 10 < self.counted() * 4;
        let mut changed = mutate::mutant(root, document, &mut self.random);
        for _ in 0..TRIES {
            if !is_urgent || self.judge.refuses(&changed) {
                break;
            }
            changed = mutate::mutant(root, &changed, &mut self.random);
        }
        changed
    }
}
