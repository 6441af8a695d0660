//! Several versions of one kind, joined into one CustomResourceDefinition.
//!
//! ```
//! # use crdkit::merge::Versions;
//! # use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
//! # fn at(version: &str, storage: bool) -> CustomResourceDefinition {
//! #     serde_json::from_value(serde_json::json!({
//! #         "metadata": { "name": "ats.example.com" },
//! #         "spec": {
//! #             "group": "example.com",
//! #             "names": { "kind": "At", "plural": "ats" },
//! #             "scope": "Namespaced",
//! #             "versions": [{
//! #                 "name": version, "served": true, "storage": storage,
//! #                 "schema": { "openAPIV3Schema": { "type": "object" } },
//! #             }],
//! #         },
//! #     })).unwrap()
//! # }
//! # let (v1alpha1, v1) = (at("v1alpha1", false), at("v1", true));
//! // Types are added with `.add::<At>()`, hand-made definitions with a name for error messages.
//! let merged = Versions::new()
//!     .add_crd("v1alpha1.yaml", v1alpha1)
//!     .add_crd("v1.yaml", v1)
//!     .merge()?;
//!
//! let names: Vec<_> = merged.crd.spec.versions.iter().map(|version| &*version.name).collect();
//! assert_eq!(names, ["v1", "v1alpha1"]);
//! assert!(merged.warnings.is_empty());
//! # Ok::<(), crdkit::merge::MergeError>(())
//! ```

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::definition::CustomResource;

mod agreement;
mod error;
mod pruning;
mod source;
mod versions;

pub(crate) use agreement::{list_kind, singular};
pub use error::{MergeError, Unrendered, Violation, Warning};
pub(crate) use source::Source;
use versions::VersionList;

/// The versions of one kind, to be merged.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is merged before `merge` is called"]
pub struct Versions {
    sources: Vec<Source>,
    unrendered: Vec<Unrendered>,
    storage: Option<String>,
}

/// One CustomResourceDefinition with all versions, and what to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The definition, with its versions in Kubernetes' order of priority: the preferred one first.
    pub crd: CustomResourceDefinition,
    /// What the API server accepts, and users may regret.
    pub warnings: Vec<Warning>,
}

impl Versions {
    /// No versions.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of(sources: Vec<Source>) -> Self {
        Self {
            sources,
            ..Self::default()
        }
    }

    /// Adds the version that `K` is.
    pub fn add<K: CustomResource>(mut self) -> Self {
        match Source::of::<K>() {
            Ok(source) => self.sources.push(source),
            Err(unrendered) => self.unrendered.push(unrendered),
        }
        self
    }

    /// Adds all versions of a definition that was not made from a type. Errors call it by `name`.
    pub fn add_crd(mut self, name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        self.sources.push(Source::new(name, crd));
        self
    }

    /// Stores objects in the version of this name, whatever the versions say themselves.
    pub fn storage(mut self, version: impl Into<String>) -> Self {
        self.storage = Some(version.into());
        self
    }

    /// Joins the versions.
    ///
    /// Group, scope, names, labels and annotations must agree, version names must be unique, and
    /// exactly one version must be the storage version.
    ///
    /// # Errors
    ///
    /// Every violation of these rules, with the names of the types that cause it.
    pub fn merge(self) -> Result<Merged, MergeError> {
        if !self.unrendered.is_empty() {
            return Err(self.unrendered.into_iter().collect());
        }
        let Some(first) = self.sources.first() else {
            return Err(MergeError::from_iter([Violation::Nothing]));
        };
        let mut versions = VersionList::of(&self.sources);
        let mut violations = agreement::violations(&self.sources);
        if let Some(storage) = &self.storage {
            violations.extend(versions.store(storage));
        }
        violations.extend(versions.violations());
        if !violations.is_empty() {
            return Err(violations.into_iter().collect());
        }
        let conversion = agreement::conversion(&self.sources);
        Ok(Merged {
            warnings: match conversion {
                Some(_) => Vec::new(),
                None => pruning::warnings(&versions),
            },
            crd: CustomResourceDefinition {
                metadata: metadata(first),
                spec: CustomResourceDefinitionSpec {
                    conversion: conversion.cloned(),
                    versions: versions.by_priority(),
                    ..first.crd.spec.clone()
                },
                status: None,
            },
        })
    }
}

/// What a user says about a definition; the rest of the metadata is the server's.
fn metadata(source: &Source) -> ObjectMeta {
    let said = &source.crd.metadata;
    ObjectMeta {
        name: said.name.clone(),
        labels: said.labels.clone(),
        annotations: said.annotations.clone(),
        ..ObjectMeta::default()
    }
}

#[cfg(test)]
mod tests;
