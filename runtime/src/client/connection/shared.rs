//! State that all clients on the same connections share, of any type.

use std::{
    any::Any,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// A value that is dropped with its last user.
#[derive(Default)]
pub(crate) struct DroppedWithLastUser(Mutex<Option<Weak<dyn Any + Send + Sync>>>);

impl DroppedWithLastUser {
    /// Returns the value, or creates it if no value of this type is in use.
    ///
    /// # Errors
    ///
    /// If the value cannot be created.
    pub(crate) fn get_or_try_init<T: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used = shared.as_ref().and_then(Weak::upgrade);
        if let Some(value) = used.and_then(|value| value.downcast().ok()) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let weak: Weak<T> = Arc::downgrade(&value);
        *shared = Some(weak);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_dropped_with_its_last_user() {
        let shared = DroppedWithLastUser::default();
        let make = |value| shared.get_or_try_init(|| Ok::<u8, ()>(value)).unwrap();
        let first = make(1);
        assert_eq!(*make(2), 1);
        drop(first);
        assert_eq!(*make(3), 3);
        assert!(shared.get_or_try_init(|| Err::<u8, _>("no")).is_err());
    }
}
