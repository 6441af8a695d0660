//! Compares the kinds of a program with those that the API server serves.

use std::collections::BTreeSet;

use kube_core::GroupVersionKind;

use super::PreflightProblem;
use crate::{
    client::discovery::{ApiResources, ServedResource},
    controller::requirements::RequiredKind,
};

/// Returns what differs. Kinds of groups that do not respond are logged.
pub(super) fn problems(kinds: &BTreeSet<RequiredKind>, served: &ApiResources) -> Vec<PreflightProblem> {
    let mut problems = Vec::new();
    for kind in kinds {
        for problem in problems_of(kind, served) {
            // A kind may be used in several ways.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    problems
}

fn problems_of(kind: &RequiredKind, served: &ApiResources) -> Vec<PreflightProblem> {
    let of_version = |resource: &&ServedResource| resource.group == kind.group && resource.version == kind.version;
    let all = || served.resources().map(AsRef::as_ref);
    if let Some(resource) = all().filter(of_version).find(|resource| resource.plural == kind.plural) {
        return differences(kind, resource);
    }
    if let Some(other) = all().filter(of_version).find(|resource| resource.kind == kind.kind) {
        let (plural, served) = (kind.plural.clone(), other.plural.clone());
        return vec![PreflightProblem::OtherPlural { kind: gvk(kind), plural, served }];
    }
    if let Some(group) = served.unavailable.iter().find(|unavailable| unavailable.group == kind.group) {
        let (kind, reason) = (&kind.kind, &group.reason);
        tracing::warn!(kind, reason, "it was not checked whether the API server serves a kind");
        return Vec::new();
    }
    let versions = all()
        .filter(|resource| resource.group == kind.group && resource.kind == kind.kind)
        .map(|resource| resource.version.clone())
        .collect();
    vec![PreflightProblem::NotServed { kind: gvk(kind), versions }]
}

fn differences(kind: &RequiredKind, served: &ServedResource) -> Vec<PreflightProblem> {
    let other_kind = (served.kind != kind.kind)
        .then(|| PreflightProblem::OtherKind { kind: gvk(kind), served: served.kind.clone() });
    let other_scope = (served.is_namespaced() != kind.is_namespaced)
        .then(|| PreflightProblem::OtherScope { kind: gvk(kind), is_namespaced: served.is_namespaced() });
    let is_served = |name: &String| served.subresources.iter().any(|subresource| subresource.name == *name);
    let missing = kind
        .subresources
        .iter()
        .filter(|name| !is_served(name))
        .cloned()
        .map(|subresource| PreflightProblem::NoSubresource { kind: gvk(kind), subresource });
    other_kind.into_iter().chain(other_scope).chain(missing).collect()
}

fn gvk(kind: &RequiredKind) -> GroupVersionKind {
    GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind)
}
