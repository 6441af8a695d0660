//! Events by which a history is recognised.

use crate::informer::store::Fingerprint;

/// An event by which a history is recognised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) version: u64,
    fingerprint: Fingerprint,
    deleted: bool,
}

impl Anchor {
    /// `None` if the resourceVersion is no number.
    pub(super) fn new(version: &str, fingerprint: Fingerprint, deleted: bool) -> Option<Self> {
        let version = version.parse().ok()?;
        Some(Self {
            version,
            fingerprint,
            deleted,
        })
    }

    /// After which resourceVersion a watch begins with the event.
    pub(super) fn before(&self) -> String {
        self.version.saturating_sub(1).to_string()
    }
}

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
            && self.deleted == other.deleted
            && self.fingerprint.matches(other.fingerprint)
    }
}

impl Eq for Anchor {}
