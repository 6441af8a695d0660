//! The work of each contestant.

use anyhow::Result;
pub(crate) use crdkit_benches::{Figures, control};
use serde::{Deserialize, Serialize};

/// What a contestant is to do. Whatever it is, it reads all objects first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The port of the server.
    pub(crate) port: u16,
    pub(crate) objects: usize,
    /// Whether objects are to be listed as events.
    pub(crate) streams: bool,
    /// How many threads decode.
    pub(crate) decode_threads: usize,
    /// How many follow what happens.
    pub(crate) subscribers: usize,
    /// How many changes to follow.
    pub(crate) events: usize,
    /// Whether to look objects up.
    pub(crate) lookups: bool,
    /// Whether to list again, when nothing has changed and when some objects have.
    pub(crate) relists: bool,
    /// Whether to read all of every object.
    pub(crate) reads: bool,
    /// Whether to see how long readers keep the writer waiting.
    pub(crate) blocking: bool,
}

/// The newest resourceVersion.
pub(crate) fn newest(port: u16) -> Result<u64> {
    Ok(control(port, "newest")?.parse()?)
}
