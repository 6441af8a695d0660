//! The server has a processor, and the client another one, so that none takes time of the other's.

use std::thread;

use anyhow::Result;
use nix::{
    sched::{CpuSet, sched_setaffinity},
    unistd::Pid,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    Client,
    Server,
}

/// From now on, this thread and the processes that it starts have one processor. On a machine with one, both sides share it.
pub(crate) fn confine_to(side: Side, processors: usize) -> Result<()> {
    let number = match side {
        Side::Client => 0,
        Side::Server => processors - 1,
    };
    let mut set = CpuSet::new();
    set.set(number)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The number of processors, before any thread is confined.
pub(crate) fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
