use std::fmt;

use kube_core::GroupVersionKind;

use crate::client::{
    error::{JsonError, YamlError},
    gvk::Named,
};

/// Why an object cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// It is no JSON object.
    #[error("{place}no object in JSON: {source}")]
    Syntax {
        /// Where it is.
        place: Place,
        /// What is wrong, with line and column.
        source: JsonError,
    },
    /// It is no YAML.
    #[error("no YAML: {0}")]
    Yaml(#[source] YamlError),
    /// It does not say what it is.
    #[error("{place}the object says no kind: it needs `apiVersion` and `kind`")]
    NoKind {
        /// Where it is.
        place: Place,
    },
    /// There is no type for its kind.
    #[error("{place}no type is registered for {}{}", Named(.gvk), near(.nearest))]
    Unregistered {
        /// Where it is.
        place: Place,
        /// What it says that it is.
        gvk: Box<GroupVersionKind>,
        /// The registered kind that is most like it, if one is.
        nearest: Option<Box<GroupVersionKind>>,
    },
    /// It does not fit its type.
    #[error("{0}")]
    TypeMismatch(#[source] Box<TypeMismatch>),
    /// It is a list, where one object is wanted.
    #[error("{place}a list is no object: `decode_all` takes lists apart")]
    List {
        /// Where it is.
        place: Place,
    },
}

/// An object that does not fit its type.
#[derive(Debug, thiserror::Error)]
#[error("{place}{} does not fit its type{}: {source}", named(.gvk, .name), at(.path))]
#[non_exhaustive]
pub struct TypeMismatch {
    /// Where it is.
    pub place: Place,
    /// What it says that it is.
    pub gvk: GroupVersionKind,
    /// Its name, where it can be read.
    pub name: Option<String>,
    /// The path in it, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// What its `Deserialize` says.
    pub source: JsonError,
}

/// Two types say that they are the same kind.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "two types are registered for {}: `{registered}` and `{rejected}`; give one another version, or leave it out",
    Named(.gvk)
)]
#[non_exhaustive]
pub struct DuplicateKind {
    /// The kind.
    pub gvk: GroupVersionKind,
    /// The type that was there first.
    pub registered: &'static str,
    /// The type that came second.
    pub rejected: &'static str,
}

/// Where an object stands in what is read.
///
/// Its text goes before a message: `document 2 (line 14), item 3: `.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The number of the document, from 1, not counting empty ones; `None` in JSON.
    pub document: Option<usize>,
    /// The line that the document begins on, from 1.
    pub line: Option<u64>,
    /// The numbers of the items, from 0, in a list and the lists in it.
    pub items: Vec<usize>,
}

impl Place {
    pub(super) fn item(&self, index: usize) -> Self {
        let mut place = self.clone();
        place.items.push(index);
        place
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(document) = self.document {
            let line = self.line.map(|line| format!(" (line {line})"));
            parts.push(format!("document {document}{}", line.unwrap_or_default()));
        }
        parts.extend(self.items.iter().map(|item| format!("item {item}")));
        match parts.is_empty() {
            true => Ok(()),
            false => write!(f, "{}: ", parts.join(", ")),
        }
    }
}

impl DecodeError {
    pub(super) fn syntax(place: Place, source: serde_json::Error) -> Self {
        let source = source.into();
        Self::Syntax { place, source }
    }
}

fn near(nearest: &Option<Box<GroupVersionKind>>) -> String {
    match nearest {
        Some(nearest) => format!("; the nearest that is: {}", Named(nearest)),
        None => String::new(),
    }
}

fn named(gvk: &GroupVersionKind, name: &Option<String>) -> String {
    match name {
        Some(name) => format!("{} `{name}`", gvk.kind),
        None => format!("the {}", gvk.kind),
    }
}

fn at(path: &Option<String>) -> String {
    path.as_ref()
        .map(|path| format!(" at `{path}`"))
        .unwrap_or_default()
}
