//! Checks at the start whether the cluster serves and permits what the program uses.

mod access_review;
mod error;
mod served;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join;
use tokio::time::{Instant, sleep, timeout_at};

use super::{Rbac, uses::UsedKind};
use crate::Client;

pub use error::{WiringError, WiringProblem};

/// How long the checks take at most.
const TIMEOUT: Duration = Duration::from_secs(4);
/// When they are repeated if something is missing: it may just have been installed, and the servers of a cluster follow at
/// different times.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// Checks the kinds and the permissions. What cannot be checked in time is logged.
///
/// # Errors
///
/// All problems at once.
pub(super) async fn check(client: &Client, rbac: &Rbac) -> Result<(), WiringError> {
    let client = client.timeout(TIMEOUT);
    if check_now(&client, rbac).await.is_ok() {
        return Ok(());
    }
    sleep(SECOND_LOOK).await;
    check_now(&client, rbac).await
}

async fn check_now(client: &Client, rbac: &Rbac) -> Result<(), WiringError> {
    let deadline = Instant::now() + TIMEOUT;
    let kinds = check_kinds(client, rbac.kinds(), deadline);
    let (problems, missing_permissions) = join(kinds, access_review::missing(client, rbac, deadline)).await;
    match problems.is_empty() && missing_permissions.is_none() {
        true => Ok(()),
        false => Err(WiringError { problems, missing_permissions }),
    }
}

async fn check_kinds(client: &Client, kinds: &BTreeSet<UsedKind>, deadline: Instant) -> Vec<WiringProblem> {
    match timeout_at(deadline, client.discovery().refresh()).await {
        Ok(Ok(served)) => return served::problems(kinds, &served),
        Ok(Err(error)) => tracing::warn!(%error, "it was not checked whether the API server serves all kinds"),
        Err(_) => tracing::warn!("it was not checked in time whether the API server serves all kinds"),
    }
    Vec::new()
}
