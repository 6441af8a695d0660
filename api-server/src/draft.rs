//! What requests are to write: objects to create, and updates of objects and of their status. Patches and scales are in files of their own.

use serde_json::Value;

use super::{
    decode,
    failure::Failure,
    request::ResourceRequest,
    state::State,
    validation::WrittenPart,
    webhook_calls::Stop,
    write::{Operation, check_name, check_namespace, check_uid},
};

/// An object that a request writes, in the version of the request.
pub(super) struct Draft {
    pub(super) part: WrittenPart,
    /// The stored object; `None` to create one.
    pub(super) old: Option<Value>,
    pub(super) new: Value,
    pub(super) operation: Operation,
}

impl Draft {
    /// The object is created.
    pub(super) fn create(new: Value, operation: Operation) -> Self {
        Self { part: WrittenPart::Main, old: None, new, operation }
    }
}

/// The body of a request is created.
pub(super) fn create(call: &ResourceRequest) -> Result<Draft, Failure> {
    Ok(Draft::create(body(call)?, Operation::Update))
}

/// The body of a request replaces an object, or is created where the kind allows that.
pub(super) fn update(state: &State, call: &ResourceRequest, part: WrittenPart) -> Result<Draft, Stop> {
    let mut new = body(call)?;
    check_name(call, &new)?;
    check_namespace(call, &mut new)?;
    let stored = match state.stored(call) {
        Ok(stored) => stored.clone(),
        Err(_) if part == WrittenPart::Main && call.resource.allows_create_on_update() => {
            // An object that was read before is not created again.
            check_uid(call, &Value::Null, &new)?;
            return Ok(Draft::create(new, Operation::Update));
        }
        Err(failure) => return Err(failure.into()),
    };
    let old = Some(state.read(call, &stored)?);
    Ok(Draft { part, old, new, operation: Operation::Update })
}

/// Returns the object in the body of a request.
fn body(call: &ResourceRequest) -> Result<Value, Failure> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    Ok(decoded.object)
}
