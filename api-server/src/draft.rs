//! What requests are to write: objects to create, and updates of objects and of their status. Patches and scales are in files of their own.

use serde_json::Value;

use super::{
    decode,
    external::Stop,
    failure::Failure,
    request::Call,
    state::State,
    validation::Part,
    write::{Operation, check_name, check_namespace, check_uid},
};

/// An object that a request writes, in the version of the request.
pub(super) struct Draft {
    pub(super) part: Part,
    /// The stored object; `None` to create one.
    pub(super) old: Option<Value>,
    pub(super) new: Value,
    pub(super) operation: Operation,
}

impl Draft {
    /// The object is created.
    pub(super) fn create(new: Value, operation: Operation) -> Self {
        Self { part: Part::Main, old: None, new, operation }
    }
}

/// The body of a request is created.
pub(super) fn create(call: &Call) -> Result<Draft, Failure> {
    Ok(Draft::create(body(call)?, Operation::Update))
}

/// The body of a request replaces an object, or is created where the kind allows that.
pub(super) fn update(state: &State, call: &Call, part: Part) -> Result<Draft, Stop> {
    let mut new = body(call)?;
    check_name(call, &new)?;
    check_namespace(call, &mut new)?;
    let stored = match state.stored(call) {
        Ok(stored) => stored.clone(),
        Err(_) if part == Part::Main && call.resource.allows_create_on_update() => {
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
fn body(call: &Call) -> Result<Value, Failure> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    Ok(decoded.object)
}
