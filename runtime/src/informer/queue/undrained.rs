use std::{fmt::Debug, time::Duration};

/// Reconciliations still ran some time after their queue was shut down, and were cancelled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} reconciliations still ran {after:?} after the queue was shut down and were cancelled: {}",
    .keys.len(),
    first(.keys)
)]
#[non_exhaustive]
pub struct Undrained<Q: Debug> {
    /// What was being reconciled.
    pub keys: Vec<Q>,
    /// How long they had: [`Queue::with_drain_timeout`](super::Queue::with_drain_timeout).
    pub after: Duration,
}

/// So many keys are named.
const NAMED: usize = 10;

fn first<Q: Debug>(keys: &[Q]) -> String {
    let named: Vec<_> = keys
        .iter()
        .take(NAMED)
        .map(|key| format!("{key:?}"))
        .collect();
    let others = keys.len().saturating_sub(NAMED);
    match others {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}
