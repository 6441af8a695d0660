//! Interner that many objects have, kept once.

use std::{cell::RefCell, hash::BuildHasher, sync::Arc};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Longer texts are seldom those of several objects.
const LONGEST: usize = 64;

/// So many texts are kept without a look at which of them are in use.
const UNSWEPT: usize = 1 << 10;

/// The texts that were shared on a thread: an informer is one thread, and so needs no lock.
///
/// Those that no object has any more are dropped whenever there are twice as many as were in use the last time.
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

    /// The text, which is in memory already if another object has it.
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

/// Uses the texts of this thread.
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
    fn a_text_is_in_memory_once() {
        let mut texts = Interner::new();
        let (one, two) = (texts.share("a"), texts.share("a"));
        assert!(Arc::ptr_eq(&one, &two));
        assert_eq!(&*texts.share("b"), "b");
        let long = "a".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&texts.share(&long), &texts.share(&long)));
        assert_eq!(texts.known.len(), 2);
    }

    #[test]
    fn texts_that_nobody_has_are_dropped() {
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
