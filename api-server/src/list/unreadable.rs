//! Lists with objects that cannot be converted.

use serde_json::json;

use crate::{
    failure::Failure,
    request::ResourceRequest,
    resource::Resource,
    state::corrupt_object,
    store::{Key, Stored},
};

/// An object that cannot be converted to the requested version.
pub(super) struct Corrupt {
    path: String,
    problem: String,
}

impl Corrupt {
    pub(super) fn new(call: &ResourceRequest, key: &Key, object: &Stored, failure: &Failure) -> Self {
        let path = format!("/registry{}", call.resource.path_of(key));
        Self { problem: corrupt_object(&path, object.revision, &failure.message), path }
    }
}

/// The failure of a list with objects that cannot be converted.
pub(super) fn unreadable(resource: &Resource, objects: &[Corrupt]) -> Failure {
    const MAX_CAUSES: usize = 100;
    let shown = &objects[..objects.len().min(MAX_CAUSES)];
    let cause = |field: &str, reason, message: &str| match field {
        "" => json!({ "reason": reason, "message": message }),
        field => json!({ "reason": reason, "message": message, "field": field }),
    };
    let mut causes: Vec<_> = shown.iter().map(|it| cause(&it.path, "UnexpectedServerResponse", &it.problem)).collect();
    if objects.len() >= MAX_CAUSES {
        causes.push(cause("", "FieldValueTooMany", "too many errors, the list is truncated"));
    }
    let mut message =
        format!("failed to read one or more {} from the storage: {}", resource.qualified(), shown[0].problem);
    if shown.len() > 1 {
        message += &format!(" (and {} more)", shown.len() - 1);
    }
    let failure = Failure::new(500, "StorageReadError", message);
    failure.about(&resource.group, &resource.names.plural, "list").with_detail("causes", causes)
}
