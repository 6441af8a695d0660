//! Responses of HTTP.

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http::{HeaderValue, Response, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use serde_json::Value;
use tower::BoxError;

use super::{Content, Items, List, Reply};
use crate::{discovery, failure::Failure, json_text, negotiation::MediaType};

/// A response body.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// Returns a response of HTTP. A failure has the media type `of_failures`.
pub(crate) fn encode(
    reply: Result<Reply, Failure>,
    of_failures: MediaType,
    warnings: &[String],
) -> Response<ResponseBody> {
    let reply = reply.unwrap_or_else(|failure| Reply::of_failure(&failure).in_media_type(of_failures));
    let Encoded { code, content_type, body } = match reply.media_type {
        MediaType::Json => Encoded::json(reply),
        #[cfg(feature = "protobuf")]
        MediaType::Protobuf => super::protobuf::encode(reply),
    };
    let mut response = Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(code).expect("codes of HTTP");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    for warning in warnings {
        let text = format!("299 - {}", crdkit_core::go::quote(warning));
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.append(header::WARNING, value);
        }
    }
    response
}

/// Returns the response of a fault.
pub(crate) fn encode_fault(failure: Failure, retry_after: Option<u64>) -> Response<ResponseBody> {
    let mut response = encode(Err(failure), MediaType::default(), &[]);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

const JSON: &str = "application/json";

/// The status, the media type and the body of a response.
pub(super) struct Encoded {
    pub(super) code: u16,
    pub(super) content_type: &'static str,
    pub(super) body: ResponseBody,
}

impl Encoded {
    fn json(reply: Reply) -> Self {
        let (content_type, body) = match reply.content {
            Content::Object(object) | Content::Document(object) => (JSON, full(line(&object))),
            Content::Written(written) => (JSON, full(written.json.unwrap_or_else(|| line(&written.object)))),
            Content::Stored(stored) => (JSON, full(stored.json.clone())),
            Content::List(list) => (JSON, full(list.to_bytes())),
            Content::Discovery(document) => (discovery::AGGREGATED, full(line(&document))),
            Content::Text(text) => ("text/plain; charset=utf-8", full(Bytes::from(text.into_owned()))),
            Content::Watch(watch) => (JSON, stream(watch)),
        };
        Self { code: reply.code, content_type, body }
    }
}

pub(super) fn full(bytes: Bytes) -> ResponseBody {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

pub(super) fn stream(events: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> ResponseBody {
    StreamBody::new(events.map(|event| event.map(Frame::data))).boxed_unsync()
}

/// Returns the line of an object. Documents without a kind, such as those of OpenAPI, are no lines.
fn line(object: &Value) -> Bytes {
    let mut bytes = Vec::new();
    json_text::write(object, &mut bytes);
    if object["kind"].is_string() {
        bytes.push(b'\n');
    }
    bytes.into()
}

impl List {
    /// Returns the line of a list. Those of custom resources have their members in the order of their names.
    fn to_bytes(&self) -> Bytes {
        let [api_version, kind] = [&self.api_version, &self.kind].map(|text| Value::from(text.as_str()));
        let metadata = json_text::to_bytes(&self.metadata());
        let mut bytes = BytesMut::new();
        if self.is_custom {
            bytes.put_slice(format!(r#"{{"apiVersion":{api_version},"items":["#).as_bytes());
            match &self.items {
                Items::Stored(items) => separated(&mut bytes, items.iter().map(|item| item.json_value())),
                Items::Objects(items) => separated(&mut bytes, items.iter().map(json_text::to_bytes)),
            }
            bytes.put_slice(format!(r#"],"kind":{kind},"metadata":"#).as_bytes());
            bytes.put_slice(&metadata);
            bytes.put_slice(b"}\n");
        } else {
            bytes.put_slice(format!(r#"{{"kind":{kind},"apiVersion":{api_version},"metadata":"#).as_bytes());
            bytes.put_slice(&metadata);
            bytes.put_slice(b",\"items\":[");
            match &self.items {
                Items::Stored(items) => separated(&mut bytes, items.iter().map(|item| untyped(item.json_value()))),
                Items::Objects(items) => {
                    separated(&mut bytes, items.iter().map(|item| untyped(&json_text::to_bytes(item))));
                }
            }
            bytes.put_slice(b"]}\n");
        }
        bytes.freeze()
    }
}

/// Returns an item of a list of a built-in kind, which has no type.
fn untyped(json: &[u8]) -> Vec<u8> {
    let members = json_text::untyped(json).unwrap_or(&json[1..]);
    [b"{", members].concat()
}

fn separated(bytes: &mut BytesMut, items: impl Iterator<Item = impl AsRef<[u8]>>) {
    for (at, item) in items.enumerate() {
        if at > 0 {
            bytes.put_u8(b',');
        }
        bytes.put_slice(item.as_ref());
    }
}
