//! Interns strings that many objects share.

use std::{
    cell::RefCell,
    hash::BuildHasher,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Maximum length of interned strings. Longer ones are rarely shared.
const MAX_LEN: usize = 64;

/// Number of strings below which unused ones are not swept.
const MIN_SWEEP: usize = 1 << 10;

/// The interned strings of one thread at a time, which need no lock.
///
/// Unused strings are swept when there are twice as many strings as were in use after the last sweep.
pub(super) struct Interner {
    strings: HashTable<Arc<str>>,
    hasher: DefaultHashBuilder,
    sweep_at: usize,
}

impl Interner {
    fn new() -> Self {
        Self { strings: HashTable::new(), hasher: DefaultHashBuilder::default(), sweep_at: MIN_SWEEP }
    }

    /// Returns the interned string.
    pub(super) fn intern(&mut self, text: &str) -> Arc<str> {
        if text.len() > MAX_LEN {
            return text.into();
        }
        let hash = self.hasher.hash_one(text);
        if let Some(interned) = self.strings.find(hash, |interned| **interned == *text) {
            return interned.clone();
        }
        self.sweep();
        let new = Arc::<str>::from(text);
        let hasher = &self.hasher;
        let hash_of = |text: &Arc<str>| hasher.hash_one(&**text);
        self.strings.insert_unique(hash, new.clone(), hash_of);
        new
    }

    fn sweep(&mut self) {
        if self.strings.len() < self.sweep_at {
            return;
        }
        self.strings.retain(|text| Arc::strong_count(text) > 1);
        self.sweep_at = MIN_SWEEP.max(2 * self.strings.len());
        let hasher = &self.hasher;
        self.strings.shrink_to(self.sweep_at, |text| hasher.hash_one(&**text));
    }
}

/// Runs a function with the interner of this thread.
pub(super) fn with<T>(run: impl FnOnce(&mut Interner) -> T) -> T {
    thread_local! {
        static INTERNER: RefCell<Borrowed> = RefCell::new(Borrowed::new());
    }
    INTERNER.with_borrow_mut(|borrowed| run(&mut borrowed.0))
}

/// Returns the interners of threads that ended. A thread that decodes a part of a list ends with it, and the next one
/// continues with its strings.
fn unused() -> MutexGuard<'static, Vec<Interner>> {
    static UNUSED: Mutex<Vec<Interner>> = Mutex::new(Vec::new());
    UNUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An interner that is returned when its thread ends.
struct Borrowed(Interner);

impl Borrowed {
    fn new() -> Self {
        Self(unused().pop().unwrap_or_else(Interner::new))
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let interner = mem::replace(&mut self.0, Interner::new());
        unused().push(interner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_memory() {
        let mut interner = Interner::new();
        let (one, two) = (interner.intern("a"), interner.intern("a"));
        assert!(Arc::ptr_eq(&one, &two));
        assert_eq!(&*interner.intern("b"), "b");
        let long = "a".repeat(MAX_LEN + 1);
        assert!(!Arc::ptr_eq(&interner.intern(&long), &interner.intern(&long)));
        assert_eq!(interner.strings.len(), 2);
    }

    #[test]
    fn a_thread_continues_with_the_strings_of_one_that_ended() {
        // Other tests use interners at the same time.
        let shared = (0..100).any(|_| {
            let intern = || std::thread::spawn(|| with(|interner| interner.intern("of a thread"))).join().unwrap();
            Arc::ptr_eq(&intern(), &intern())
        });
        assert!(shared);
    }

    #[test]
    fn unused_strings_are_dropped() {
        let mut interner = Interner::new();
        let used: Vec<_> = (0..MIN_SWEEP / 2).map(|number| interner.intern(&format!("used {number}"))).collect();
        for number in 0..20 * MIN_SWEEP {
            interner.intern(&format!("unused {number}"));
        }
        assert!(interner.strings.len() <= 2 * MIN_SWEEP);
        assert!(interner.strings.capacity() <= 8 * MIN_SWEEP);
        for (number, text) in used.iter().enumerate() {
            assert!(Arc::ptr_eq(text, &interner.intern(&format!("used {number}"))));
        }
    }
}
