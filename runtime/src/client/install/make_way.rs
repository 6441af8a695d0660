//! Loses what is in the way of new definitions.

use std::collections::HashSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use super::{Install, InstallError, Loss, applied_fields, loss};
use crate::client::{apply::Unchecked, patch::Patch, resources::Resources};

const STATUS: Option<&str> = Some("status");

impl Install {
    pub(super) async fn make_way(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        losses: &[Loss],
    ) -> Result<(), InstallError> {
        let mut deleted = HashSet::new();
        for loss in losses {
            if let Loss::Scope { crd, .. } | Loss::Kind { crd, .. } | Loss::Plural { old: crd, .. } =
                loss
                && deleted.insert(crd)
            {
                crds.delete(crd).and_wait(self.timeout).await?;
            }
        }
        for wanted in &self.crds {
            let name = wanted.metadata.name.as_ref();
            let forgets =
                |loss: &Loss| matches!(loss, Loss::StoredVersion { crd, .. } if Some(crd) == name);
            let name = name.filter(|name| !deleted.contains(name) && losses.iter().any(forgets));
            if let Some(name) = name {
                forget_versions(crds, name, wanted).await?;
            }
        }
        Ok(())
    }
}

/// Takes versions that a definition has no more out of those that objects are stored in.
///
/// The API server lets go of no version that is stored, and of none that it stores: so the new ones come first, beside
/// the old, then the old ones are struck off.
async fn forget_versions(
    crds: &Resources<CustomResourceDefinition>,
    name: &str,
    wanted: &CustomResourceDefinition,
) -> Result<(), InstallError> {
    let present = crds.get(name).await?;
    let mut joint = wanted.clone();
    let gone = present.spec.versions.into_iter();
    let gone = gone.filter(|version| !loss::has_version(wanted, &version.name));
    joint.spec.versions.extend(gone.map(|mut version| {
        version.storage = false;
        version
    }));
    let joint = crds
        .apply(name, &Unchecked(applied_fields(&joint)?))
        .await?;
    let kept: Vec<_> = loss::stored_versions(&joint)
        .filter(|version| loss::has_version(wanted, version))
        .collect();
    let patch = Patch::of_object(json!({
        "metadata": { "resourceVersion": joint.metadata.resource_version },
        "status": { "storedVersions": kept },
    }));
    crds.endpoint.patch(name, STATUS, &patch).await?;
    Ok(())
}
