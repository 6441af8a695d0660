//! What is decoded at first read.

use std::{any::Any, sync::OnceLock};

use super::Unreadable;

/// A value that is there once it has been read.
#[derive(Default)]
pub(super) struct Part(OnceLock<Box<dyn Any + Send + Sync>>);

impl Part {
    /// The value, decoded if nobody has read it before. All who read a part have to want the same type.
    pub(super) fn read<T: Send + Sync + 'static>(
        &self,
        decode: impl FnOnce() -> Result<T, Unreadable>,
    ) -> Result<&T, Unreadable> {
        let value = match self.0.get() {
            Some(value) => value,
            None => {
                let value = decode()?;
                self.0.get_or_init(|| Box::new(value))
            }
        };
        let value = value.downcast_ref();
        Ok(value.expect("a part has one type"))
    }
}
