//! Locks, which are loom's while a test runs all orders of its threads' steps.

use std::sync::PoisonError;
#[cfg(not(test))]
pub(super) use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

#[cfg(test)]
mod model;

#[cfg(test)]
pub(super) use model::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, model};

// The protected state is consistent between calls, so a poisoned lock can be used.

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
