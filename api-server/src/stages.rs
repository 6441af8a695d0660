//! What happens to a request, in order.

use super::{
    authorization::reviews, create, delete, external::Stop, failure::Failure, list, patch, read, request::Call,
    response::Reply, scale, state::State, update, validation::Part,
};

pub(super) fn verb(state: &mut State, call: &Call) -> Result<Reply, Stop> {
    let method = call.request.method.as_str();
    let has_name = call.target.name.is_some();
    if call.resource.is_review() {
        return reviews::review(state, call);
    }
    match (method, has_name, call.target.subresource.as_deref()) {
        ("GET", false, None) => list::list(state, call),
        ("POST", false, None) => create::create(state, call),
        ("DELETE", false, None) => delete::delete_collection(state, call),
        ("GET", true, None) => read::get(state, call),
        ("PUT", true, None) => update::update(state, call, Part::Main),
        ("PATCH", true, None) => patch::patch(state, call, Part::Main),
        ("DELETE", true, None) => delete::delete(state, call),
        ("POST", true, None) => create::create(state, call),
        ("PUT" | "PATCH", false, None) => Err(Failure::bad_request("name must be provided").into()),
        (_, true, Some("status")) if call.version().has_status() => match method {
            "GET" => read::get(state, call),
            "PUT" => update::update(state, call, Part::Status),
            _ => patch::patch(state, call, Part::Status),
        },
        ("PUT", true, Some("finalize")) if call.resource.is_namespace() => update::update(state, call, Part::Main),
        ("GET", true, Some("scale")) => scale::get(state, call),
        ("PUT", true, Some("scale")) => scale::update(state, call),
        ("PATCH", true, Some("scale")) => scale::patch(state, call),
        (_, _, None) => Err(Failure::method_not_allowed().into()),
        _ => Err(call.resource.not_found(call.name()).into()),
    }
}
