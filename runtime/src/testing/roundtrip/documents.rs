//! Random documents, as many that the schema accepts as it refuses.

use serde_json::Value;

use super::{generate, mutate, oracle::Oracle, random::Random};

/// Makes documents until as many are counted as are wanted.
pub(super) struct Documents<'a> {
    oracle: &'a Oracle,
    pub(super) random: Random,
    wanted: usize,
    /// How many more are made: those that nobody counts are made up for, within reason.
    left: usize,
    pub(super) accepted: usize,
    pub(super) rejected: usize,
}

impl<'a> Documents<'a> {
    pub(super) fn new(oracle: &'a Oracle, seed: u64, wanted: usize) -> Self {
        Self { oracle, random: Random::new(seed), wanted, left: wanted.saturating_mul(4), accepted: 0, rejected: 0 }
    }

    /// A document of the sort that there are fewer of.
    pub(super) fn next(&mut self) -> Option<Value> {
        if self.counted() >= self.wanted {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let document = generate::value(&self.oracle.root, &mut self.random);
        Some(match self.rejected > self.accepted {
            true => document,
            false => self.changed(&document),
        })
    }

    fn counted(&self) -> usize {
        self.accepted + self.rejected
    }

    /// A document with a change; with several, until it is rejected, where too few are.
    fn changed(&mut self, document: &Value) -> Value {
        const TRIES: usize = 16;
        let root = &self.oracle.root;
        let is_urgent = self.rejected * 10 < self.counted() * 4;
        let mut changed = mutate::mutant(root, document, &mut self.random);
        for _ in 0..TRIES {
            if !is_urgent || self.oracle.rejects(&changed) {
                break;
            }
            changed = mutate::mutant(root, &changed, &mut self.random);
        }
        changed
    }
}
