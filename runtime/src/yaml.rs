//! Reads YAML as kubectl does, writes it in a form that every parser reads, and compares texts.

pub(crate) mod diff;
pub(crate) mod order;
#[cfg(any(feature = "yaml", test))]
pub(crate) mod read;
mod scalar;
pub(crate) mod write;
