//! Objects that the server itself creates.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

use super::{
    external::Stop,
    failure::Failure,
    request::{Call, Request},
    route::Target,
    stages,
    state::State,
    user::User,
    value::text,
    write::Operation,
};

/// Creates an object as a request without a client would.
pub(super) fn create(state: &mut State, group: &str, plural: &str, object: Value) -> Result<Value, Failure> {
    let call = internal_call(state, group, plural, &object)?;
    let created = stages::create(state, &call, object, Operation::Update);
    created.map(|written| written.object).map_err(Stop::into_failure)
}

/// Returns a call of the server itself for an object: in the version that the object has, or the stored one.
pub(super) fn internal_call(state: &State, group: &str, plural: &str, object: &Value) -> Result<Call, Failure> {
    let resource = state.resources.get(group, plural).ok_or_else(Failure::no_such_path)?.clone();
    let own = resource.by_api_version(text(object, "apiVersion")).map(|(version, _)| version);
    let version = own.unwrap_or_else(|| resource.storage());
    let namespace = text(&object["metadata"], "namespace");
    let target = Target {
        group: group.to_owned(),
        version: resource.versions[version].spec.name.clone(),
        namespace: Some(namespace.to_owned()).filter(|it| !it.is_empty()),
        plural: plural.to_owned(),
        name: Some(text(&object["metadata"], "name").to_owned()),
        subresource: None,
    };
    let request = Request {
        method: Method::POST,
        uri: http::Uri::from_static("/"),
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::new(),
    };
    let call = Call::new(resource, version, target, request, Arc::new(User::admin()));
    Ok(Call { is_internal: true, ..call })
}
