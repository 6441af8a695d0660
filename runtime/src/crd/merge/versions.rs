//! Rules about the versions of a kind, and their order.

use std::cmp::Reverse;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionVersion;
use kube_core::Version as Name;

use crate::crd::{
    crd_accessors,
    merge::{MergeProblem, NamedCrd},
};

/// All versions of all sources, in the order in which they were added.
pub(super) struct VersionList {
    versions: Vec<Version>,
    empty: Vec<MergeProblem>,
}

impl VersionList {
    pub(super) fn of(sources: &[NamedCrd]) -> Self {
        let empty = sources.iter().filter(|source| source.crd.spec.versions.is_empty());
        Self {
            versions: sources.iter().flat_map(versions).collect(),
            empty: empty.map(|source| MergeProblem::EmptyVersions { type_name: source.type_name.clone() }).collect(),
        }
    }

    /// Makes the version with this name the only storage version.
    pub(super) fn store(&mut self, name: &str) -> Option<MergeProblem> {
        for version in &mut self.versions {
            version.spec.storage = version.spec.name == name;
        }
        if self.storage().is_some() {
            return None;
        }
        let names = self.versions.iter();
        let versions = names.map(|version| version.spec.name.clone()).collect();
        // The first version becomes the storage version, to avoid follow-up errors.
        if let Some(first) = self.versions.first_mut() {
            first.spec.storage = true;
        }
        Some(MergeProblem::UnknownStorageVersion { version: name.to_owned(), versions })
    }

    pub(super) fn storage(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.spec.storage)
    }

    /// Returns the versions that are served but not stored.
    pub(super) fn served_not_stored(&self) -> impl Iterator<Item = &Version> {
        let versions = self.versions.iter();
        versions.filter(|version| version.spec.served && !version.spec.storage)
    }

    pub(super) fn problems(&self) -> Vec<MergeProblem> {
        let mut problems = self.empty.clone();
        problems.extend(self.same_names());
        problems.extend(self.storage_problems());
        problems.extend(self.selectable_fields());
        problems
    }

    fn same_names(&self) -> impl Iterator<Item = MergeProblem> {
        self.versions.iter().enumerate().filter_map(|(index, second)| {
            let mut earlier = self.versions[..index].iter();
            let first = earlier.find(|first| first.spec.name == second.spec.name)?;
            Some(MergeProblem::SameVersion {
                version: second.spec.name.clone(),
                first: first.type_name.clone(),
                second: second.type_name.clone(),
            })
        })
    }

    fn storage_problems(&self) -> Vec<MergeProblem> {
        let mut stored = self.versions.iter().filter(|version| version.spec.storage);
        let Some(first) = stored.next() else {
            return self.no_storage().into_iter().collect();
        };
        stored
            .map(|second| MergeProblem::MultipleStorageVersions {
                first: first.type_name.clone(),
                second: second.type_name.clone(),
            })
            .collect()
    }

    /// Returns a problem unless there are no versions at all, which is reported separately.
    fn no_storage(&self) -> Option<MergeProblem> {
        (!self.versions.is_empty()).then(|| MergeProblem::NoStorageVersion {
            types: self.versions.iter().map(|version| version.type_name.clone()).collect(),
        })
    }

    /// The server moves schemas and selectable fields that all versions share to the top level, independently of each
    /// other, and then rejects selectable fields that are not on the same level as the schemas.
    fn selectable_fields(&self) -> Option<MergeProblem> {
        let (first, others) = self.versions.split_first()?;
        let fields = |version: &Version| version.spec.selectable_fields.clone().unwrap_or_default();
        let has_same_schema =
            |other: &&Version| match (crd_accessors::schema(&other.spec), crd_accessors::schema(&first.spec)) {
                (Some(one), Some(other)) => crd_accessors::are_equal(one, other),
                (one, other) => one.is_none() && other.is_none(),
            };
        let other_schema = others.iter().find(|other| !has_same_schema(other));
        let other_fields = others.iter().find(|other| fields(other) != fields(first));
        let types = |second: &Version| (first.type_name.clone(), second.type_name.clone());
        match (other_schema, other_fields) {
            (None, Some(second)) => {
                let (first, second) = types(second);
                Some(MergeProblem::DifferentSelectableFields { first, second })
            }
            (Some(second), None) if !fields(first).is_empty() => {
                let (first, second) = types(second);
                Some(MergeProblem::SameSelectableFields { first, second })
            }
            _ => None,
        }
    }

    /// Returns the versions in Kubernetes' priority order.
    pub(super) fn by_priority(self) -> Vec<CustomResourceDefinitionVersion> {
        let mut versions: Vec<_> = self.versions.into_iter().map(|version| version.spec).collect();
        sort_by_priority(&mut versions, |version| &version.name);
        versions
    }
}

/// A version, and the name of its source.
pub(super) struct Version {
    pub(super) type_name: String,
    pub(super) spec: CustomResourceDefinitionVersion,
}

fn versions(source: &NamedCrd) -> impl Iterator<Item = Version> {
    source.crd.spec.versions.iter().map(|spec| Version { type_name: source.type_name.clone(), spec: spec.clone() })
}

/// Sorts the names of versions in Kubernetes' priority order.
pub fn sort_by_priority<T>(versions: &mut [T], name: impl Fn(&T) -> &str) {
    versions.sort_by_cached_key(|version| Reverse(kube_like(name(version)).priority()));
}

/// Parses a version name. Kubernetes sorts an alpha or beta version without a number like any other name.
fn kube_like(name: &str) -> Name {
    match Name::parse(name) {
        Name::Alpha(_, None) | Name::Beta(_, None) => Name::Nonconformant(name.to_owned()),
        parsed => parsed,
    }
}
