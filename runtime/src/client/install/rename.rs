//! Detects definitions that the new ones would replace under another name.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::{DataLoss, Install, InstallError};
use crate::{
    client::{
        Error,
        discovery::{DiscoveryError, ServedResource},
        resources::Resources,
    },
    crd::crd_accessors::{are_equal, schema},
};

impl Install {
    /// Returns the losses because the same field manager installed the definitions under other names.
    pub(super) async fn renames(
        &self,
        crds: &Resources<CustomResourceDefinition>,
        new: &[&CustomResourceDefinition],
    ) -> Result<Vec<DataLoss>, InstallError> {
        let mut losses = Vec::new();
        if new.is_empty() {
            return Ok(losses);
        }
        let served = match self.client.discovery().refresh().await {
            Ok(catalog) => catalog,
            Err(DiscoveryError::Request(error)) => return Err(error.into()),
            Err(other) => unreachable!("no resource was requested: {other}"),
        };
        for crd in new {
            for resource in served.preferred_resources() {
                let Some(loss) = rename(crd, resource).filter(|loss| self.is_obsolete(loss)) else {
                    continue;
                };
                let old = match crds.get_opt(&resource.qualified_name()).await {
                    // The definition belongs to another program: a program that installs a definition may read it.
                    Err(Error::Forbidden(_)) => continue,
                    old => old?,
                };
                if old.is_some_and(|old| is_managed_by(&old, manager(crds)) && was_derived_from(&loss, &old, crd)) {
                    losses.push(loss);
                }
            }
        }
        Ok(losses)
    }

    /// Returns whether the old definition is obsolete, which depends on the field manager: many programs have no
    /// manager of their own, and share kind names across groups.
    fn is_obsolete(&self, loss: &DataLoss) -> bool {
        let is_desired = |old: &String| {
            let mut desired = self.crds.iter();
            desired.any(|crd| crd.metadata.name.as_ref() == Some(old))
        };
        match loss {
            DataLoss::Plural { old, .. } => !is_desired(old),
            DataLoss::Group { old, .. } => !is_desired(old) && self.client.options.field_manager.is_some(),
            _ => false,
        }
    }
}

/// Returns the loss if the definition was derived from that of the resource by another plural or group.
fn rename(crd: &CustomResourceDefinition, resource: &ServedResource) -> Option<DataLoss> {
    let names = &crd.spec.names;
    let same_group = crd.spec.group == resource.group;
    let same_plural = names.plural == resource.plural;
    if names.kind != resource.kind || same_group == same_plural {
        return None;
    }
    let (crd, old) = (crd.metadata.name.clone()?, resource.qualified_name());
    Some(if same_group { DataLoss::Plural { crd, old } } else { DataLoss::Group { crd, old } })
}

fn manager(crds: &Resources<CustomResourceDefinition>) -> &str {
    let manager = &crds.client().options.field_manager;
    manager.as_deref().unwrap_or_default()
}

/// Returns whether the field manager applied the definition.
fn is_managed_by(crd: &CustomResourceDefinition, manager: &str) -> bool {
    let mut entries = crd.metadata.managed_fields.iter().flatten();
    entries.any(|entry| entry.manager.as_deref() == Some(manager) && entry.operation.as_deref() == Some("Apply"))
}

/// Returns whether one definition was derived from the other. Within a group, the same kind is sufficient. Across
/// groups, where many projects have kinds of the same name, a schema must be the same too.
fn was_derived_from(loss: &DataLoss, old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> bool {
    if !matches!(loss, DataLoss::Group { .. }) {
        return true;
    }
    let same_names = old.spec.names.short_names == new.spec.names.short_names;
    let mut pairs = old.spec.versions.iter().flat_map(|old| {
        let new = new.spec.versions.iter();
        new.map(move |new| (old, new))
    });
    let have_same_schema = |old: &_, new: &_| match (schema(old), schema(new)) {
        (Some(old), Some(new)) => are_equal(old, new),
        (old, new) => old.is_none() && new.is_none(),
    };
    same_names && pairs.any(|(old, new)| old.name == new.name && have_same_schema(old, new))
}
