//! Responses of HTTP.

use bytes::{BufMut, Bytes, BytesMut};
use crdkit::__internal::yaml::{order::Order, write as yaml};
use futures_util::{Stream, StreamExt};
use http::{HeaderValue, Response, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use serde_json::Value;
use tower::BoxError;

use super::{Content, Items, List, Reply};
use crate::{
    discovery,
    failure::Failure,
    json_text,
    negotiation::{Accepted, MediaType},
};

/// A response body.
pub(crate) type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// Returns a response of HTTP.
pub(crate) fn encode(reply: Result<Reply, Failure>, accepted: Accepted, warnings: &[String]) -> Response<ResponseBody> {
    let retry_after = reply.as_ref().err().and_then(Failure::retry_after);
    let reply = reply.unwrap_or_else(|failure| Reply::of_failure(&failure).in_media_type(accepted.of_failures));
    let is_aggregated = matches!(reply.content, Content::Discovery(_));
    let Encoded { code, content_type, body } = match reply.media_type {
        MediaType::Json => Encoded::json(reply),
        MediaType::Yaml => Encoded::json(reply).into_yaml(),
        #[cfg(feature = "protobuf")]
        MediaType::Protobuf => super::protobuf::encode(reply),
    };
    let mut response = match body {
        Body::Whole(bytes) => whole(bytes, accepted),
        Body::Stream(body) => Response::new(body),
    };
    *response.status_mut() = http::StatusCode::from_u16(code).expect("codes of HTTP");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if code == http::StatusCode::NO_CONTENT {
        headers.remove(header::CONTENT_TYPE);
    }
    if is_aggregated {
        headers.append(header::VARY, HeaderValue::from_static("Accept"));
    }
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
    let mut response = encode(Err(failure), Accepted::default(), &[]);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns a response with a body that is compressed if that is worth it.
#[cfg(feature = "gzip")]
fn whole(bytes: Bytes, accepted: Accepted) -> Response<ResponseBody> {
    /// `defaultGzipThresholdBytes` of `responsewriters/writers.go`.
    const UNCOMPRESSED: usize = 128 << 10;
    if !accepted.is_gzip || bytes.len() <= UNCOMPRESSED {
        return Response::new(full(bytes));
    }
    let mut response = Response::new(full(super::gzip::compress(&bytes)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    response
}

#[cfg(not(feature = "gzip"))]
fn whole(bytes: Bytes, _: Accepted) -> Response<ResponseBody> {
    Response::new(full(bytes))
}

const JSON: &str = "application/json";

/// The status, the media type and the body of a response.
pub(super) struct Encoded {
    pub(super) code: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Body,
}

pub(super) enum Body {
    Whole(Bytes),
    Stream(ResponseBody),
}

impl Encoded {
    fn json(reply: Reply) -> Self {
        let (content_type, body) = match reply.content {
            Content::Object(object) | Content::Document(object) => (JSON, line(&object)),
            Content::Written(written) => (JSON, written.json.unwrap_or_else(|| line(&written.object))),
            Content::Stored(stored) => (JSON, stored.json.clone()),
            Content::List(list) => (JSON, list.to_bytes()),
            Content::Discovery(document) => (discovery::AGGREGATED, line(&document)),
            #[cfg(feature = "signed-tokens")]
            Content::Keys(keys) => ("application/jwk-set+json", line(&keys)),
            Content::Text(text) => (TEXT, Bytes::from(text.into_owned())),
            #[cfg(feature = "protobuf")]
            Content::Bytes(media_type, bytes) => (media_type, bytes),
            Content::Watch(watch) => {
                return Self { code: reply.code, content_type: JSON, body: Body::Stream(stream(watch)) };
            }
        };
        Self { code: reply.code, content_type, body: Body::Whole(body) }
    }

    /// Returns the same in YAML, which the real server also makes of JSON.
    fn into_yaml(self) -> Self {
        let content_type = match self.content_type {
            JSON => "application/yaml",
            discovery::AGGREGATED => "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            _ => return self,
        };
        let Body::Whole(json) = &self.body else { return self };
        let document: Value = serde_json::from_slice(json).expect("the body is JSON");
        let yaml = yaml::document(&document, Order::Sorted);
        Self { content_type, body: Body::Whole(yaml.into()), ..self }
    }
}

pub(super) const TEXT: &str = "text/plain; charset=utf-8";

fn full(bytes: Bytes) -> ResponseBody {
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
