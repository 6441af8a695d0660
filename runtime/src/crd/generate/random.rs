//! Random numbers that depend only on the seed.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// Creates a sequence of numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns one of `all`, which is not empty.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low);
        match span {
            u64::MAX => self.next() as i64,
            span => low.wrapping_add_unsigned(self.next() % (span + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_between_their_bounds() {
        let mut random = Random::new(1);
        let all: Vec<_> = (0..1000).map(|_| random.between(-2, 2)).collect();
        assert_eq!(all.iter().min(), Some(&-2));
        assert_eq!(all.iter().max(), Some(&2));
        let wide: Vec<_> = (0..100).map(|_| random.between(i64::MIN, i64::MAX)).collect();
        assert!(wide.iter().any(|it| *it < 0) && wide.iter().any(|it| *it > 0));
    }
}
