//! The verbs: what a method does with a resource, an object or a subresource.

use super::{
    authorization::reviews,
    components, delete, draft,
    draft::Draft,
    failure::Failure,
    list,
    request::ResourceRequest,
    response::{Content, Reply},
    scale, stages,
    state::State,
    subresources::{self, binding, restrict, serve_part},
    validation::WrittenPart,
    webhook_calls::Stop,
};

/// What a request does after its options are checked.
pub(super) type Verb = fn(&mut State, &ResourceRequest) -> Result<Reply, Stop>;

/// Returns the verb of a request.
///
/// What the server of custom resources refuses later than that of built-in kinds is a verb that fails.
pub(super) fn verb(call: &ResourceRequest) -> Result<Verb, Failure> {
    let (resource, version, method) = (&call.resource, call.version(), &call.request.method);
    let is_custom = resource.is_custom;
    let is_everywhere = resource.is_namespaced && call.target.namespace.is_none();
    let (has_status, has_scale) = (version.has_status(), version.has_scale());
    let subresource = call.target.subresource.as_deref();
    if let Some(found) = subresource.and_then(|path| subresources::find(resource, path)) {
        return found.verb(resource, method);
    }
    let verb: Verb = match (method.as_str(), call.target.name.is_some(), subresource) {
        ("GET", false, None) => list::list,
        ("POST", false, None) if !is_everywhere => |state, call| write(draft::create(call)?, state, call),
        ("DELETE", false, None) if !is_everywhere => delete::delete_collection,
        ("GET" | "PUT" | "PATCH", true, None) => |state, call| serve_part(state, call, WrittenPart::Main),
        ("DELETE", true, None) => delete::delete,
        ("POST", true, None) if is_custom => |state, call| write(draft::create(call)?, state, call),
        ("PUT" | "PATCH", false, None) if is_custom => |_, _| Err(Failure::bad_request("name must be provided").into()),
        ("GET" | "PUT" | "PATCH", _, Some("status")) if has_status => {
            |state, call| serve_part(state, call, WrittenPart::Status)
        }
        ("GET", _, Some("scale")) if has_scale || is_custom => scale::get,
        ("PUT", _, Some("scale")) if has_scale || is_custom => {
            |state, call| write_scale(scale::update(state, call)?, state, call)
        }
        ("PATCH", _, Some("scale")) if has_scale || is_custom => {
            |state, call| write_scale(scale::patch(state, call)?, state, call)
        }
        (_, _, None) if resource.is_stored() => return Err(resource.method_not_allowed(method)),
        (_, _, None) => return of_answered(call),
        (_, _, Some("status")) if has_status => return Err(resource.method_not_allowed(method)),
        (_, _, Some("scale")) if has_scale => return Err(resource.method_not_allowed(method)),
        _ if is_custom => |_, call| Err(call.resource.not_found(call.name()).into()),
        _ => return Err(Failure::no_such_path()),
    };
    if resource.is_stored() { Ok(verb) } else { of_answered(call) }
}

/// Returns the verb of a request for a resource whose objects are not stored.
fn of_answered(call: &ResourceRequest) -> Result<Verb, Failure> {
    let (resource, method) = (&call.resource, &call.request.method);
    // There are only bindings of a namespace, without names.
    if resource.is_binding() && (call.target.namespace.is_none() || call.target.name.is_some()) {
        return Err(Failure::no_such_path());
    }
    Ok(match (method.as_str(), call.target.name.is_some()) {
        ("POST", false) if resource.is_review() => reviews::review,
        ("POST", false) if resource.is_binding() => binding::create,
        ("GET", false) if resource.is_component_status() => components::list,
        ("GET", true) if resource.is_component_status() => components::get,
        _ => return Err(resource.method_not_allowed(method)),
    })
}

/// Writes what a request has drafted.
pub(super) fn write(mut draft: Draft, state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let code = if draft.old.is_none() { 201 } else { 200 };
    restrict(call, &mut draft, state.time_of(call));
    Ok(Reply::new(code, Content::Written(stages::write_object(draft, state, call)?)))
}

fn write_scale(draft: Draft, state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let written = stages::write_object(draft, state, call)?;
    Ok(scale::written(call, &written.object)?)
}
