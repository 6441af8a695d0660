//! What a reflector requested, and whether an answer is that.

use kube_core::Resource;

use crate::{
    client::{
        endpoint::Endpoint,
        error::Excerpt,
        expected::{ExpectedTypes, Mismatch, NotExpected},
    },
    informer::{
        decode::{self, Identity},
        error::WatchError,
    },
};

/// Of which kind and namespace objects are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requested<'a> {
    expected: &'a ExpectedTypes,
    /// `None` for all, and for kinds of the cluster.
    namespace: Option<&'a str>,
}

impl<'a> Requested<'a> {
    pub(super) fn new(expected: &'a ExpectedTypes, namespace: Option<&'a str>) -> Self {
        Self {
            expected,
            namespace,
        }
    }

    pub(super) fn from<K: Resource>(endpoint: &'a Endpoint<K>) -> Self {
        Self::new(endpoint.expected(), endpoint.namespace())
    }

    /// Items of lists need not name their kind: the list does.
    pub(super) fn check_item(&self, identity: &Identity<'_>) -> Result<(), WatchError> {
        let (api_version, kind) = (identity.api_version.as_deref(), identity.kind.as_deref());
        if api_version.is_some() || kind.is_some() {
            self.expected.check_object(api_version, kind)?;
        }
        self.check_namespace(identity)
    }

    pub(super) fn check_event(
        &self,
        json: &str,
        identity: &Identity<'_>,
    ) -> Result<(), WatchError> {
        if identity.resource_version.is_empty() {
            return Err(decode::missing("metadata.resourceVersion").into());
        }
        match (&identity.api_version, &identity.kind) {
            (Some(api_version), Some(kind)) => {
                self.expected.check_object(Some(api_version), Some(kind))?;
            }
            // They may stand behind the metadata.
            _ => self.check_types(json)?,
        }
        self.check_namespace(identity)
    }

    /// Whether the text of an object or a bookmark names the kind.
    pub(super) fn check_types(&self, json: &str) -> Result<(), WatchError> {
        self.expected.check_text(json).map_err(|error| match error {
            NotExpected::Mismatch(mismatch) => mismatch.into(),
            NotExpected::Malformed(error) => decode::Malformed::from(error).into(),
        })
    }

    /// A watch of one namespace has no objects of others: no list of it would ever show that they are gone.
    fn check_namespace(&self, identity: &Identity<'_>) -> Result<(), WatchError> {
        let found = identity.namespace.as_deref();
        match self.namespace {
            Some(wanted) if found != Some(wanted) => {
                let found = Excerpt(found.unwrap_or("none"));
                let wanted = format!("objects of the namespace `{wanted}`");
                Err(Mismatch::new(wanted, format!("one of `{found}`")).into())
            }
            _ => Ok(()),
        }
    }
}
