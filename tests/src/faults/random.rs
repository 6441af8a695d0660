/// Pseudorandom numbers, which are the same for a seed on each machine and with each version of the dependencies.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of a seed for one purpose, independent of those for other purposes.
    pub fn for_purpose(seed: u64, purpose: &str, round: u64) -> Self {
        let mut mixed = Self(seed);
        for byte in purpose.bytes() {
            mixed.0 = mixed.number().wrapping_add(u64::from(byte));
        }
        mixed.0 = mixed.number().wrapping_add(round);
        mixed
    }

    /// Any number (SplitMix64).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a usize fits");
        usize::try_from(self.number() % bound).expect("less than a usize")
    }

    /// A number below `bound`, with nearly equal probabilities of all orders of magnitude.
    pub fn magnitude(&mut self, bound: usize) -> usize {
        let bits = self.below(usize::BITS as usize - bound.leading_zeros() as usize) + 1;
        self.below(bound.min(1 << bits))
    }

    /// True with a probability of `times` percent.
    pub fn percent(&mut self, times: usize) -> bool {
        self.below(100) < times
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_purposes_differ_and_repeat() {
        let first = |seed, purpose, round| Random::for_purpose(seed, purpose, round).number();
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
        let different = [first(1, "a", 0), first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)];
        for (index, number) in different.iter().enumerate() {
            assert!(!different[..index].contains(number));
        }
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = Random::new(7);
        for bound in 1..200 {
            assert!(random.below(bound) < bound);
            assert!(random.magnitude(bound) < bound);
        }
    }
}
