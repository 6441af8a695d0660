//! Installs CustomResourceDefinitions and waits until they are served.
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::CustomResourceExt;
//!
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::install::InstallError> {
//! for installed in client.field_manager("at-operator").install([At::crd()]).await? {
//!     println!("{}: {:?}", installed.name, installed.outcome);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The definitions are installed with server-side apply. Fields of other managers remain, such as labels that Helm set;
//! where values differ, they are [conflicts](crate::client::ApplyError::Conflicts). Installing an unchanged definition
//! again changes nothing.
//!
//! Violations of the API server's rules are reported for all definitions at once, [before anything is
//! sent](crate::validate).
//!
//! Changes that would lose data are refused before anything is changed: another scope, kind, plural or group; the
//! removal of a version in which objects may be stored; and a schema that drops or rejects values of existing objects.
//! To detect the last case, the objects are read page by page, but only if the new schema preserves or accepts less
//! than the old one. A program that installs definitions therefore needs the permission to list their objects. A field
//! that no object has can be removed. [`DataLoss`] describes the cases; [`allow_data_loss`](Install::allow_data_loss)
//! permits them.

mod error;
mod loss;
mod migrate;
mod rename;
mod stored;
mod wait;

use std::{
    collections::HashSet,
    future::{Future, IntoFuture},
    pin::Pin,
    time::Duration,
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

pub use error::InstallError;
pub use loss::{DataLoss, Objects};

use super::{Client, OperationResult, apply::Unchecked, deadline::Deadline, error::Error, resources::Resources};
use crate::crd::validate::{Severity, validate_all};

/// Default of [`Install::timeout`].
const TIMEOUT: Duration = Duration::from_secs(60);
const FIELD_MANAGER: &str = "crdkit";

impl Client {
    /// Installs CustomResourceDefinitions and waits until the API server serves them.
    ///
    /// The [field manager](Self::field_manager) owns them, or `crdkit` if none is set.
    pub fn install(&self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Install {
        Install {
            client: self.clone(),
            crds: crds.into_iter().collect(),
            timeout: TIMEOUT,
            allow_data_loss: false,
            progress: None,
        }
    }
}

/// A request to install CustomResourceDefinitions. Awaiting it installs them.
#[derive(Clone, Debug)]
#[must_use = "nothing is installed until it is awaited"]
pub struct Install {
    client: Client,
    crds: Vec<CustomResourceDefinition>,
    timeout: Duration,
    allow_data_loss: bool,
    progress: Option<UnboundedSender<Installed>>,
}

/// A CustomResourceDefinition that was installed and is served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Installed {
    /// Its name, such as `virtualmachines.infra.example.com`.
    pub name: String,
    /// Whether it was created, updated or unchanged.
    pub outcome: OperationResult,
    /// The stored definition.
    pub crd: CustomResourceDefinition,
}

impl Install {
    /// Sets the time limit for applying the definitions and waiting until they are served, after the check for data
    /// loss: 60 s by default, `Duration::MAX` for no limit. Each request has the [timeout](Client::timeout) of the
    /// client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Takes over fields that other managers such as Helm own.
    pub fn force(mut self) -> Self {
        self.client = self.client.force();
        self
    }

    /// Installs definitions even if that loses data, without reading the objects first.
    ///
    /// If versions are removed, all objects are first stored in the new version, without the fields that the definition
    /// no longer has. Immutable fields of a definition are changed by deleting the old definition **with all its
    /// objects**. [`DataLoss`] describes what each case loses.
    pub fn allow_data_loss(mut self) -> Self {
        self.allow_data_loss = true;
        self
    }

    /// Sends each definition as soon as it is applied, before it is served.
    #[doc(hidden)]
    pub fn progress(mut self, progress: UnboundedSender<Installed>) -> Self {
        self.progress = Some(progress);
        self
    }

    async fn run(self) -> Result<Vec<Installed>, InstallError> {
        let names = self.names()?;
        self.validate()?;
        let crds = self.crds();
        let mut existing = Vec::new();
        for name in &names {
            existing.push(crds.get_opt(name).await?);
        }
        let losses = self.losses(&crds, &existing).await?;
        if !losses.is_empty() && !self.allow_data_loss {
            return Err(InstallError::DataLoss(losses));
        }
        let deadline = Deadline::after(self.timeout);
        if !self.client.options.dry_run {
            self.migrate(&crds, &losses, deadline).await?;
        }
        let mut installed = Vec::new();
        for (name, crd, existing) in zip(names, &self.crds, existing) {
            let applied = crds.apply(&name, &Unchecked(applied_fields(crd)?)).await?;
            let existing = existing.filter(|_| !losses.iter().any(|loss| loss.replaces(&name)));
            let definition = Installed { outcome: outcome(existing.as_ref(), &applied), crd: applied, name };
            if let Some(progress) = &self.progress {
                // Without a receiver, no one waits for it.
                let _ = progress.send(definition.clone());
            }
            installed.push(definition);
        }
        if !self.client.options.dry_run {
            self.wait_until_served(&crds, &mut installed, deadline).await?;
        }
        Ok(installed)
    }

    /// Returns the names of the definitions. Fails if a name is missing or occurs twice.
    fn names(&self) -> Result<Vec<String>, InstallError> {
        let mut seen = HashSet::new();
        let names = self.crds.iter().map(|crd| match &crd.metadata.name {
            Some(name) if seen.insert(name) => Ok(name.clone()),
            Some(name) => Err(InstallError::Duplicate { crd: name.clone() }),
            None => Err(InstallError::MissingName { kind: crd.spec.names.kind.clone() }),
        });
        names.collect()
    }

    /// Checks the definitions against the rules of the API server.
    fn validate(&self) -> Result<(), InstallError> {
        let violations = validate_all(&self.crds).into_iter();
        let refused: Vec<_> = violations
            .filter(|(_, violation)| violation.severity == Severity::Error)
            .map(|(at, violation)| {
                let crd = self.crds[at].metadata.name.clone().unwrap_or_default();
                (crd, violation)
            })
            .collect();
        if refused.is_empty() { Ok(()) } else { Err(InstallError::Refused(refused)) }
    }

    fn crds(&self) -> Resources<CustomResourceDefinition> {
        let mut client = self.client.clone();
        let manager = &mut client.options.field_manager;
        manager.get_or_insert_with(|| FIELD_MANAGER.into());
        client.resources()
    }

    /// Returns the data losses that the definitions would cause.
    async fn losses(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        existing: &[Option<CustomResourceDefinition>],
    ) -> Result<Vec<DataLoss>, InstallError> {
        let pairs = self.crds.iter().zip(existing);
        let (there, new): (Vec<_>, Vec<_>) = pairs.partition(|(_, existing)| existing.is_some());
        let there = there.into_iter().filter_map(|(desired, existing)| Some((desired, existing.as_ref()?)));
        let mut losses: Vec<DataLoss> = Vec::new();
        for (desired, existing) in there {
            let of_definition = loss::from_change(desired, existing);
            let has_objects = !of_definition.iter().any(DataLoss::deletes_objects);
            losses.extend(of_definition);
            if has_objects && !self.allow_data_loss {
                losses.extend(self.losses_of_objects(existing, desired).await?);
            }
        }
        let new: Vec<_> = new.into_iter().map(|(desired, _)| desired).collect();
        losses.extend(self.renames(crds, &new).await?);
        Ok(losses)
    }
}

impl IntoFuture for Install {
    type Output = Result<Vec<Installed>, InstallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

fn zip<P>(
    names: Vec<String>,
    crds: &[CustomResourceDefinition],
    existing: Vec<P>,
) -> impl Iterator<Item = (String, &CustomResourceDefinition, P)> {
    let pairs = names.into_iter().zip(crds).zip(existing);
    pairs.map(|((name, crd), existing)| (name, crd, existing))
}

/// Returns the fields of a definition that are applied: labels, annotations and spec, without what the API server sets.
fn applied_fields(crd: &CustomResourceDefinition) -> Result<Value, InstallError> {
    let written = serde_json::to_value(&crd.spec);
    let spec = written.map_err(|source| InstallError::Encode {
        crd: crd.metadata.name.clone().unwrap_or_default(),
        source: source.into(),
    })?;
    let mut metadata = json!({});
    let metadata_of = &crd.metadata;
    for (key, texts) in [("labels", &metadata_of.labels), ("annotations", &metadata_of.annotations)] {
        if let Some(texts) = texts {
            metadata[key] = json!(texts);
        }
    }
    Ok(json!({ "metadata": metadata, "spec": spec }))
}

fn outcome(before: Option<&CustomResourceDefinition>, after: &CustomResourceDefinition) -> OperationResult {
    let configured_fields = |crd: &CustomResourceDefinition| {
        let metadata = crd.metadata.clone();
        (metadata.labels, metadata.annotations, crd.spec.clone())
    };
    match before {
        None => OperationResult::Created,
        Some(before) if configured_fields(before) == configured_fields(after) => OperationResult::Unchanged,
        Some(_) => OperationResult::Updated,
    }
}

impl From<Error> for InstallError {
    fn from(error: Error) -> Self {
        Self::Request(error)
    }
}

#[cfg(test)]
mod tests;
