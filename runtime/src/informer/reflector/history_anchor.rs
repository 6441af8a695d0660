//! Events that identify a history of the API server.

use crate::informer::store::Fingerprint;

/// An event that identifies a history of the API server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) version: u64,
    fingerprint: Fingerprint,
    deleted: bool,
}

impl Anchor {
    /// Creates an anchor; `None` if the resourceVersion is not a number.
    pub(super) fn new(version: &str, fingerprint: Fingerprint, deleted: bool) -> Option<Self> {
        let version = version.parse().ok()?;
        Some(Self { version, fingerprint, deleted })
    }

    /// Returns the resourceVersion after which a watch starts with this event.
    pub(super) fn version_before(&self) -> String {
        self.version.saturating_sub(1).to_string()
    }
}

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version && self.deleted == other.deleted && self.fingerprint.matches(other.fingerprint)
    }
}

impl Eq for Anchor {}
