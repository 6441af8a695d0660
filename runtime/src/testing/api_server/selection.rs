//! Which objects of a collection a request is about.

use serde_json::Value;

use super::{failure::Failure, request::Call, store::Key};

/// The label and field selectors of a request.
pub(super) struct Selection {}

impl Selection {
    pub(super) fn parse(call: &Call) -> Result<Self, Failure> {
        let _ = call;
        Ok(Self {})
    }

    /// Returns whether there are no selectors.
    pub(super) fn is_everything(&self) -> bool {
        true
    }

    pub(super) fn matches(&self, call: &Call, key: &Key, object: &Value) -> bool {
        let _ = (call, key, object);
        true
    }
}
