//! The verbs: what a method does with a resource, an object or a subresource.

use super::{
    authorization::reviews,
    delete, draft,
    draft::Draft,
    failure::Failure,
    list, patch, read,
    request::ResourceRequest,
    response::{Content, Reply},
    scale, stages,
    state::State,
    tokens,
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
    let verb: Verb = match (method.as_str(), call.target.name.is_some(), call.target.subresource.as_deref()) {
        ("GET", false, None) => list::list,
        ("POST", false, None) if !is_everywhere => |state, call| write(draft::create(call)?, state, call),
        ("DELETE", false, None) if !is_everywhere => delete::delete_collection,
        ("GET", true, None) => read::get,
        ("PUT", true, None) => |state, call| write(draft::update(state, call, WrittenPart::Main)?, state, call),
        ("PATCH", true, None) => |state, call| write(patch::patch(state, call, WrittenPart::Main)?, state, call),
        ("DELETE", true, None) => delete::delete,
        ("POST", true, None) if is_custom => |state, call| write(draft::create(call)?, state, call),
        ("PUT" | "PATCH", false, None) if is_custom => |_, _| Err(Failure::bad_request("name must be provided").into()),
        ("GET", _, Some("status")) if has_status => read::get,
        ("PUT", _, Some("status")) if has_status => {
            |state, call| write(draft::update(state, call, WrittenPart::Status)?, state, call)
        }
        ("PATCH", _, Some("status")) if has_status => {
            |state, call| write(patch::patch(state, call, WrittenPart::Status)?, state, call)
        }
        ("GET", _, Some("scale")) if has_scale || is_custom => scale::get,
        ("PUT", _, Some("scale")) if has_scale || is_custom => {
            |state, call| write_scale(scale::update(state, call)?, state, call)
        }
        ("PATCH", _, Some("scale")) if has_scale || is_custom => {
            |state, call| write_scale(scale::patch(state, call)?, state, call)
        }
        ("PUT", true, Some("finalize")) if resource.is_namespace() => finalize,
        ("POST", true, Some("token")) if resource.has_tokens() => tokens::issue,
        (_, _, None) => return Err(resource.method_not_allowed(method)),
        (_, _, Some("token")) if resource.has_tokens() => return Err(resource.method_not_allowed(method)),
        (_, _, Some("finalize")) if resource.is_namespace() => return Err(resource.method_not_allowed(method)),
        (_, _, Some("status")) if has_status => return Err(resource.method_not_allowed(method)),
        (_, _, Some("scale")) if has_scale => return Err(resource.method_not_allowed(method)),
        _ if is_custom => |_, call| Err(call.resource.not_found(call.name()).into()),
        _ => return Err(Failure::no_such_path()),
    };
    if !resource.is_review() {
        return Ok(verb);
    }
    // Reviews are answered and not stored.
    Ok(match method.as_str() {
        "POST" => reviews::review,
        _ => |_, call| Err(call.resource.method_not_allowed(&call.request.method).into()),
    })
}

/// The verb of the subresource `finalize` of namespaces, which writes `spec.finalizers` too.
fn finalize(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    write(draft::update(state, call, WrittenPart::Main)?, state, call)
}

fn write(draft: Draft, state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let code = if draft.old.is_none() { 201 } else { 200 };
    Ok(Reply::new(code, Content::Written(stages::write_object(draft, state, call)?)))
}

fn write_scale(draft: Draft, state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let written = stages::write_object(draft, state, call)?;
    Ok(scale::written(call, &written.object)?)
}
