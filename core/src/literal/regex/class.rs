//! Sets of characters.

use alloc::vec::Vec;

use super::node::Flags;
use crate::go::unicode::{MAX, Range, folded_within, simple_fold};

/// Ranges of code points, sorted and disjoint after [`clean`](Self::clean).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(pub(super) Vec<Range>);

impl Class {
    pub(super) fn contains(&self, code: u32) -> bool {
        self.0.iter().any(|(lo, hi)| (*lo..=*hi).contains(&code))
    }

    /// Adds a range, and merges it with one of the last two if they touch.
    pub(super) fn add(&mut self, (lo, hi): Range) {
        let near = self.0.iter_mut().rev().take(2);
        for last in near {
            if lo <= last.1 + 1 && last.0 <= hi + 1 {
                *last = (last.0.min(lo), last.1.max(hi));
                return;
            }
        }
        self.0.push((lo, hi));
    }

    /// Adds a range and its case variants.
    pub(super) fn add_folded(&mut self, range: Range) {
        self.add(range);
        folded_within(range, |code| {
            let mut other = simple_fold(code);
            while other != code {
                self.add((other, other));
                other = simple_fold(other);
            }
        });
    }

    pub(super) fn add_literal(&mut self, code: u32, flags: Flags) {
        if flags.has(Flags::FOLD_CASE) { self.add_folded((code, code)) } else { self.add((code, code)) }
    }

    pub(super) fn add_all(&mut self, ranges: &[Range]) {
        ranges.iter().for_each(|range| self.add(*range));
    }

    /// Returns the cleaned class with all case variants.
    pub(super) fn folded(ranges: &[Range]) -> Self {
        let mut class = Self::default();
        ranges.iter().for_each(|range| class.add_folded(*range));
        class.clean();
        class
    }

    /// Sorts the ranges and joins those that touch.
    pub(super) fn clean(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|next, last| {
            let touch = next.0 <= last.1 + 1;
            if touch {
                last.1 = last.1.max(next.1);
            }
            touch
        });
    }

    /// Returns the complement of a cleaned class.
    #[must_use]
    pub(super) fn negated(&self) -> Self {
        let mut left = Vec::with_capacity(self.0.len() + 1);
        let mut next = 0;
        for &(lo, hi) in &self.0 {
            if next < lo {
                left.push((next, lo - 1));
            }
            next = hi + 1;
        }
        if next <= MAX {
            left.push((next, MAX));
        }
        Self(left)
    }
}
