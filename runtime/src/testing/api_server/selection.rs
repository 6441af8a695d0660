//! The selection of the objects that a request reads, watches or deletes.

use serde_json::Value;

use super::{
    failure::Failure,
    request::Call,
    selector::{fields::FieldSelector, labels::LabelSelector},
};

/// The label and field selectors of a request.
pub(super) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    pub(super) fn parse(call: &Call) -> Result<Self, Failure> {
        let labels = LabelSelector::parse(call.query.get("labelSelector"));
        let fields = FieldSelector::parse(call.query.get("fieldSelector"), &call.resource, call.version());
        Ok(Self { labels: labels.map_err(Failure::bad_request)?, fields: fields.map_err(Failure::bad_request)? })
    }

    /// Returns whether there are no selectors.
    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}
