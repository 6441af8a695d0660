use std::fmt;

use super::Excerpt;
use crate::client::request::Verb;

/// The operation of a request, and its target.
///
/// It displays as the continuation of "cannot": `update the status of VirtualMachine web in namespace default`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOperation {
    /// The verb.
    pub verb: Verb,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind, such as `VirtualMachine`.
    pub kind: String,
    /// The name in URLs, such as `virtualmachines`.
    pub plural: String,
    /// The subresource, such as `status`.
    pub subresource: Option<&'static str>,
    /// The namespace; `None` for all namespaces, and for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name of the object; `None` for a collection, and for an object whose name the API server generates.
    pub name: Option<String>,
    /// The `generateName` of an object that is created without a name.
    pub generate_name: Option<String>,
    /// Whether errors quote the values of objects.
    pub(crate) quotes_values: bool,
}

impl ClientOperation {
    /// Returns the addition to the message of an error after which the change may or may not have been made.
    pub(super) fn unknown_outcome_unless(&self, is_known: bool) -> &'static str {
        if self.verb.is_write() && !is_known {
            "; it is unknown whether the change was made: read the object before you retry"
        } else {
            ""
        }
    }

    pub(super) fn advice_after_timeout(&self) -> &'static str {
        if self.verb.is_write() {
            "it is unknown whether the change was made: read the object before you retry"
        } else {
            "retry later"
        }
    }
}

impl fmt::Display for ClientOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.verb {
            Verb::Update => "replace",
            Verb::DeleteCollection => "delete",
            verb => verb.as_str(),
        };
        write!(f, "{verb} ")?;
        if let Some(subresource) = self.subresource {
            write!(f, "the {subresource} of ")?;
        }
        match (&self.name, &self.generate_name) {
            (Some(name), _) => write!(f, "{} `{}`", self.kind, Excerpt(name))?,
            (None, Some(prefix)) => write!(f, "a {} with generateName `{}`", self.kind, Excerpt(prefix))?,
            (None, None) if self.verb == Verb::Create => write!(f, "a {}", self.kind)?,
            (None, None) => f.write_str(&self.plural)?,
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace `{namespace}`"),
            None => Ok(()),
        }
    }
}
