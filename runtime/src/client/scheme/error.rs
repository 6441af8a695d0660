use std::fmt;

use kube_core::GroupVersionKind;

use crate::client::{
    error::{JsonError, YamlError},
    gvk::DisplayGvk,
};

/// Why an object cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input is not a JSON object.
    #[error("{position}not a JSON object: {source}")]
    Syntax {
        /// The position in the input.
        position: Position,
        /// The syntax error, with line and column.
        source: JsonError,
    },
    /// The input is not YAML.
    #[error("invalid YAML: {0}")]
    Yaml(#[source] YamlError),
    /// The object has no type information.
    #[error("{position}the object has no kind: set `apiVersion` and `kind`")]
    NoKind {
        /// The position in the input.
        position: Position,
    },
    /// No type is registered for the kind.
    #[error("{position}no type is registered for {}{}", DisplayGvk(.gvk), near(.nearest))]
    Unregistered {
        /// The position in the input.
        position: Position,
        /// The kind in the object.
        gvk: Box<GroupVersionKind>,
        /// The most similar registered kind, if there is one.
        nearest: Option<Box<GroupVersionKind>>,
    },
    /// The object does not match its type.
    #[error(transparent)]
    TypeMismatch(Box<TypeMismatch>),
    /// The input is a list where one object is expected.
    #[error("{position}expected an object, but found a list: use `decode_all` for lists")]
    List {
        /// The position in the input.
        position: Position,
    },
}

/// An object that does not match its type.
#[derive(Debug, thiserror::Error)]
#[error("{position}{} does not match its type{}: {source}", named(.gvk, .name), at(.path))]
#[non_exhaustive]
pub struct TypeMismatch {
    /// The position in the input.
    pub position: Position,
    /// The kind in the object.
    pub gvk: GroupVersionKind,
    /// The name, if it can be decoded.
    pub name: Option<String>,
    /// The path in the object, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// The error of the `Deserialize` implementation.
    pub source: JsonError,
}

/// Two types are registered for the same kind.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "two types are registered for {}: `{registered}` and `{rejected}`; change the version of one, or remove it",
    DisplayGvk(.gvk)
)]
#[non_exhaustive]
pub struct DuplicateKind {
    /// The kind.
    pub gvk: GroupVersionKind,
    /// The type that was registered first.
    pub registered: &'static str,
    /// The type that was registered second.
    pub rejected: &'static str,
}

/// The position of an object in the input.
///
/// It displays as the prefix of a message: `document 2 (line 14), items[3]: `.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The number of the document, from 1, without empty ones; `None` in JSON.
    pub document: Option<usize>,
    /// The first line of the document, from 1.
    pub line: Option<u64>,
    /// The indices, from 0, in a list and its nested lists.
    pub items: Vec<usize>,
}

impl Position {
    pub(super) fn item(&self, index: usize) -> Self {
        let mut position = self.clone();
        position.items.push(index);
        position
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(document) = self.document {
            let line = self.line.map(|line| format!(" (line {line})"));
            parts.push(format!("document {document}{}", line.unwrap_or_default()));
        }
        let items: Vec<_> = self.items.iter().map(|item| format!("items[{item}]")).collect();
        parts.extend((!items.is_empty()).then(|| items.join(".")));
        if parts.is_empty() { Ok(()) } else { write!(f, "{}: ", parts.join(", ")) }
    }
}

impl DecodeError {
    pub(super) fn syntax(position: Position, source: serde_json::Error) -> Self {
        let source = source.into();
        Self::Syntax { position, source }
    }
}

fn near(nearest: &Option<Box<GroupVersionKind>>) -> String {
    match nearest {
        Some(nearest) => format!("; the most similar registered kind is {}", DisplayGvk(nearest)),
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
    path.as_ref().map(|path| format!(" at `{path}`")).unwrap_or_default()
}
