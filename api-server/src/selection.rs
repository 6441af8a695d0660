//! The selection of the objects that a request reads, watches or deletes.

use crdkit::__internal::field_selector::FieldSelector;
use serde_json::Value;

use super::{
    failure::Failure,
    request::ResourceRequest,
    selector::{
        fields,
        labels::LabelSelector,
        shards::{self, ShardSelector},
    },
    store::Stored,
    webhook_calls::Stop,
};

/// The selectors of a request.
pub(super) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
    /// `None` unless the server supports them.
    shards: Option<ShardSelector>,
}

impl Selection {
    /// Shard selectors have no effect unless the server supports them.
    pub(super) fn parse(call: &ResourceRequest, has_shards: bool) -> Result<Self, Failure> {
        let labels = LabelSelector::parse(call.query.get("labelSelector"));
        let fields = fields::parse(call.query.get("fieldSelector"), &call.resource, call.version());
        let shards = if has_shards { shards::parse(call.query.get("shardSelector")) } else { Ok(None) };
        Ok(Self {
            labels: labels.map_err(Failure::bad_request)?,
            fields: fields.map_err(Failure::bad_request)?,
            shards: shards.map_err(Failure::internal)?,
        })
    }

    /// Returns whether there are no selectors.
    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty() && self.shards.is_none()
    }

    /// Returns whether a stored object is selected. One that cannot be read is, so that the request fails because of it.
    pub(super) fn selects(&self, call: &ResourceRequest, stored: &Stored) -> Result<bool, Stop> {
        if self.is_everything() {
            return Ok(true);
        }
        match call.resource.decode(&call.external, stored, call.version) {
            Ok(object) => Ok(self.matches(&object)),
            Err(Stop::Fails(_)) => Ok(true),
            Err(stop) => Err(stop),
        }
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        self.labels.matches(object)
            && self.fields.matches(object)
            && self.shards.as_ref().is_none_or(|shards| shards.matches(object))
    }

    /// Returns the shard selector.
    pub(super) fn shards(&self) -> Option<String> {
        self.shards.as_ref().map(ShardSelector::text)
    }
}
