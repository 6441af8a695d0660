//! Selection of the storage version.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{
    crd::merge::{MergeProblem, versions::VersionList},
    resource::definition::{CustomResource, Definition},
};

/// The version in which objects are stored.
#[derive(Clone, Debug)]
pub(super) enum StorageVersion {
    Name(String),
    Type { name: &'static str, definition: &'static Definition },
}

impl StorageVersion {
    pub(super) fn of_type<K: CustomResource>() -> Self {
        Self::Type { name: std::any::type_name::<K>(), definition: crate::resource::custom_resource::definition::<K>() }
    }

    /// Makes it the only storage version of a definition's kind.
    pub(super) fn select(&self, versions: &mut VersionList, of: &CustomResourceDefinition) -> Option<MergeProblem> {
        match self {
            Self::Name(name) => versions.store(name),
            Self::Type { name, definition } => {
                let is_it = definition.group == of.spec.group && definition.kind == of.spec.names.kind;
                versions.store(if is_it { definition.version } else { name })
            }
        }
    }
}
