use std::fmt;

use kube_core::{GroupVersionKind, Version};

use crate::client::gvk::DisplayGvk;

/// The group, version and name of a resource in URLs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupVersionResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The name in URLs, such as `virtualmachines`.
    pub resource: String,
}

impl GroupVersionResource {
    /// Creates a resource from its group, version and name in URLs.
    pub fn new(group: &str, version: &str, resource: &str) -> Self {
        Self { group: group.to_owned(), version: version.to_owned(), resource: resource.to_owned() }
    }
}

/// A reference to a resource.
///
/// A word is a plural, a singular, a kind or a short name, in any case, alone, with its group, or with its version and
/// group: `vm`, `virtualmachines.infra.example.com`, `VirtualMachine.v1.infra.example.com`, `pods.v1`. A plural takes
/// precedence over a singular or a kind, and these over a short name. If several groups have the same name, the core
/// group takes precedence; among other groups the name is ambiguous. Without a version, the preferred one is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceArg {
    /// Any of its names.
    Word(String),
    /// Its kind.
    Kind(GroupVersionKind),
    /// Its name in URLs.
    Resource(GroupVersionResource),
}

impl From<&str> for ResourceArg {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<&String> for ResourceArg {
    fn from(word: &String) -> Self {
        Self::Word(word.clone())
    }
}

impl From<String> for ResourceArg {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl From<GroupVersionKind> for ResourceArg {
    fn from(kind: GroupVersionKind) -> Self {
        Self::Kind(kind)
    }
}

impl From<&GroupVersionKind> for ResourceArg {
    fn from(kind: &GroupVersionKind) -> Self {
        Self::Kind(kind.clone())
    }
}

impl From<GroupVersionResource> for ResourceArg {
    fn from(resource: GroupVersionResource) -> Self {
        Self::Resource(resource)
    }
}

impl fmt::Display for ResourceArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{word}`"),
            Self::Kind(kind) => write!(f, "kind {}", DisplayGvk(kind)),
            Self::Resource(resource) => {
                let (group, version) = (&resource.group, &resource.version);
                let slash = if group.is_empty() { "" } else { "/" };
                write!(f, "`{}` of {group}{slash}{version}", resource.resource)
            }
        }
    }
}

/// One interpretation of a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Interpretation<'a> {
    pub(super) name: &'a str,
    pub(super) group: Option<&'a str>,
    pub(super) version: Option<&'a str>,
}

/// Returns the interpretations of a word, the most specific one first.
pub(super) fn interpretations(word: &str) -> Vec<Interpretation<'_>> {
    let reading = |name, version, group| Interpretation { name, group, version };
    let Some((name, rest)) = word.split_once('.') else {
        return vec![reading(word, None, None)];
    };
    let rest = rest.trim_end_matches('.');
    let mut interpretations = Vec::new();
    if let Some((version, group)) = rest.split_once('.') {
        interpretations.push(reading(name, Some(version), Some(group)));
    }
    interpretations.push(reading(name, None, Some(rest)));
    if !matches!(Version::parse(rest), Version::Nonconformant(_)) {
        interpretations.push(reading(name, Some(rest), None));
    }
    interpretations
}
