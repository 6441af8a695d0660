//! Responses, before they are written in the requested form.

use std::sync::Arc;

use serde_json::Value;

use super::{open_watches::ControlledWatch, store::Stored, write::Written};

/// What a request results in.
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// An object in the requested version.
    Object(Value),
    Written(Written),
    /// An object that is stored in the requested version.
    Stored(Arc<Stored>),
    List(List),
    Watch(ControlledWatch),
    /// A document that is no object of a resource: a Status, discovery, OpenAPI.
    Document(Value),
    /// Aggregated discovery.
    Discovery(Value),
    Text(&'static str),
}

/// A page of a list.
pub(super) struct List {
    /// Lists of custom resources have `metadata.continue` even if it is empty.
    pub(super) is_custom: bool,
    pub(super) kind: String,
    pub(super) api_version: String,
    pub(super) revision: u64,
    /// The token for the next page.
    pub(super) next: Option<String>,
    pub(super) remaining: Option<usize>,
    /// The shard selector.
    pub(super) shards: Option<String>,
    pub(super) items: Items,
}

pub(super) enum Items {
    /// Objects that are stored in the requested version.
    Stored(Vec<Arc<Stored>>),
    Objects(Vec<Value>),
}

impl Reply {
    pub(super) fn new(code: u16, content: Content) -> Self {
        Self { code, content }
    }
}
