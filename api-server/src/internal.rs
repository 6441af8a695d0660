//! Objects that the server itself creates.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

use super::{
    failure::Failure, request::ResourceRequest, resource::Resource, stages, state::State, store::Key, value::text,
    webhook_calls::Stop, write::Operation,
};

/// Creates an object as a request without a client would.
pub(super) fn create(state: &mut State, group: &str, plural: &str, object: Value) -> Result<Value, Failure> {
    let resource = state.resources.get(group, plural).ok_or_else(Failure::no_such_path)?.clone();
    let call = creation(resource, &object);
    let created = stages::create(state, &call, object, Operation::Update);
    created.map(|written| written.object).map_err(Stop::into_failure)
}

/// Returns a call that creates an object, in the version that the object has, or in the stored one.
pub(super) fn creation(resource: Arc<Resource>, object: &Value) -> ResourceRequest {
    let of_object = resource.by_api_version(text(object, "apiVersion")).map(|(version, _)| version);
    let version = of_object.unwrap_or_else(|| resource.storage());
    let key = Key::new(text(&object["metadata"], "namespace"), text(&object["metadata"], "name"));
    let call =
        ResourceRequest::without_client(resource, version, &key, None, (Method::POST, <_>::default(), <_>::default()));
    ResourceRequest { is_internal: true, ..call }
}
