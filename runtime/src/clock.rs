//! What the time is: that of the machine, or in tests that of an API server in the process.

#[cfg(feature = "client")]
mod of_client;

use std::cell::Cell;

use k8s_openapi::jiff::Timestamp;

#[cfg(feature = "client")]
pub(crate) use of_client::Clock;

thread_local! {
    /// The time in what a client with its own clock runs: `None` for that of the machine.
    static NOW: Cell<Option<Timestamp>> = const { Cell::new(None) };
}

/// Returns the time: that of the machine, unless a clock runs the caller.
pub(crate) fn now() -> Timestamp {
    NOW.get().unwrap_or_else(Timestamp::now)
}
