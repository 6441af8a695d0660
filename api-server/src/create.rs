//! Creation of objects.

use super::{
    decode,
    external::Stop,
    request::Call,
    response::{Content, Reply},
    state::State,
    write::Operation,
};

impl State {
    pub(super) fn create(&mut self, call: &Call) -> Result<Reply, Stop> {
        let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
        decode::check_strictness(call, &decoded)?;
        let created = self.create_object(call, decoded.object, Operation::Update)?;
        Ok(Reply::new(201, Content::Written(created)))
    }
}
