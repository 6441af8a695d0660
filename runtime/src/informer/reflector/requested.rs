//! What a reflector requested, to check responses against.

use crate::{
    client::{
        endpoint::RequestTarget,
        error::Excerpt,
        response_kind::{ExpectedTypes, Mismatch, NotExpected},
    },
    informer::{
        decode::{self, Identity},
        error::WatchError,
    },
};

/// The requested kind and namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requested<'a> {
    expected: &'a ExpectedTypes,
    /// `None` for all namespaces and for cluster-scoped kinds.
    namespace: Option<&'a str>,
}

impl<'a> Requested<'a> {
    pub(super) fn new(expected: &'a ExpectedTypes, namespace: Option<&'a str>) -> Self {
        Self { expected, namespace }
    }

    pub(super) fn from(endpoint: &'a RequestTarget) -> Self {
        Self::new(endpoint.expected(), endpoint.namespace())
    }

    /// Checks an item of a list, which may omit its kind, because the list has it.
    pub(super) fn check_item(&self, identity: &Identity<'_>) -> Result<(), WatchError> {
        let (api_version, kind) = (identity.api_version.as_deref(), identity.kind.as_deref());
        if api_version.is_some() || kind.is_some() {
            self.expected.check_object(api_version, kind)?;
        }
        self.check_namespace(identity)
    }

    pub(super) fn check_event(&self, json: &str, identity: &Identity<'_>) -> Result<(), WatchError> {
        if identity.resource_version.is_empty() {
            return Err(decode::missing("metadata.resourceVersion").into());
        }
        match (&identity.api_version, &identity.kind) {
            (Some(api_version), Some(kind)) => {
                self.expected.check_object(Some(api_version), Some(kind))?;
            }
            // They may follow the metadata.
            _ => self.check_types(json)?,
        }
        self.check_namespace(identity)
    }

    /// Checks that the text of an object or a bookmark has the requested kind.
    pub(super) fn check_types(&self, json: &str) -> Result<(), WatchError> {
        self.expected.check_text(json).map_err(|error| match error {
            NotExpected::Mismatch(mismatch) => mismatch.into(),
            NotExpected::Malformed(error) => decode::Malformed::from(error).into(),
        })
    }

    /// Checks the namespace: a list of one namespace could never remove the objects of another.
    fn check_namespace(&self, identity: &Identity<'_>) -> Result<(), WatchError> {
        let found = identity.namespace.as_deref();
        match self.namespace {
            Some(expected_namespace) if found != Some(expected_namespace) => {
                let found = Excerpt(found.unwrap_or("none"));
                let expected_namespace = format!("objects of the namespace `{expected_namespace}`");
                Err(Mismatch::new(expected_namespace, format!("one of `{found}`")).into())
            }
            _ => Ok(()),
        }
    }
}
