//! Checks at the start whether the cluster serves and permits what the program uses.

mod access_review;
mod error;
mod served;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join;
use tokio::time::{Instant, sleep, timeout_at};

use super::{Rbac, permissions::PermissionScope, requirements::RequiredKind};
use crate::Client;

pub use error::{PreflightError, PreflightProblem};

/// How long the checks take at most.
const TIMEOUT: Duration = Duration::from_secs(4);
/// When they are repeated if something is missing: it may just have been installed, and the servers of a cluster follow at
/// different times.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// Checks the kinds and the permissions. What cannot be checked in time is logged, and so are permissions that are missing only in some
/// of several namespaces.
///
/// # Errors
///
/// All problems at once.
pub(super) async fn check(client: &Client, rbac: &Rbac) -> Result<(), PreflightError> {
    let client = client.timeout(TIMEOUT);
    if check_now(&client, rbac).await.is_ok() {
        return Ok(());
    }
    sleep(SECOND_LOOK).await;
    let Err(error) = check_now(&client, rbac).await else {
        return Ok(());
    };
    match &error.missing_permissions {
        Some(missing) if error.problems.is_empty() && missing.permissions().is_part_of(&rbac.permissions()) => {
            warn_of_lost_namespaces(missing);
            Ok(())
        }
        _ => Err(error),
    }
}

/// The informers retry, so the namespaces are reconciled once the roles exist.
fn warn_of_lost_namespaces(missing: &Rbac) {
    let permissions = missing.permissions();
    let namespaces: Vec<_> = permissions.places().into_iter().filter_map(PermissionScope::namespace).collect();
    tracing::warn!(
        namespaces = namespaces.join(", "),
        "the objects of some namespaces are not reconciled, because permissions are missing there, which these roles grant:\n\n{}",
        missing.to_yaml()
    );
}

/// Checks only the kinds.
///
/// # Errors
///
/// All problems at once.
pub(super) async fn check_served(client: &Client, rbac: &Rbac) -> Result<(), PreflightError> {
    let problems = check_kinds(&client.timeout(TIMEOUT), rbac.kinds(), Instant::now() + TIMEOUT).await;
    if problems.is_empty() { Ok(()) } else { Err(PreflightError { problems, missing_permissions: None }) }
}

async fn check_now(client: &Client, rbac: &Rbac) -> Result<(), PreflightError> {
    let deadline = Instant::now() + TIMEOUT;
    let kinds = check_kinds(client, rbac.kinds(), deadline);
    let (problems, missing_permissions) = join(kinds, access_review::missing(client, rbac, deadline)).await;
    if problems.is_empty() && missing_permissions.is_none() {
        Ok(())
    } else {
        Err(PreflightError { problems, missing_permissions })
    }
}

async fn check_kinds(client: &Client, kinds: &BTreeSet<RequiredKind>, deadline: Instant) -> Vec<PreflightProblem> {
    match timeout_at(deadline, client.discovery().refresh()).await {
        Ok(Ok(served)) => return served::problems(kinds, &served),
        Ok(Err(error)) => tracing::warn!(%error, "it was not checked whether the API server serves all kinds"),
        Err(_) => tracing::warn!("it was not checked in time whether the API server serves all kinds"),
    }
    Vec::new()
}
