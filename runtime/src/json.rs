//! JSON text and its parser, defaults, merge patches, values and undecoded objects as JSON, and their sizes.

pub(crate) mod cow_str;
#[cfg(feature = "webhook")]
pub(crate) mod decoded_size;
pub(crate) mod defaulting;
pub(crate) mod json_pointer;
pub(crate) mod json_value;
pub(crate) mod merge_patch;
#[cfg(feature = "client")]
pub(crate) mod outside_strings;
pub(crate) mod parser;
#[cfg(feature = "webhook")]
pub(crate) mod raw_object;
pub(crate) mod scan;
pub(crate) mod timestamp;
