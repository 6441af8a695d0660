//! The work of each contestant.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The number of requests of each kind.
    pub(crate) requests: usize,
    /// The number of watches that receive the same changes.
    pub(crate) watches: usize,
    /// The number of changes that they receive.
    pub(crate) changes: usize,
    /// The number of objects whose memory is measured.
    pub(crate) objects: usize,
}
