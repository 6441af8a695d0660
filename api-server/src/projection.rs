//! Objects and lists in the representation that a client requests.

use http::header::ACCEPT;
use serde_json::{Value, json};

use super::{
    failure::Failure,
    negotiation::{self, MediaType, Projection},
    request::ResourceRequest,
    response::{Content, Items, List, Reply},
    table::{IncludeObject, Printer, TableOptions, partial_metadata, partial_metadata_list},
};

/// How the objects of a response are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    projection: Projection,
    pub(super) media_type: MediaType,
    include: IncludeObject,
    /// The time of the response, in seconds since the epoch.
    now: i64,
}

impl View {
    pub(super) fn of(call: &ResourceRequest, now: i64) -> Result<Self, Failure> {
        let negotiated = negotiation::projection(call.request.header(ACCEPT), call.resource.is_custom);
        let (projection, media_type) = negotiated.map_err(|message| {
            if call.resource.is_custom || message != negotiation::NO_REPRESENTATION {
                return not_acceptable(message);
            }
            // Lists may be watched too.
            let is_list = call.request.method == http::Method::GET && call.target.name.is_none();
            let media_types = ["application/json", "application/vnd.kubernetes.protobuf"];
            let streams = media_types.map(|it| format!(", {it};stream=watch")).concat();
            not_acceptable(&format!("{message}{}", if is_list { &streams } else { "" })).about("", "", "")
        })?;
        let include = match projection {
            Projection::Table(_) => {
                IncludeObject::parse(call.query.get("includeObject")).map_err(Failure::bad_request)?
            }
            _ => IncludeObject::default(),
        };
        Ok(Self { projection, media_type, include, now })
    }

    /// Returns the view at another time.
    pub(super) fn at(self, now: i64) -> Self {
        Self { now, ..self }
    }

    /// Writes a watch in the media type.
    pub(super) fn stream(self, reply: Reply) -> Result<Reply, Failure> {
        if self.media_type == MediaType::Yaml {
            return Err(not_acceptable(negotiation::NO_STREAM));
        }
        Ok(reply.in_media_type(self.media_type))
    }

    /// Shows the objects of a response.
    pub(super) fn apply(self, call: &ResourceRequest, reply: Reply) -> Result<Reply, Failure> {
        let reply = reply.in_media_type(self.media_type);
        if self.is_whole() {
            return Ok(reply);
        }
        let content = match reply.content {
            Content::Document(scale) if call.is_scale() => Content::Document(self.object(call, scale)?),
            Content::Object(object) => Content::Document(self.object(call, object)?),
            Content::Written(written) => Content::Document(self.object(call, written.object)?),
            Content::Stored(stored) => Content::Document(self.object(call, stored.value())?),
            Content::List(list) => Content::Document(self.list(call, &list)?),
            other => other,
        };
        Ok(Reply { content, ..reply })
    }

    fn object(self, call: &ResourceRequest, object: Value) -> Result<Value, Failure> {
        match self.projection {
            Projection::MetadataList(_) if call.resource.is_custom && !call.is_scale() => {
                Err(Failure::new(500, "", "content is not a list"))
            }
            Projection::MetadataList(_) => Err(not_acceptable(&format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
                if call.is_scale() { scale_type(call).to_owned() } else { go_type(call, call.kind()) }
            ))),
            _ => Ok(self.event(call, object, false)),
        }
    }

    /// Returns whether objects are shown as they are.
    pub(super) fn is_whole(self) -> bool {
        self.projection == Projection::Whole
    }

    /// Shows the object of a watch event. All but the first one have no definitions of columns.
    pub(super) fn event(self, call: &ResourceRequest, object: Value, no_headers: bool) -> Value {
        match self.projection {
            Projection::Whole => object,
            Projection::Metadata(version) | Projection::MetadataList(version) => partial_metadata(&object, version),
            Projection::Table(version) => {
                let options = TableOptions { version, include: self.include, no_headers };
                let metadata = object["metadata"].clone();
                printer(call).table([&object], &metadata, options, self.now)
            }
        }
    }

    fn list(self, call: &ResourceRequest, list: &List) -> Result<Value, Failure> {
        let stored;
        let items: &[Value] = match &list.items {
            Items::Objects(items) => items,
            Items::Stored(items) => {
                stored = items.iter().map(|it| it.value()).collect::<Vec<_>>();
                &stored
            }
        };
        let metadata = list.metadata();
        Ok(match self.projection {
            Projection::Whole => {
                json!({ "apiVersion": list.api_version, "kind": list.kind, "metadata": metadata, "items": items })
            }
            Projection::Metadata(_) => {
                let type_ = if call.resource.is_custom {
                    "*unstructured.UnstructuredList".to_owned()
                } else {
                    go_type(call, &list.kind)
                };
                let message =
                    format!("you requested PartialObjectMetadata, but the requested object is a list ({type_})");
                return Err(not_acceptable(&message));
            }
            Projection::MetadataList(version) => {
                let mut shown = partial_metadata_list(items, &metadata, version);
                if items.is_empty() {
                    shown["items"].take();
                }
                shown
            }
            Projection::Table(version) => {
                let options = TableOptions { version, include: self.include, no_headers: false };
                printer(call).of_list(&call.resource, items).table(items, &metadata, options, self.now)
            }
        })
    }
}

/// Returns the printer of the objects in the response to a call.
fn printer(call: &ResourceRequest) -> Printer<'_> {
    if call.is_scale() {
        return Printer::of_scales(call.resource.is_custom);
    }
    Printer::new(&call.resource, call.version())
}

/// Returns the name of the server's type of a built-in kind.
fn go_type(call: &ResourceRequest, kind: &str) -> String {
    let package = match call.resource.group.split('.').next() {
        None | Some("") => "core",
        Some(group) => group,
    };
    format!("*{package}.{kind}")
}

/// Returns the name of the server's type of scales.
fn scale_type(call: &ResourceRequest) -> &'static str {
    if call.resource.is_custom { "*v1.Scale" } else { "*autoscaling.Scale" }
}

fn not_acceptable(message: &str) -> Failure {
    Failure::new(406, "NotAcceptable", message)
}
