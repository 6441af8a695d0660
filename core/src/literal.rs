//! Parsing and validation of literals as the server does it: names, formats, regular expressions, paths and numbers.

pub(crate) mod base64;
pub mod cel;
pub mod cron;
pub mod dns;
pub mod field_path;
pub mod formats;
pub mod json_path;
pub mod numbers;
pub mod regex;
pub mod times;
pub mod url;
