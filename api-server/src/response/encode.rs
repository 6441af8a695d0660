//! Responses of HTTP.

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use http::{HeaderValue, Response, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use tower::BoxError;

use super::{Content, Items, List, Reply};
use crate::{discovery, failure::Failure};

/// A response body.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// Returns a response of HTTP.
pub(crate) fn encode(reply: Result<Reply, Failure>, warnings: &[String]) -> Response<ResponseBody> {
    let reply = reply.unwrap_or_else(|failure| Reply::new(failure.code, Content::Document(failure.to_json())));
    let (content_type, body) = match reply.content {
        Content::Object(object) | Content::Document(object) => (JSON, full(to_bytes(&object))),
        Content::Written(written) => (JSON, full(written.json.unwrap_or_else(|| to_bytes(&written.object)))),
        Content::Stored(stored) => (JSON, full(stored.json.clone())),
        Content::List(list) => (JSON, full(list.to_bytes())),
        Content::Discovery(document) => (discovery::AGGREGATED, full(to_bytes(&document))),
        Content::Text(text) => ("text/plain; charset=utf-8", full(Bytes::from(text.into_owned()))),
        Content::Watch(watch) => (JSON, StreamBody::new(watch.map(|line| line.map(Frame::data))).boxed_unsync()),
    };
    let mut response = Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(reply.code).expect("codes of HTTP");
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
    let mut response = encode(Err(failure), &[]);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

const JSON: &str = "application/json";

fn full(bytes: Bytes) -> ResponseBody {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

fn to_bytes(object: &Value) -> Bytes {
    serde_json::to_vec(object).expect("documents are JSON").into()
}

impl List {
    fn to_bytes(&self) -> Bytes {
        let head =
            json!({ "apiVersion": self.api_version, "kind": self.kind, "metadata": self.metadata() }).to_string();
        let mut bytes = BytesMut::with_capacity(head.len() + 32);
        // The metadata may end with several braces, so only that of the list is left open.
        bytes.put_slice(head.strip_suffix('}').unwrap_or(&head).as_bytes());
        bytes.put_slice(b",\"items\":[");
        match &self.items {
            Items::Stored(items) if self.is_custom => separated(&mut bytes, items.iter().map(|it| it.json.clone())),
            Items::Stored(items) => separated(&mut bytes, items.iter().map(|it| to_bytes(&untyped(it.value())))),
            Items::Objects(items) if self.is_custom => separated(&mut bytes, items.iter().map(to_bytes)),
            Items::Objects(items) => separated(&mut bytes, items.iter().map(|it| to_bytes(&untyped(it.clone())))),
        }
        bytes.put_slice(b"]}");
        bytes.freeze()
    }
}

/// Returns an item of a list of a built-in kind, which has no type.
fn untyped(mut item: Value) -> Value {
    if let Value::Object(members) = &mut item {
        members.remove("apiVersion");
        members.remove("kind");
    }
    item
}

fn separated(bytes: &mut BytesMut, items: impl Iterator<Item = Bytes>) {
    for (at, item) in items.enumerate() {
        if at > 0 {
            bytes.put_u8(b',');
        }
        bytes.put_slice(&item);
    }
}
