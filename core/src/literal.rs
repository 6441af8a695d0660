//! Texts and numbers that the server reads: names, formats, regular expressions, paths and bounds.

pub mod cel;
pub mod dns;
pub mod field_path;
pub mod formats;
pub mod json_path;
pub mod numbers;
pub mod printable;
pub mod quoted;
pub mod regex;
pub(crate) mod times;
mod unicode;
pub mod url;
