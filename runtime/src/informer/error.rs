//! Errors of a running informer. None of them stops it.

mod problem;
#[cfg(test)]
mod tests;
mod watch_error;

pub use problem::{Problem, Problems};
pub use watch_error::WatchError;
