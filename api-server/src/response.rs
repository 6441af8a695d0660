//! Responses, before they are written in the requested form.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use super::{failure::Failure, negotiation::MediaType, open_watches::ControlledWatch, store::Stored};

pub(super) mod encode;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "protobuf")]
mod protobuf;

/// What a request results in.
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) content: Content,
    pub(super) media_type: MediaType,
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
    /// The keys of tokens.
    #[cfg(feature = "signed-tokens")]
    Keys(Value),
    Text(Cow<'static, str>),
    /// A document in a media type of its own.
    #[cfg(feature = "protobuf")]
    Bytes(&'static str, Bytes),
}

/// An object after a write, in the version of the request.
pub(super) struct Written {
    pub(super) object: Value,
    /// The object as a line of JSON, if it was stored in this version.
    pub(super) json: Option<Bytes>,
}

impl From<Value> for Written {
    fn from(object: Value) -> Self {
        Self { object, json: None }
    }
}

/// A page of a list.
pub(super) struct List {
    /// Lists of custom resources have `metadata.continue` even if it is empty.
    pub(super) is_custom: bool,
    pub(super) kind: String,
    pub(super) api_version: String,
    /// `None` if the objects are not stored.
    pub(super) revision: Option<u64>,
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
        Self { code, content, media_type: MediaType::default() }
    }

    pub(super) fn of_failure(failure: &Failure) -> Self {
        Self::new(failure.code, Content::Document(failure.to_json()))
    }

    pub(super) fn in_media_type(self, media_type: MediaType) -> Self {
        Self { media_type, ..self }
    }

    /// The server answers unknown paths in plain text.
    pub(super) fn no_such_path() -> Self {
        Self::new(404, Content::Text("404 page not found\n".into()))
    }
}
