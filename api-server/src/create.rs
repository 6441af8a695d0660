//! Creation of objects.

use super::{
    decode,
    failure::Failure,
    request::Call,
    write::{Draft, Operation},
};

pub(super) fn create(call: &Call) -> Result<Draft, Failure> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    Ok(Draft::create(decoded.object, Operation::Update))
}
