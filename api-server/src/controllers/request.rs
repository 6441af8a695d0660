//! Requests of controllers.

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::Value;

use crate::{
    failure::Failure, request::ResourceRequest, response::Content, state::State, store::Key, verbs, webhook_calls::Stop,
};

/// A request of a controller.
pub(super) struct ControllerRequest<'r> {
    method: Method,
    /// The qualified name of the resource.
    resource: &'r str,
    /// The name is empty for a collection.
    key: &'r Key,
    subresource: Option<&'r str>,
    body: Value,
}

impl<'r> ControllerRequest<'r> {
    pub(super) fn new(method: Method, resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self { method, resource, key, subresource: None, body }
    }

    pub(super) fn create(resource: &'r str, collection: &'r Key, body: Value) -> Self {
        Self::new(Method::POST, resource, collection, body)
    }

    pub(super) fn update(resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self::new(Method::PUT, resource, key, body)
    }

    pub(super) fn patch(resource: &'r str, key: &'r Key, body: Value) -> Self {
        Self::new(Method::PATCH, resource, key, body)
    }

    pub(super) fn delete(resource: &'r str, key: &'r Key, options: Value) -> Self {
        Self::new(Method::DELETE, resource, key, options)
    }

    pub(super) fn subresource(self, subresource: &'r str) -> Self {
        Self { subresource: Some(subresource), ..self }
    }

    /// Sends the request, as kube-controller-manager does.
    pub(super) fn send(self, state: &mut State) -> Result<Value, Failure> {
        let Self { method, resource, key, subresource, body } = self;
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let resource = state.resources.get(group, plural).ok_or_else(Failure::no_such_path)?.clone();
        let media_type = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let headers = [
            (header::USER_AGENT, HeaderValue::from_static("kube-controller-manager")),
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        ];
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let request = (method, HeaderMap::from_iter(headers), body);
        let version = resource.storage();
        let mut call = ResourceRequest::without_client(resource, version, key, subresource, request);
        let verb = verbs::verb(&call)?;
        let reply = loop {
            match verb(state, &call) {
                // Controllers do not wait for webhooks, so that only those answer that are closures.
                Err(Stop::AwaitsWebhooks) if call.external.wait().now_or_never().is_some() => {}
                result => break result.map_err(Stop::into_failure)?,
            }
        };
        Ok(match reply.content {
            Content::Object(object) | Content::Document(object) => object,
            Content::Written(written) => written.object,
            Content::Stored(stored) => stored.value(),
            _ => Value::Null,
        })
    }
}
