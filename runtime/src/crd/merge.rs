//! Merging the versions of a kind into one CustomResourceDefinition.
//!
//! ```
//! use crdkit::merge::Versions;
//!
//! mod v1alpha1 {
//!     # use crdkit::{CustomResource, KubeSchema};
//!     # use serde::{Deserialize, Serialize};
//!     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//!     #[crd(group = "example.com", version = "v1alpha1", kind = "At", storage = false)]
//!     pub struct AtSpec {
//!         pub at: String,
//!     }
//! }
//!
//! mod v1 {
//!     # use crdkit::{CustomResource, KubeSchema};
//!     # use serde::{Deserialize, Serialize};
//!     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//!     #[crd(group = "example.com", version = "v1", kind = "At")]
//!     pub struct AtSpec {
//!         pub schedule: String,
//!     }
//! }
//!
//! let merged = Versions::new().add::<v1alpha1::At>().add::<v1::At>().merge()?;
//! let versions = merged.crd.spec.versions.iter();
//! assert_eq!(versions.map(|version| &version.name).collect::<Vec<_>>(), ["v1", "v1alpha1"]);
//!
//! // Without a conversion, objects written in one version lose the fields of the other.
//! let warning = merged.warnings[0].to_string();
//! assert!(warning.contains(".spec.schedule"));
//! # Ok::<(), crdkit::merge::MergeError>(())
//! ```

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition, CustomResourceDefinitionSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{crd::validate, resource::definition::CustomResource, schema::Descriptions};

mod error;
mod member;
mod pruning;
mod shared;
mod source;
mod storage;
mod versions;
mod webhook;

pub use error::{MergeError, MergeProblem, TypeRenderError, Warning};
use member::Member;
pub(crate) use source::NamedCrd;
use storage::StorageVersion;
use versions::VersionList;
pub use versions::sort_by_priority;
pub use webhook::ConversionWebhook;

/// The versions of a kind, to be merged.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is merged before `merge` is called"]
pub struct Versions {
    members: Vec<Member>,
    storage: Option<StorageVersion>,
    conversion: Option<CustomResourceConversion>,
    /// The paths at which versions may differ without a conversion.
    allowed: Vec<String>,
}

/// A CustomResourceDefinition with all versions, and warnings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The definition, with its versions in Kubernetes' priority order: the preferred one first.
    pub crd: CustomResourceDefinition,
    /// Warnings about the definition.
    pub warnings: Vec<Warning>,
}

impl Versions {
    /// Creates a list without versions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the version of type `K`.
    pub fn add<K: CustomResource>(mut self) -> Self {
        self.members.push(Member::of_type::<K>());
        self
    }

    /// Adds all versions of a definition that does not come from a type. Errors refer to it by `name`.
    pub fn add_crd(mut self, name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        self.members.push(Member::of_crd(name.into(), crd));
        self
    }

    /// Sets the storage version, overriding the versions' own settings.
    pub fn storage(mut self, version: impl Into<String>) -> Self {
        self.storage = Some(StorageVersion::Name(version.into()));
        self
    }

    /// Stores objects in the version of type `K`, which must be one of the versions. It overrides their own settings.
    pub fn store_as<K: CustomResource>(mut self) -> Self {
        self.storage = Some(StorageVersion::of_type::<K>());
        self
    }

    /// Sets how objects are converted between the versions, such as a [`ConversionWebhook`]. It overrides the conversions of
    /// the versions' definitions.
    ///
    /// ```
    /// # mod v1alpha1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1alpha1", kind = "At")]
    /// #     pub struct AtSpec { pub at: String }
    /// # }
    /// # mod v1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1", kind = "At")]
    /// #     pub struct AtSpec { pub schedule: String }
    /// # }
    /// use crdkit::merge::{ConversionWebhook, Versions};
    ///
    /// let versions = Versions::new().add::<v1alpha1::At>().add::<v1::At>().store_as::<v1::At>();
    /// let merged = versions.conversion(ConversionWebhook::service("operators", "at").path("/convert")).merge()?;
    /// assert_eq!(merged.crd.spec.conversion.unwrap().strategy, "Webhook");
    /// assert!(merged.warnings.is_empty());
    /// # Ok::<(), crdkit::merge::MergeError>(())
    /// ```
    pub fn conversion(mut self, conversion: impl Into<CustomResourceConversion>) -> Self {
        self.conversion = Some(conversion.into());
        self
    }

    /// Allows the versions to differ at a path without a conversion, so that no [warning](Warning) names it.
    ///
    /// Objects that are written in one version are read in the other as they are: allow it if all readers of both expect that. With
    /// `*` at its end, the path stands for all paths that start so.
    ///
    /// ```
    /// # mod v1alpha1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1alpha1", kind = "At", storage = false)]
    /// #     pub struct AtSpec { pub schedule: String }
    /// # }
    /// # mod v1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1", kind = "At")]
    /// #     pub struct AtSpec { #[crd(max_length = 20)] pub schedule: String }
    /// # }
    /// use crdkit::merge::Versions;
    ///
    /// let versions = Versions::new().add::<v1alpha1::At>().add::<v1::At>();
    /// assert!(versions.clone().merge()?.warnings[0].to_string().contains("`maxLength` of `.spec.schedule`"));
    ///
    /// // `v1` limits what `v1alpha1` does not.
    /// assert!(versions.allow_difference(".spec.schedule").merge()?.warnings.is_empty());
    /// # Ok::<(), crdkit::merge::MergeError>(())
    /// ```
    pub fn allow_difference(mut self, path: impl Into<String>) -> Self {
        self.allowed.push(path.into());
        self
    }

    /// Merges the versions.
    ///
    /// Group, scope, names, labels and annotations must be equal, version names must be unique, exactly one version must be the
    /// storage version, and at least one version must be served.
    ///
    /// # Errors
    ///
    /// All violations of these rules, with the names of the types that cause them.
    pub fn merge(self) -> Result<Merged, MergeError> {
        self.merge_with(None)
    }

    /// Merges the versions with these descriptions, or with those that the types select.
    pub(crate) fn merge_with(&self, descriptions: Option<Descriptions>) -> Result<Merged, MergeError> {
        let sources = self.sources(descriptions)?;
        let Some(first) = sources.first() else {
            return Err(MergeError::from_iter([MergeProblem::NoVersions]));
        };
        let versions = self.checked_versions(&sources)?;
        let conversion = self
            .conversion
            .as_ref()
            .or_else(|| shared::conversion(&sources))
            .filter(|conversion| conversion.strategy != "None");
        let mut warnings = match conversion {
            Some(_) => Vec::new(),
            None => pruning::warnings(&versions, &self.allowed),
        };
        let crd = CustomResourceDefinition {
            metadata: metadata(first),
            spec: CustomResourceDefinitionSpec {
                conversion: conversion.cloned(),
                versions: versions.by_priority(),
                ..first.crd.spec.clone()
            },
            status: None,
        };
        warnings.extend(rule_warnings(&crd, &sources)?);
        warnings.extend(self.members.iter().flat_map(Member::lost_keywords));
        Ok(Merged { crd, warnings })
    }

    fn sources(&self, descriptions: Option<Descriptions>) -> Result<Vec<NamedCrd>, MergeError> {
        let rendered = self.members.iter().map(|member| member.source(descriptions));
        let (sources, unrendered): (Vec<_>, Vec<_>) = rendered.partition(Result::is_ok);
        if unrendered.is_empty() {
            Ok(sources.into_iter().flatten().collect())
        } else {
            Err(unrendered.into_iter().filter_map(Result::err).collect())
        }
    }

    fn checked_versions(&self, sources: &[NamedCrd]) -> Result<VersionList, MergeError> {
        let mut versions = VersionList::of(sources);
        let mut problems = shared::problems(sources);
        if self.conversion.is_none() {
            problems.extend(shared::conversion_problems(sources));
        }
        if let Some(storage) = &self.storage {
            problems.extend(storage.select(&mut versions, &sources[0].crd));
        }
        problems.extend(versions.problems());
        if problems.is_empty() { Ok(versions) } else { Err(problems.into_iter().collect()) }
    }

    /// The name of the first type.
    pub(crate) fn type_name(&self) -> &str {
        self.members.first().map_or("", Member::name)
    }

    /// Returns the group and the kind of the first version.
    pub(crate) fn group_kind(&self) -> Option<(&str, &str)> {
        self.members.first().map(Member::group_kind)
    }

    /// Adds the versions of another list of the same kind. What it sets has priority.
    pub(crate) fn append(&mut self, other: Self) {
        self.members.extend(other.members);
        self.storage = other.storage.or(self.storage.take());
        self.conversion = other.conversion.or(self.conversion.take());
        self.allowed.extend(other.allowed);
    }
}

/// Checks a merged definition, and returns what the API server accepts nevertheless.
fn rule_warnings(crd: &CustomResourceDefinition, sources: &[NamedCrd]) -> Result<Vec<Warning>, MergeError> {
    let (refused, accepted) = validate::split_by_severity(validate::validate(crd));
    if !refused.is_empty() {
        let refused = refused.into_iter();
        let problems =
            refused.map(|violation| MergeProblem::Invalid { type_name: type_name_for(&violation, sources), violation });
        return Err(problems.collect());
    }
    let accepted = accepted.into_iter();
    let warnings = accepted.map(|violation| Warning::Rule { type_name: type_name_for(&violation, sources), violation });
    Ok(warnings.collect())
}

/// Returns the type with the version that a violation refers to, or the first type.
fn type_name_for(violation: &validate::Violation, sources: &[NamedCrd]) -> String {
    let version = violation.path.split(['.', '[']).next();
    let has_version = |source: &&NamedCrd| {
        let mut versions = source.crd.spec.versions.iter();
        versions.any(|it| Some(it.name.as_str()) == version)
    };
    let source = sources.iter().find(has_version).or(sources.first());
    source.map_or_else(String::new, |source| source.type_name.clone())
}

/// Returns the metadata that a user specifies; the rest belongs to the server.
fn metadata(source: &NamedCrd) -> ObjectMeta {
    let metadata = &source.crd.metadata;
    ObjectMeta {
        name: metadata.name.clone(),
        labels: metadata.labels.clone(),
        annotations: metadata.annotations.clone(),
        ..ObjectMeta::default()
    }
}

#[cfg(test)]
mod tests;
