//! Responses as tables, or with nothing but metadata.

use bytes::Bytes;
use http::header;
use serde_json::{Value, json};

use super::{
    failure::Failure,
    negotiation::{self, MetaVersion, Projection},
    request::Call,
    response::{Content, Items, Reply},
    table::{self, IncludeObject, Printer, TableOptions},
};

/// The representation that a request asks for.
#[derive(Debug)]
pub(super) struct View {
    projection: Projection,
    include: IncludeObject,
    /// Whether a table has had its columns, which only the first event of a watch has.
    no_headers: bool,
}

impl View {
    pub(super) fn negotiate(call: &Call) -> Result<Self, Failure> {
        let accept = call.request.header(header::ACCEPT);
        let projection = negotiation::projection(accept, call.resource.is_custom);
        let projection = projection.map_err(|message| Failure::new(406, "NotAcceptable", message))?;
        Ok(Self { projection, include: IncludeObject::default(), no_headers: false })
    }

    /// Returns a reply in this representation. `now` is a Unix time.
    pub(super) fn reply(mut self, call: &Call, reply: Reply, now: i64) -> Result<Reply, Failure> {
        if self.projection == Projection::Whole || call.target.subresource.as_deref() == Some("scale") {
            return Ok(reply);
        }
        self.read_options(call)?;
        let content = match reply.content {
            Content::Object(object) => Content::Document(self.object(call, &object, now)?),
            Content::Stored(stored) => Content::Document(self.object(call, &stored.value(), now)?),
            Content::List(list) => {
                let metadata = list.metadata();
                let items = match list.items {
                    Items::Stored(items) => items.iter().map(|stored| stored.value()).collect(),
                    Items::Objects(items) => items,
                };
                Content::Document(self.list(call, &items, &metadata, now)?)
            }
            other => other,
        };
        Ok(Reply { content, ..reply })
    }

    /// Reads the options of tables from the query.
    pub(super) fn read_options(&mut self, call: &Call) -> Result<(), Failure> {
        if let Projection::Table(_) = self.projection {
            self.include = IncludeObject::parse(call.query.get("includeObject")).map_err(Failure::bad_request)?;
        }
        Ok(())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.projection == Projection::Whole
    }

    /// Returns an event of a watch in this representation.
    pub(super) fn event(&mut self, call: &Call, line: &Bytes, now: i64) -> Bytes {
        let mut event: Value = serde_json::from_slice(line).expect("events are JSON");
        if event["type"] != "ERROR"
            && let Ok(object) = self.object(call, &event["object"], now)
        {
            event["object"] = object;
            self.no_headers = true;
        }
        format!("{event}\n").into()
    }

    fn object(&self, call: &Call, object: &Value, now: i64) -> Result<Value, Failure> {
        match self.projection {
            Projection::Whole => Ok(object.clone()),
            Projection::Table(version) => Ok(self.table(call, [object], &object["metadata"], version, now)),
            Projection::Metadata(version) => Ok(table::partial_metadata(object, version)),
            Projection::MetadataList(_) => Err(Failure::new(500, "InternalError", "content is not a list")),
        }
    }

    fn list(&self, call: &Call, items: &[Value], metadata: &Value, now: i64) -> Result<Value, Failure> {
        match self.projection {
            Projection::Whole => Ok(json!(items)),
            Projection::Table(version) => Ok(self.table(call, items, metadata, version, now)),
            Projection::MetadataList(version) => Ok(table::partial_metadata_list(items, metadata, version)),
            Projection::Metadata(_) => {
                let type_ = match call.resource.is_custom {
                    true => "unstructured.UnstructuredList".to_owned(),
                    false => call.resource.list_kind(),
                };
                let message =
                    format!("you requested PartialObjectMetadata, but the requested object is a list (*{type_})");
                Err(Failure::new(406, "NotAcceptable", message))
            }
        }
    }

    fn table<'o>(
        &self,
        call: &Call,
        objects: impl IntoIterator<Item = &'o Value>,
        metadata: &Value,
        version: MetaVersion,
        now: i64,
    ) -> Value {
        let options = TableOptions { version, include: self.include, no_headers: self.no_headers };
        Printer::new(&call.resource, call.version()).table(objects, metadata, options, now)
    }
}
