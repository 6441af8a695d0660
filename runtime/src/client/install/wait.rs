//! Waits until definitions are served.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionCondition,
};
use tokio::time::{Instant, sleep};

use super::{Install, InstallError, Installed};
use crate::client::{
    deadline::Deadline,
    discovery::{Discovery, DiscoveryError},
    error::Error,
    resources::Resources,
};

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// A conflict may belong to the previous generation: by default, API servers do not set the `observedGeneration` that conditions
/// have since 1.35 (feature gate `CRDObservedGenerationTracking`).
const CONFLICT_GRACE_PERIOD: Duration = Duration::from_secs(2);

impl Install {
    pub(super) async fn wait_until_served(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        installed: &mut [Installed],
        deadline: Deadline,
    ) -> Result<(), InstallError> {
        for installed in installed {
            let mut waiting = Waiter {
                crds,
                discovery: self.client.discovery(),
                name: &installed.name,
                obstacle: "the API server did not respond".to_owned(),
            };
            match deadline.within(waiting.until_served()).await {
                Ok(crd) => installed.crd = crd?,
                Err(_) => {
                    return Err(InstallError::NotServed {
                        obstacle: waiting.obstacle,
                        crd: installed.name.clone(),
                        limit: self.timeout,
                    });
                }
            }
        }
        Ok(())
    }
}

struct Waiter<'a> {
    crds: &'a Resources<CustomResourceDefinition>,
    discovery: Discovery,
    name: &'a str,
    obstacle: String,
}

impl Waiter<'_> {
    async fn until_served(&mut self) -> Result<CustomResourceDefinition, InstallError> {
        let start = Instant::now();
        loop {
            let checked = self.check().await;
            match checked {
                Ok(Progress::Served(crd)) => return Ok(*crd),
                Ok(Progress::Missing(obstacle)) => self.obstacle = obstacle,
                Ok(Progress::Conflict(conflict)) if start.elapsed() > CONFLICT_GRACE_PERIOD => {
                    return Err(InstallError::NamesConflict {
                        crd: self.name.to_owned(),
                        reason: conflict.reason.unwrap_or_default(),
                        message: conflict.message.unwrap_or_default(),
                    });
                }
                Ok(Progress::Conflict(conflict)) => {
                    self.obstacle = conflict.message.unwrap_or_default();
                }
                Err(error) if is_transient(&error) => self.obstacle = error.to_string(),
                Err(error) => return Err(error.into()),
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    async fn check(&self) -> Result<Progress, Error> {
        let crd = self.crds.get(self.name).await?;
        match accepted(&crd) {
            Progress::Served(_) => self.discovered(crd).await,
            progress => Ok(progress),
        }
    }

    async fn discovered(&self, crd: CustomResourceDefinition) -> Result<Progress, Error> {
        let catalog = match self.discovery.refresh().await {
            Ok(catalog) => catalog,
            Err(DiscoveryError::Request(error)) => return Err(error),
            Err(other) => return Ok(Progress::Missing(other.to_string())),
        };
        let spec = &crd.spec;
        let mut served = spec.versions.iter().filter(|version| version.served);
        let hidden = served.find(|version| !catalog.has(&spec.group, &version.name, &spec.names.plural));
        Ok(match hidden {
            Some(version) => Progress::Missing(format!("discovery does not list version `{}`", version.name)),
            None => Progress::Served(Box::new(crd)),
        })
    }
}

enum Progress {
    Served(Box<CustomResourceDefinition>),
    Conflict(CustomResourceDefinitionCondition),
    Missing(String),
}

/// Returns the state of a definition according to its conditions.
fn accepted(crd: &CustomResourceDefinition) -> Progress {
    let status = crd.status.clone().unwrap_or_default();
    let conditions = status.conditions.unwrap_or_default();
    let condition = |name: &str| conditions.iter().find(|condition| condition.type_ == name);
    let names = condition("NamesAccepted");
    if let Some(conflict) = names.filter(|names| names.status == "False") {
        return Progress::Conflict(conflict.clone());
    }
    if status.accepted_names.as_ref() != Some(&crd.spec.names) {
        return Progress::Missing("its names are not accepted yet".to_owned());
    }
    match condition("Established") {
        Some(established) if established.status == "True" => Progress::Served(Box::new(crd.clone())),
        Some(established) => {
            let message = established.message.as_deref().unwrap_or("the API server gives no reason");
            Progress::Missing(format!("it is not established: {message}"))
        }
        None => Progress::Missing("it is not established yet".to_owned()),
    }
}

/// Returns whether a retry may succeed after an error.
fn is_transient(error: &Error) -> bool {
    matches!(
        error,
        Error::Unavailable(_)
            | Error::TooManyRequests(_)
            | Error::Timeout(_)
            | Error::Transport { .. }
            | Error::DeadlineExceeded { .. }
    )
}
