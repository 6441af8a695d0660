//! Creation of objects.

use super::{
    decode::{self, text},
    failure::Failure,
    request::Call,
    response::{Content, Reply},
    state::State,
    write::Operation,
};

impl State {
    pub(super) fn create(&mut self, call: &Call) -> Result<Reply, Failure> {
        let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
        let warnings = decode::check_strictness(call, &decoded)?;
        let metadata = &decoded.object["metadata"];
        if text(metadata, "name").is_empty() && text(metadata, "generateName").is_empty() {
            let error = crdkit_core::admission::FieldError {
                place: ".metadata.name".to_owned(),
                kind: crdkit_core::ErrorType::Required,
                value: None,
                detail: "name or generateName is required".to_owned(),
            };
            return Err(Failure::invalid(&call.resource.group, call.kind(), "", &[error]));
        }
        if !matches!(text(metadata, "resourceVersion"), "" | "0") {
            let problem = "resourceVersion should not be set on objects to be created";
            return Err(Failure::bad_request(problem));
        }
        let created = self.create_object(call, decoded.object, Operation::Update)?;
        Ok(Reply::new(201, Content::Object(created)).with_warnings(warnings))
    }
}
