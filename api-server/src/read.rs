//! Reads of one object.

use super::{
    failure::Failure,
    request::ResourceRequest,
    response::{Content, Reply},
    state::State,
    webhook_calls::Stop,
};

pub(super) fn get(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let now = state.store.revision();
    match call.query.get("resourceVersion") {
        "" => {}
        text => {
            let revision = super::list::revision(text).map_err(|error| Failure::internal(error.to_string()))?;
            if revision > now {
                return Err(super::list::too_large(revision, now).into());
            }
        }
    }
    let stored = state.stored(call)?.clone();
    let content = if call.resource.is_current(&stored, call.version) {
        Content::Stored(stored)
    } else {
        Content::Object(state.read(call, &stored)?)
    };
    Ok(Reply::new(200, content))
}
