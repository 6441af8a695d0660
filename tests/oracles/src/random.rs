/// Pseudorandom numbers of a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % end
    }

    /// True with a probability of one in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several values.
    pub fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// The text with a few characters removed, doubled, swapped, cut off, or inserted from `with`.
    pub fn mutated(&mut self, text: &str, with: &[&str]) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let at = self.below(characters.len() + 1);
            match self.below(5) {
                0 if at < characters.len() => drop(characters.remove(at)),
                1 if at < characters.len() => characters.insert(at, characters[at]),
                2 if at + 1 < characters.len() => characters.swap(at, at + 1),
                3 if self.once_in(3) => characters.truncate(at),
                _ => {
                    let more = self.pick(with).chars();
                    characters.splice(at..at, more);
                }
            }
        }
        characters.into_iter().collect()
    }
}
