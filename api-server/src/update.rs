//! Updates of objects and of their status.

use serde_json::Value;

use super::{
    decode,
    external::Stop,
    request::Call,
    state::State,
    validation::Part,
    write::{Draft, Operation, check_name, check_namespace, check_uid},
};

pub(super) fn update(state: &State, call: &Call, part: Part) -> Result<Draft, Stop> {
    let mut decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    check_name(call, &decoded.object)?;
    check_namespace(call, &mut decoded.object)?;
    let stored = match state.stored(call) {
        Ok(stored) => stored.clone(),
        Err(_) if part == Part::Main && call.resource.allows_create_on_update() => {
            // An object that was read before is not created again.
            check_uid(call, &Value::Null, &decoded.object)?;
            return Ok(Draft::create(decoded.object, Operation::Update));
        }
        Err(failure) => return Err(failure.into()),
    };
    let old = Some(state.read(call, &stored)?);
    Ok(Draft { part, old, new: decoded.object, operation: Operation::Update })
}
