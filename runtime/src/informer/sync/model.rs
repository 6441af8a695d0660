//! The locks of unit tests: those of loom in a model, and elsewhere those of the standard library, because loom's panic there.

use std::{
    cell::Cell,
    ops::{Deref, DerefMut},
    sync::{LockResult, PoisonError},
};

thread_local! {
    /// Whether a model runs on this thread, which runs all threads of the model too.
    static IN_MODEL: Cell<bool> = const { Cell::new(false) };
}

/// Runs `test` once for each order in which its threads can take their steps.
pub(in crate::informer) fn model(test: impl Fn() + Send + Sync + 'static) {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_MODEL.set(false);
        }
    }
    let _leave = Leave;
    IN_MODEL.set(true);
    loom::model(test);
}

/// A lock, or the guard of one.
#[derive(Debug)]
pub(in crate::informer) enum Either<S, L> {
    Std(S),
    Loom(L),
}

pub(in crate::informer) type Mutex<T> = Either<std::sync::Mutex<T>, loom::sync::Mutex<T>>;
pub(in crate::informer) type MutexGuard<'a, T> = Either<std::sync::MutexGuard<'a, T>, loom::sync::MutexGuard<'a, T>>;
pub(in crate::informer) type RwLock<T> = Either<std::sync::RwLock<T>, loom::sync::RwLock<T>>;
pub(in crate::informer) type RwLockReadGuard<'a, T> =
    Either<std::sync::RwLockReadGuard<'a, T>, loom::sync::RwLockReadGuard<'a, T>>;
pub(in crate::informer) type RwLockWriteGuard<'a, T> =
    Either<std::sync::RwLockWriteGuard<'a, T>, loom::sync::RwLockWriteGuard<'a, T>>;

impl<T> Mutex<T> {
    pub(in crate::informer) fn new(value: T) -> Self {
        Self::of(value, std::sync::Mutex::new, loom::sync::Mutex::new)
    }

    pub(in crate::informer) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.locked(std::sync::Mutex::lock, loom::sync::Mutex::lock)
    }
}

impl<T> RwLock<T> {
    pub(in crate::informer) fn new(value: T) -> Self {
        Self::of(value, std::sync::RwLock::new, loom::sync::RwLock::new)
    }

    pub(in crate::informer) fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        self.locked(std::sync::RwLock::read, loom::sync::RwLock::read)
    }

    pub(in crate::informer) fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.locked(std::sync::RwLock::write, loom::sync::RwLock::write)
    }
}

impl<S, L> Either<S, L> {
    /// Creates the lock for where the thread is.
    fn of<T>(value: T, std: fn(T) -> S, loom: fn(T) -> L) -> Self {
        if IN_MODEL.get() { Self::Loom(loom(value)) } else { Self::Std(std(value)) }
    }

    fn locked<'a, G, H>(
        &'a self,
        std: fn(&'a S) -> LockResult<G>,
        loom: fn(&'a L) -> LockResult<H>,
    ) -> LockResult<Either<G, H>> {
        match self {
            Self::Std(lock) => with_guard(std(lock), Either::Std),
            Self::Loom(lock) => with_guard(loom(lock), Either::Loom),
        }
    }
}

fn with_guard<G, H>(result: LockResult<G>, wrap: fn(G) -> H) -> LockResult<H> {
    result.map(wrap).map_err(|error| PoisonError::new(wrap(error.into_inner())))
}

impl<S: Deref, L: Deref<Target = S::Target>> Deref for Either<S, L> {
    type Target = S::Target;

    fn deref(&self) -> &S::Target {
        match self {
            Self::Std(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}

impl<S: DerefMut, L: DerefMut<Target = S::Target>> DerefMut for Either<S, L> {
    fn deref_mut(&mut self) -> &mut S::Target {
        match self {
            Self::Std(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use super::{super::lock, *};

    /// Increments in two steps, between which another thread can increment too.
    fn increment(number: &Mutex<u32>) {
        let old = *lock(number);
        *lock(number) = old + 1;
    }

    #[test]
    fn a_model_runs_the_orders_in_which_an_update_is_lost() {
        let results = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let all = results.clone();
        model(move || {
            let number = Arc::new(Mutex::new(0));
            let other = number.clone();
            let thread = loom::thread::spawn(move || increment(&other));
            increment(&number);
            thread.join().unwrap();
            all.lock().unwrap().insert(*lock(&number));
        });
        assert_eq!(*results.lock().unwrap(), BTreeSet::from([1, 2]));
    }
}
