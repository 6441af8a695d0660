//! The work of each contestant.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The port of the server.
    pub(crate) port: u16,
    /// How many objects there are.
    pub(crate) objects: usize,
    /// How many reconciliations run at the same time.
    pub(crate) concurrency: u16,
    /// How many changes come at a rate.
    pub(crate) paced: usize,
    /// Changes a second.
    pub(crate) rate: usize,
    /// How many changes come at once.
    pub(crate) burst: usize,
    /// The number of shards, of which it holds one.
    #[serde(default)]
    pub(crate) shards: u16,
}
