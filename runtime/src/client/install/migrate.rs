//! Deletes definitions that cannot be changed in place, and rewrites stored objects of versions that are going away.

use std::{collections::HashSet, pin::pin, time::Duration};

use futures_util::TryStreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::{ApiResource, GroupVersionKind};
use serde_json::json;
use tokio::time::sleep;

use super::{DataLoss, Install, InstallError, Installed, applied_fields, loss};
use crate::client::{
    Client, OperationResult, apply::Unchecked, deadline::Deadline, dynamic::Unstructured, get::none_if_not_found,
    patch::Patch, resources::Resources, scope::InNamespace,
};

const STATUS: Option<&str> = Some("status");
/// After an update of a definition, an API server may still write with the previous one for a moment, without any
/// indication of when that ends.
const PROPAGATION_DELAY: Duration = Duration::from_secs(3);

impl Install {
    pub(super) async fn migrate(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        losses: &[DataLoss],
        deadline: Deadline,
    ) -> Result<(), InstallError> {
        let mut deleted = HashSet::new();
        for loss in losses {
            if let DataLoss::Scope { crd, .. } | DataLoss::Kind { crd, .. } | DataLoss::Plural { old: crd, .. } = loss
                && deleted.insert(crd)
            {
                crds.delete(crd).and_wait(deadline.remaining()).await?;
            }
        }
        for desired in &self.crds {
            let name = desired.metadata.name.as_ref();
            let forgets = |loss: &DataLoss| matches!(loss, DataLoss::StoredVersion { crd, .. } if Some(crd) == name);
            let name = name.filter(|name| !deleted.contains(name) && losses.iter().any(forgets));
            if let Some(name) = name {
                self.migrate_storage(crds, name, desired, deadline).await?;
            }
        }
        Ok(())
    }

    /// Removes versions that a definition no longer has from `status.storedVersions`.
    ///
    /// The API server does not remove a version that is stored, and a single object in an unknown version breaks every
    /// list. So this first adds the new versions beside the old ones, then rewrites all objects, and then removes the
    /// old versions.
    async fn migrate_storage(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        name: &str,
        desired: &CustomResourceDefinition,
        deadline: Deadline,
    ) -> Result<(), InstallError> {
        let joint = with_old_versions(desired, crds.get(name).await?);
        let crd = crds.apply(name, &Unchecked(applied_fields(&joint)?)).await?;
        let mut joint = [Installed { name: name.to_owned(), outcome: OperationResult::Updated, crd }];
        self.wait_until_served(crds, &mut joint, deadline).await?;
        sleep(PROPAGATION_DELAY).await;
        let [Installed { crd: joint, .. }] = joint;
        rewrite_objects(&self.client, &joint).await?;
        let kept = loss::stored_versions(&joint).filter(|version| loss::has_version(desired, version));
        let patch = Patch::from_json(json!({
            "metadata": { "resourceVersion": joint.metadata.resource_version },
            "status": { "storedVersions": kept.collect::<Vec<_>>() },
        }));
        crds.endpoint.patch(name, STATUS, &patch).await?;
        Ok(())
    }
}

/// Adds to a definition the versions that only the old one has, but not as the storage version.
fn with_old_versions(desired: &CustomResourceDefinition, old: CustomResourceDefinition) -> CustomResourceDefinition {
    let mut joint = desired.clone();
    let gone = old.spec.versions.into_iter();
    let gone = gone.filter(|version| !loss::has_version(desired, &version.name));
    joint.spec.versions.extend(gone.map(|mut version| {
        version.storage = false;
        version
    }));
    joint
}

/// Writes every object unchanged, which stores it in the current storage version.
async fn rewrite_objects(client: &Client, crd: &CustomResourceDefinition) -> Result<(), InstallError> {
    let spec = &crd.spec;
    let Some(version) = spec.versions.iter().find(|version| version.served) else {
        return Ok(());
    };
    let kind = GroupVersionKind::gvk(&spec.group, &version.name, &spec.names.kind);
    let kind = ApiResource::from_gvk_with_plural(&kind, &spec.names.plural);
    let resources = client.resources_with::<Unstructured>(kind);
    let nothing = Patch::from_json(json!({}));
    let mut objects = pin!(resources.all_namespaces().metadata().list().stream());
    while let Some(object) = objects.try_next().await? {
        let name = object.metadata.name.unwrap_or_default();
        let place: Resources<_, InNamespace> = resources.at(object.metadata.namespace.as_deref());
        none_if_not_found(place.patch(&name, &nothing).await)?;
    }
    Ok(())
}
