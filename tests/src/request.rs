use anyhow::{Context, Result};
use crdkit_oracles::to_hex;
use http::{
    HeaderMap, Method,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue, WARNING},
};
use kube::{Client, client::Body};
use serde_json::Value;

use crate::ControlPlane;

/// The media type of messages.
pub const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The media type of YAML.
pub const YAML: &str = "application/yaml";

/// A request to the API server, by its path.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    accept: String,
    headers: Vec<(&'static str, String)>,
    content: Option<(&'static str, Vec<u8>)>,
}

/// The response of the API server, successful or not.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The media type of the body.
    pub content_type: String,
    /// The body; a string if it is neither JSON nor YAML, with the digits of a message in protobuf.
    pub body: Value,
}

impl Request {
    /// Reads the resource at `path`, which may have a query.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, None)
    }

    /// Creates `body` in the collection at `path`.
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self::with_json(Method::POST, path, "application/json", &body)
    }

    /// Replaces the object at `path`.
    pub fn put(path: impl Into<String>, body: Value) -> Self {
        Self::with_json(Method::PUT, path, "application/json", &body)
    }

    /// Changes the object at `path` by a patch of the media type, such as `application/merge-patch+json`.
    pub fn patch(path: impl Into<String>, media_type: &'static str, body: Value) -> Self {
        Self::with_json(Method::PATCH, path, media_type, &body)
    }

    /// Sends a server-side apply; the query of `path` needs a `fieldManager`.
    pub fn apply(path: impl Into<String>, body: Value) -> Self {
        Self::patch(path, "application/apply-patch+yaml", body)
    }

    /// Deletes the resource at `path`.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, None)
    }

    /// Deletes the resource at `path`, with `DeleteOptions`.
    pub fn delete_with(path: impl Into<String>, options: Value) -> Self {
        Self::with_json(Method::DELETE, path, "application/json", &options)
    }

    /// Sends bytes, which may not match the media type.
    pub fn with_bytes(method: Method, path: impl Into<String>, media_type: &'static str, body: Vec<u8>) -> Self {
        Self::new(method, path, Some((media_type, body)))
    }

    /// Sends a JSON document.
    pub fn with_json(method: Method, path: impl Into<String>, media_type: &'static str, body: &Value) -> Self {
        Self::with_bytes(method, path, media_type, body.to_string().into_bytes())
    }

    /// Requests another representation than JSON.
    pub fn accept(self, accept: impl Into<String>) -> Self {
        Self { accept: accept.into(), ..self }
    }

    /// Adds a header, such as `Impersonate-User`.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// A request without a body.
    pub fn without_body(method: Method, path: impl Into<String>) -> Self {
        Self::new(method, path, None)
    }

    fn new(method: Method, path: impl Into<String>, content: Option<(&'static str, Vec<u8>)>) -> Self {
        Self { method, path: path.into(), accept: "application/json".to_owned(), headers: Vec::new(), content }
    }

    /// Sends the request with a client.
    ///
    /// # Errors
    ///
    /// If there is no response.
    pub async fn send(self, client: Client) -> Result<Answer> {
        Answer::read(self.open(client).await?).await
    }

    /// Sends the request with a client, and leaves the body of the response to the caller.
    ///
    /// # Errors
    ///
    /// If there is no response.
    pub async fn open(self, client: Client) -> Result<http::Response<Body>> {
        Ok(client.send(self.into_http()?).await?)
    }

    fn into_http(self) -> Result<http::Request<Body>> {
        let mut request = http::Request::builder().method(self.method).uri(self.path).header(ACCEPT, self.accept);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let mut bytes = Vec::new();
        if let Some((media_type, body)) = self.content {
            request = request.header(CONTENT_TYPE, media_type);
            bytes = body;
        }
        request.body(Body::from(bytes)).context("the request is malformed")
    }
}

impl Answer {
    /// Reads a response to its end.
    ///
    /// # Errors
    ///
    /// If the connection breaks.
    pub async fn read(response: http::Response<Body>) -> Result<Self> {
        let (head, body) = response.into_parts();
        let body = body.collect_bytes().await?;
        let content_type = content_type(&head.headers);
        let text = || String::from_utf8_lossy(&body).into_owned();
        let body = if content_type.starts_with(PROTOBUF) {
            to_hex(&body).into()
        } else if content_type.starts_with(YAML) {
            serde_saphyr::from_slice(&body).with_context(text)?
        } else {
            serde_json::from_slice(&body).unwrap_or_else(|_| text().into())
        };
        Ok(Self {
            status: head.status.as_u16(),
            warnings: head.headers.get_all(WARNING).iter().map(warning_text).collect(),
            body,
            content_type,
        })
    }

    /// Returns whether the request succeeded.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl ControlPlane {
    /// Sends any request, as the administrator.
    ///
    /// # Panics
    ///
    /// If there is no response.
    pub async fn raw(&self, request: Request) -> Answer {
        let description = format!("{} {}", request.method, request.path);
        self.try_raw(request).await.unwrap_or_else(|error| panic!("no response to {description}: {error:#}"))
    }

    /// As [`Self::raw`], with an error if there is no response: the API server closes the connection if it panics.
    pub async fn try_raw(&self, request: Request) -> Result<Answer> {
        self.connection().send(request).await
    }
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    String::from_utf8_lossy(value).into_owned()
}

/// The text of `299 - "text"`, in which quotes and backslashes are escaped.
fn warning_text(header: &HeaderValue) -> String {
    let header = String::from_utf8_lossy(header.as_bytes());
    let Some(quoted) = header.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"')) else {
        return header.into_owned();
    };
    let mut text = String::new();
    let mut characters = quoted.0.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warning_loses_its_code_and_escapes() {
        let header = HeaderValue::from_static(r#"299 - "unknown field \"spec.a\\b\"""#);
        assert_eq!(warning_text(&header), r#"unknown field "spec.a\b""#);
    }
}
