//! Rules about names, the group, the scope and the versions as a whole.

use std::collections::HashSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion,
};

use super::{Violations, is};
use crate::merge::list_kind;

const MAX_SUBDOMAIN: usize = 253;
const MAX_LABEL: usize = 63;
const MAX_WARNING: usize = 256;

pub(super) fn check(crd: &CustomResourceDefinition, violations: &mut Violations) {
    let spec = &crd.spec;
    name(crd, violations);
    group(&spec.group, violations);
    scope(&spec.scope, violations);
    names(crd, violations);
    versions(spec, violations);
    if is(spec.preserve_unknown_fields) {
        violations.add(
            "spec.preserveUnknownFields",
            "must not be true: say `x-kubernetes-preserve-unknown-fields` in the schema",
        );
    }
}

fn name(crd: &CustomResourceDefinition, violations: &mut Violations) {
    let expected = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    let name = crd.metadata.name.as_deref().unwrap_or_default();
    if name != expected {
        violations.add(
            "metadata.name",
            format!("`{name}` must be `{expected}`, the plural and the group"),
        );
    } else if name.len() > MAX_SUBDOMAIN {
        violations.add(
            "metadata.name",
            format!("plural and group have more than {MAX_SUBDOMAIN} characters together"),
        );
    }
}

fn group(group: &str, violations: &mut Violations) {
    if !is_subdomain(group) {
        violations.add(
            "spec.group",
            format!(
                "`{group}` is no DNS name: lower-case letters, digits, `-` and `.`, with a letter \
                 or digit at both ends of each part"
            ),
        );
    } else if !group.contains('.') {
        violations.add(
            "spec.group",
            format!("`{group}` has no dot: add a domain, as in `{group}.example.com`"),
        );
    }
}

fn scope(scope: &str, violations: &mut Violations) {
    if !["Cluster", "Namespaced"].contains(&scope) {
        violations.add(
            "spec.scope",
            format!("`{scope}` is neither `Cluster` nor `Namespaced`"),
        );
    }
}

fn names(crd: &CustomResourceDefinition, violations: &mut Violations) {
    let names = &crd.spec.names;
    label("spec.names.plural", &names.plural, violations);
    if let Some(singular) = &names.singular {
        label("spec.names.singular", singular, violations);
    }
    for (list, members) in [
        ("shortNames", &names.short_names),
        ("categories", &names.categories),
    ] {
        for (index, name) in members.iter().flatten().enumerate() {
            label(&format!("spec.names.{list}[{index}]"), name, violations);
        }
    }
    kinds(crd, violations);
}

fn kinds(crd: &CustomResourceDefinition, violations: &mut Violations) {
    let names = &crd.spec.names;
    let list_kind = list_kind(crd);
    let known = violations.found.len();
    kind("spec.names.kind", &names.kind, violations);
    // The server makes it from the kind, whose mistakes are not said twice.
    if names.list_kind.is_some() || violations.found.len() == known {
        kind("spec.names.listKind", &list_kind, violations);
    }
    if list_kind == names.kind {
        violations.add(
            "spec.names.listKind",
            format!("`{list_kind}` is the kind too: give lists a kind of their own"),
        );
    }
}

fn kind(path: &str, name: &str, violations: &mut Violations) {
    if !is_label(&name.to_lowercase()) {
        violations.add(
            path,
            format!(
                "`{name}` is no kind: at most {MAX_LABEL} letters, digits and `-`, a letter first, \
                 no `-` last"
            ),
        );
    }
}

fn versions(spec: &CustomResourceDefinitionSpec, violations: &mut Violations) {
    let mut names = HashSet::new();
    for (index, version) in spec.versions.iter().enumerate() {
        let path = format!("spec.versions[{index}].name");
        label(&path, &version.name, violations);
        if !names.insert(&version.name) {
            violations.add(&path, format!("there are two versions `{}`", version.name));
        }
        deprecation(version, violations);
    }
    let stored = spec.versions.iter().filter(|version| version.storage);
    let stored: Vec<_> = stored.map(|version| version.name.as_str()).collect();
    match stored[..] {
        [_] => {}
        [] => violations.add(
            "spec.versions",
            "no version is the storage version: one must be",
        ),
        _ => violations.add(
            "spec.versions",
            format!(
                "only one version can be the storage version, not {}",
                stored.join(", ")
            ),
        ),
    }
}

fn deprecation(version: &CustomResourceDefinitionVersion, violations: &mut Violations) {
    let Some(warning) = &version.deprecation_warning else {
        return;
    };
    let mistake = if !is(version.deprecated) {
        "the version is not deprecated".to_owned()
    } else if warning.is_empty() {
        "the warning is empty".to_owned()
    } else if warning.len() > MAX_WARNING {
        format!("the warning has {} bytes, of {MAX_WARNING}", warning.len())
    } else if let Some(c) = warning.chars().find(|c| !is_printable(*c)) {
        format!("the warning has {c:?}, which cannot be printed")
    } else {
        return;
    };
    violations.add(&format!("{}.deprecationWarning", version.name), mistake);
}

fn is_printable(c: char) -> bool {
    c == ' ' || !c.is_control() && !c.is_whitespace()
}

fn label(path: &str, name: &str, violations: &mut Violations) {
    if !is_label(name) {
        violations.add(
            path,
            format!(
                "`{name}` is no DNS label: at most {MAX_LABEL} lower-case letters, digits and `-`, \
                 a letter first, no `-` last"
            ),
        );
    }
}

/// RFC 1035.
fn is_label(name: &str) -> bool {
    name.len() <= MAX_LABEL && name.starts_with(|c: char| c.is_ascii_lowercase()) && is_part(name)
}

/// RFC 1123.
fn is_subdomain(name: &str) -> bool {
    name.len() <= MAX_SUBDOMAIN && name.split('.').all(is_part)
}

fn is_part(part: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !part.is_empty() && part.chars().all(is_inner) && !part.starts_with('-') && !part.ends_with('-')
}

#[cfg(test)]
mod tests;
