//! Creation of objects.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

use super::{
    decode,
    external::Stop,
    failure::Failure,
    request::Call,
    request::Request,
    response::{Content, Reply},
    route::Target,
    state::State,
    user::User,
    value::text,
    write,
    write::Operation,
};

pub(super) fn create(state: &mut State, call: &Call) -> Result<Reply, Stop> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    let created = write::create(state, call, decoded.object, Operation::Update)?;
    Ok(Reply::new(201, Content::Written(created)))
}

/// Creates an object as a request without a client would.
pub(super) fn internally(state: &mut State, group: &str, plural: &str, object: Value) -> Result<Value, Failure> {
    let call = internal_call(state, group, plural, &object)?;
    let created = write::create(state, &call, object, Operation::Update);
    created.map(|written| written.object).map_err(Stop::into_failure)
}

/// Returns a call of the server itself for an object.
fn internal_call(state: &State, group: &str, plural: &str, object: &Value) -> Result<Call, Failure> {
    let resource = state.resources.get(group, plural).ok_or_else(Failure::no_such_path)?.clone();
    let version = resource.storage();
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
