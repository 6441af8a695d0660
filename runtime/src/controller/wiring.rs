//! Checks at the start whether the cluster serves and permits what the program uses.

mod access_review;
mod error;
mod served;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join;
use tokio::time::{Instant, timeout_at};

use super::{Rbac, uses::UsedKind};
use crate::Client;

pub use error::{WiringError, WiringProblem};

/// How long the checks take at most.
const DEADLINE: Duration = Duration::from_secs(10);

/// Checks the kinds and the permissions. What cannot be checked in time is logged.
///
/// # Errors
///
/// All problems at once.
pub(super) async fn check(client: &Client, rbac: Rbac) -> Result<(), WiringError> {
    let deadline = Instant::now() + DEADLINE;
    let client = client.timeout(DEADLINE);
    let (problems, missing) =
        join(check_kinds(&client, rbac.kinds(), deadline), access_review::missing(&client, &rbac, deadline)).await;
    match problems.is_empty() && missing.is_none() {
        true => Ok(()),
        false => Err(WiringError { problems, missing_permissions: missing }),
    }
}

async fn check_kinds(client: &Client, kinds: &BTreeSet<UsedKind>, deadline: Instant) -> Vec<WiringProblem> {
    let discovery = client.discovery();
    match timeout_at(deadline, discovery.refresh()).await {
        Ok(Ok(served)) => served::problems(kinds, &served),
        Ok(Err(error)) => {
            tracing::warn!(%error, "it was not checked whether the API server serves all kinds");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("it was not checked in time whether the API server serves all kinds");
            Vec::new()
        }
    }
}
