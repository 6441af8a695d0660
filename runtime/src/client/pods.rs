//! The subresources of Pods: evictions, logs, ephemeral containers and running processes.

mod ephemeral;
mod evict;
#[cfg(feature = "ws")]
mod exec;
mod log;

pub use evict::Evict;
pub use log::{LogLines, LogRequest};
