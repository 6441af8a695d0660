//! Values that are decoded at the first read.

use std::{any::Any, sync::OnceLock};

use super::UndecodablePart;

/// A value that is decoded at the first read, and cached.
#[derive(Default)]
pub(super) struct LazyPart(OnceLock<Box<dyn Any + Send + Sync>>);

impl LazyPart {
    /// Returns the value, and decodes it at the first call. All calls must use the same type.
    pub(super) fn read<T: Send + Sync + 'static>(
        &self,
        decode: impl FnOnce() -> Result<T, UndecodablePart>,
    ) -> Result<&T, UndecodablePart> {
        let any = match self.0.get() {
            Some(value) => value,
            None => {
                let value = decode()?;
                self.0.get_or_init(|| Box::new(value))
            }
        };
        let value = any.downcast_ref();
        Ok(value.expect("a part is always read as the same type"))
    }
}
