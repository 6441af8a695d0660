//! Decoders and defaults; values and undecoded objects as JSON, and their sizes.

pub(crate) mod cow_str;
pub(crate) mod decode;
#[cfg(feature = "webhook")]
pub(crate) mod decoded_size;
pub(crate) mod defaulting;
pub(crate) mod json_pointer;
pub(crate) mod json_value;
#[cfg(feature = "webhook")]
pub(crate) mod raw_object;
pub(crate) mod root;
