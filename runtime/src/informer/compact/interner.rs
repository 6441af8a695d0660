//! Interns strings that many objects share.

use std::{cell::RefCell, hash::BuildHasher, sync::Arc};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Maximum length of interned strings. Longer ones are rarely shared.
const LONGEST: usize = 64;

/// Number of strings below which unused ones are not swept.
const UNSWEPT: usize = 1 << 10;

/// The interned strings of one thread, which need no lock.
///
/// Unused strings are swept when there are twice as many strings as were in use after the last sweep.
pub(super) struct Interner {
    known: HashTable<Arc<str>>,
    hashes: DefaultHashBuilder,
    sweep_at: usize,
}

impl Interner {
    fn new() -> Self {
        Self {
            known: HashTable::new(),
            hashes: DefaultHashBuilder::default(),
            sweep_at: UNSWEPT,
        }
    }

    /// Returns the interned string.
    pub(super) fn share(&mut self, text: &str) -> Arc<str> {
        if text.len() > LONGEST {
            return text.into();
        }
        let hash = self.hashes.hash_one(text);
        if let Some(known) = self.known.find(hash, |known| **known == *text) {
            return known.clone();
        }
        self.sweep();
        let new = Arc::<str>::from(text);
        let hashes = &self.hashes;
        let hash_of = |known: &Arc<str>| hashes.hash_one(&**known);
        self.known.insert_unique(hash, new.clone(), hash_of);
        new
    }

    fn sweep(&mut self) {
        if self.known.len() < self.sweep_at {
            return;
        }
        self.known.retain(|known| Arc::strong_count(known) > 1);
        self.sweep_at = UNSWEPT.max(2 * self.known.len());
        let hashes = &self.hashes;
        self.known
            .shrink_to(self.sweep_at, |known| hashes.hash_one(&**known));
    }
}

/// Runs a function with the interner of this thread.
pub(super) fn with<T>(use_them: impl FnOnce(&mut Interner) -> T) -> T {
    thread_local! {
        static TEXTS: RefCell<Interner> = RefCell::new(Interner::new());
    }
    TEXTS.with_borrow_mut(use_them)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_memory() {
        let mut texts = Interner::new();
        let (one, two) = (texts.share("a"), texts.share("a"));
        assert!(Arc::ptr_eq(&one, &two));
        assert_eq!(&*texts.share("b"), "b");
        let long = "a".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&texts.share(&long), &texts.share(&long)));
        assert_eq!(texts.known.len(), 2);
    }

    #[test]
    fn unused_strings_are_dropped() {
        let mut texts = Interner::new();
        let kept: Vec<_> = (0..UNSWEPT / 2)
            .map(|number| texts.share(&format!("kept {number}")))
            .collect();
        for number in 0..20 * UNSWEPT {
            texts.share(&format!("dropped {number}"));
        }
        assert!(texts.known.len() <= 2 * UNSWEPT);
        assert!(texts.known.capacity() <= 8 * UNSWEPT);
        for (number, kept) in kept.iter().enumerate() {
            assert!(Arc::ptr_eq(kept, &texts.share(&format!("kept {number}"))));
        }
    }
}
