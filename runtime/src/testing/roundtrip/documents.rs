//! Random documents, half of them valid.

use serde_json::Value;

use super::{mutate, oracle::Oracle};
use crate::crd::generate::{self, Random};

/// Generates documents until the requested number has been counted.
pub(super) struct Documents<'a> {
    oracle: &'a Oracle,
    pub(super) random: Random,
    wanted: usize,
    /// The remaining number of documents: documents that are not counted are replaced, up to a limit.
    left: usize,
    pub(super) accepted: usize,
    pub(super) rejected: usize,
}

impl<'a> Documents<'a> {
    pub(super) fn new(oracle: &'a Oracle, seed: u64, wanted: usize) -> Self {
        Self { oracle, random: Random::new(seed), wanted, left: wanted.saturating_mul(4), accepted: 0, rejected: 0 }
    }

    /// Returns a document of the kind, valid or invalid, that fewer documents have been counted of.
    pub(super) fn next(&mut self) -> Option<Value> {
        if self.counted() >= self.wanted {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let document = generate::value(&self.oracle.root, &mut self.random);
        Some(if self.rejected > self.accepted { document } else { self.changed(&document) })
    }

    fn counted(&self) -> usize {
        self.accepted + self.rejected
    }

    /// Returns a modified document; if there are too few rejected ones, modifies it until it is rejected.
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
