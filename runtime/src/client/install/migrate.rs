//! Deletes definitions that cannot be changed in place, and rewrites stored objects of versions that are going away.

use std::collections::HashSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::{DataLoss, Install, InstallError, Installed, applied_fields, loss};
use crate::client::{OperationResult, apply::Unchecked, deadline::Deadline, resources::Resources};

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
        self.client.migrate_storage_of(name).by_client().await?;
        Ok(())
    }
}

/// Adds to a definition the versions that only the old one has, but not as the storage version.
fn with_old_versions(desired: &CustomResourceDefinition, old: CustomResourceDefinition) -> CustomResourceDefinition {
    let mut joint = desired.clone();
    let gone = old.spec.versions.into_iter().filter(|version| !loss::has_version(desired, &version.name));
    joint.spec.versions.extend(gone.map(|mut version| {
        version.storage = false;
        version
    }));
    joint
}
