//! Updates of objects and of their status.

use serde_json::Value;

use super::{
    decode,
    external::Stop,
    request::Call,
    response::{Content, Reply},
    state::State,
    validation::Part,
    write,
    write::{Operation, check_name, check_namespace, check_uid},
};

pub(super) fn update(state: &mut State, call: &Call, part: Part) -> Result<Reply, Stop> {
    let mut decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    check_name(call, &decoded.object)?;
    check_namespace(call, &mut decoded.object)?;
    let stored = match state.stored(call) {
        Ok(stored) => stored.clone(),
        Err(_) if part == Part::Main && call.resource.allows_create_on_update() => {
            // An object that was read before is not created again.
            check_uid(call, &Value::Null, &decoded.object)?;
            let created = write::create(state, call, decoded.object, Operation::Update)?;
            return Ok(Reply::new(201, Content::Written(created)));
        }
        Err(failure) => return Err(failure.into()),
    };
    let old = state.read(call, &stored)?;
    let new = write::replace(state, call, part, &old, decoded.object, Operation::Update)?;
    Ok(Reply::new(200, Content::Written(new)))
}
