use std::{fmt::Debug, time::Duration};

/// Reconciliations that did not complete in time after their queue was shut down, and were cancelled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "reconciliations did not complete within {after:?} after shutdown and were cancelled: {}",
    first(.keys)
)]
#[non_exhaustive]
pub struct DrainTimedOut<Q: Debug> {
    /// The keys that were being reconciled.
    pub keys: Vec<Q>,
    /// The timeout: [`Queue::with_drain_timeout`](super::Queue::with_drain_timeout).
    pub after: Duration,
}

/// Maximum number of keys in the message.
const MAX_NAMED: usize = 10;

fn first<Q: Debug>(keys: &[Q]) -> String {
    let named: Vec<_> = keys.iter().take(MAX_NAMED).map(|key| format!("{key:?}")).collect();
    let others = keys.len().saturating_sub(MAX_NAMED);
    match others {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}
