//! Deletes definitions that cannot be changed in place, and rewrites stored objects of versions that are going away.

use std::{collections::HashSet, pin::pin, time::Duration};

use futures_util::TryStreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::{ApiResource, GroupVersionKind};
use serde_json::json;
use tokio::time::sleep;

use super::{DataLoss, Install, InstallError, Installed, applied_fields, loss};
use crate::client::{
    Client, OperationResult, Unstructured, apply::Unchecked, deadline::Deadline, get::found,
    patch::Patch, resources::Resources, scope::InNamespace,
};

const STATUS: Option<&str> = Some("status");
/// An API server that serves a definition may write by the one before for a moment, and nothing tells when it stops.
const SETTLE: Duration = Duration::from_secs(3);

impl Install {
    pub(super) async fn migrate(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        losses: &[DataLoss],
        deadline: Deadline,
    ) -> Result<(), InstallError> {
        let mut deleted = HashSet::new();
        for loss in losses {
            if let DataLoss::Scope { crd, .. }
            | DataLoss::Kind { crd, .. }
            | DataLoss::Plural { old: crd, .. } = loss
                && deleted.insert(crd)
            {
                crds.delete(crd).and_wait(deadline.left()).await?;
            }
        }
        for wanted in &self.crds {
            let name = wanted.metadata.name.as_ref();
            let forgets = |loss: &DataLoss| matches!(loss, DataLoss::StoredVersion { crd, .. } if Some(crd) == name);
            let name = name.filter(|name| !deleted.contains(name) && losses.iter().any(forgets));
            if let Some(name) = name {
                self.migrate_storage(crds, name, wanted, deadline).await?;
            }
        }
        Ok(())
    }

    /// Takes versions that a definition has no more out of those that objects are stored in.
    ///
    /// The API server lets go of no version that is stored, and one object in a version that it does not know breaks every
    /// list: so the new versions come first, beside the old, all objects are stored anew, then the old ones are struck off.
    async fn migrate_storage(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        name: &str,
        wanted: &CustomResourceDefinition,
        deadline: Deadline,
    ) -> Result<(), InstallError> {
        let joint = beside(wanted, crds.get(name).await?);
        let crd = crds
            .apply(name, &Unchecked(applied_fields(&joint)?))
            .await?;
        let mut joint = [Installed {
            name: name.to_owned(),
            outcome: OperationResult::Updated,
            crd,
        }];
        self.wait_until_served(crds, &mut joint, deadline).await?;
        sleep(SETTLE).await;
        let [Installed { crd: joint, .. }] = joint;
        store_anew(&self.client, &joint).await?;
        let kept =
            loss::stored_versions(&joint).filter(|version| loss::has_version(wanted, version));
        let patch = Patch::of_object(json!({
            "metadata": { "resourceVersion": joint.metadata.resource_version },
            "status": { "storedVersions": kept.collect::<Vec<_>>() },
        }));
        crds.endpoint.patch(name, STATUS, &patch).await?;
        Ok(())
    }
}

/// A definition with the versions of an old one that it has not, in which nothing is stored any more.
fn beside(
    wanted: &CustomResourceDefinition,
    old: CustomResourceDefinition,
) -> CustomResourceDefinition {
    let mut joint = wanted.clone();
    let gone = old.spec.versions.into_iter();
    let gone = gone.filter(|version| !loss::has_version(wanted, &version.name));
    joint.spec.versions.extend(gone.map(|mut version| {
        version.storage = false;
        version
    }));
    joint
}

/// Writes every object as it is: what is written is stored in the version that the definition stores now.
async fn store_anew(client: &Client, crd: &CustomResourceDefinition) -> Result<(), InstallError> {
    let spec = &crd.spec;
    let Some(version) = spec.versions.iter().find(|version| version.served) else {
        return Ok(());
    };
    let kind = GroupVersionKind::gvk(&spec.group, &version.name, &spec.names.kind);
    let kind = ApiResource::from_gvk_with_plural(&kind, &spec.names.plural);
    let resources = client.resources_with::<Unstructured>(kind);
    let nothing = Patch::of_object(json!({}));
    let mut objects = pin!(resources.all_namespaces().metadata().list().stream());
    while let Some(object) = objects.try_next().await? {
        let name = object.metadata.name.unwrap_or_default();
        let place: Resources<_, InNamespace> = resources.at(object.metadata.namespace.as_deref());
        found(place.patch(&name, &nothing).await)?;
    }
    Ok(())
}
