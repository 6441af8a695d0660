//! Checks of the namespace, the name, the UID and the version of an object.

use crdkit_core::{ErrorType, object_processing::FieldError};
use http::Method;
use serde_json::Value;

use crate::{failure::Failure, request::ResourceRequest, resource::Resource, state::State, store::Key, value::text};

/// An object must be in the namespace of the path, which is also the default.
pub(crate) fn check_namespace(call: &ResourceRequest, object: &mut Value) -> Result<(), Failure> {
    const MISMATCH: &str = "the namespace of the provided object does not match the namespace sent on the request";
    let namespace = text(&object["metadata"], "namespace").to_owned();
    match call.namespace() {
        "" if namespace.is_empty() => Ok(()),
        expected if namespace.is_empty() => {
            object["metadata"]["namespace"] = expected.into();
            Ok(())
        }
        expected if expected == namespace => Ok(()),
        _ => Err(Failure::bad_request(MISMATCH)),
    }
}

/// The name in the object must be that in the path.
pub(crate) fn check_name(call: &ResourceRequest, object: &Value) -> Result<(), Failure> {
    match text(&object["metadata"], "name") {
        name if name == call.name() => Ok(()),
        "" => Err(Failure::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name()
        ))),
        name => Err(Failure::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name()
        ))),
    }
}

/// The UID in an update must be that of the stored object.
pub(crate) fn check_uid(call: &ResourceRequest, old: &Value, new: &Value) -> Result<(), Failure> {
    check_precondition(&call.resource, &call.key(), ("UID", "uid"), [old, new])
}

/// The UID and the version in the metadata of a document must be those of the stored object that it is for.
pub(crate) fn check_storage_preconditions(
    resource: &Resource,
    key: &Key,
    old: &Value,
    document: &Value,
) -> Result<(), Failure> {
    for precondition in [("UID", "uid"), ("ResourceVersion", "resourceVersion")] {
        check_precondition(resource, key, precondition, [old, document])?;
    }
    Ok(())
}

fn check_precondition(
    resource: &Resource,
    key: &Key,
    (what, member): (&str, &str),
    objects: [&Value; 2],
) -> Result<(), Failure> {
    let [found, expected] = objects.map(|it| text(&it["metadata"], member));
    if expected.is_empty() || found == expected {
        return Ok(());
    }
    let path = resource.path_of(key);
    let problem = format!(
        "StorageError: invalid object, Code: 4, Key: /registry{path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
         {what} in precondition: {expected}, {what} in object meta: {found}"
    );
    Err(resource.conflict(&key.name, &problem))
}

/// The UID and the version in an update must be those of the stored object.
pub(crate) fn check_preconditions(call: &ResourceRequest, old: &Value, new: &Value) -> Result<(), Failure> {
    let name = call.name();
    // The UID in a patch is no precondition, but a member that cannot change.
    if call.request.method == Method::PUT {
        check_uid(call, old, new)?;
    }
    let [version, expected] = [old, new].map(|it| text(&it["metadata"], "resourceVersion"));
    match expected {
        "" | "0" if call.resource.needs_version_on_update() => {
            let error = FieldError {
                place: ".metadata.resourceVersion".to_owned(),
                kind: ErrorType::Invalid,
                value: Some("0".to_owned()),
                detail: "must be specified for an update".to_owned(),
            };
            Err(Failure::invalid(&call.resource.group, &call.resource.names.plural, name, &[error]))
        }
        "" | "0" => Ok(()),
        _ if expected == version => Ok(()),
        _ if expected.parse::<u64>().is_err() => {
            Err(Failure::internal(format!("strconv.ParseUint: parsing \"{expected}\": invalid syntax")))
        }
        _ => Err(call.resource.modified(name)),
    }
}

/// No objects of a kind are created while its definition is being deleted.
pub(crate) fn check_not_terminating(call: &ResourceRequest, object: &Value) -> Result<(), Failure> {
    if !call.resource.is_terminating {
        return Ok(());
    }
    let problem = "create not allowed while custom resource definition is terminating";
    Err(call.resource.forbidden(text(&object["metadata"], "name"), problem))
}

/// The name of a new object must not be that of another one.
pub(crate) fn check_unused(state: &State, call: &ResourceRequest, key: &Key, object: &Value) -> Result<(), Failure> {
    let Some(existing) = state.store.find(&call.resource.collection(), key) else { return Ok(()) };
    let is_deleting = !existing["metadata"]["deletionTimestamp"].is_null();
    Err(call.resource.already_exists(&object["metadata"], is_deleting))
}
