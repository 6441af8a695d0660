//! The steps that all writes have in common.

use serde_json::{Map, Value, json};

use super::{
    admission::configuration,
    definitions,
    failure::Failure,
    hooks, kinds,
    managed_fields::{Writer, track_update},
    metadata_validation::{self, has_finalizers},
    request::ResourceRequest,
    response::Written,
    state::{NamespacePhase, State},
    store::Key,
    validation::{self, WrittenPart},
    value::text,
    webhook_calls::Stop,
};

mod checks;
mod prepare;

pub(super) use checks::{
    check_name, check_namespace, check_not_terminating, check_preconditions, check_storage_preconditions, check_uid,
    check_unused,
};
pub(super) use prepare::{
    complete_applied, keep_metadata, prepare_create, prepare_update, set_or_remove, wipe_metadata,
};

/// How an object came to be, for its managed fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Update,
    /// The managed fields are those of the merge.
    Apply,
}

/// Sets the managed fields of an update.
pub(super) fn track(state: &State, call: &ResourceRequest, old: Option<&Value>, new: &mut Value) -> Result<(), Stop> {
    let (manager, api_version, time) = (call.field_manager(), call.api_version(), state.time_of(call));
    let subresource = call.target.subresource.as_deref().unwrap_or_default();
    let writer = Writer { manager: &manager, api_version: &api_version, subresource, time };
    let empty = || kinds::empty(&call.resource.group, &call.version().spec.name, call.kind());
    let old = old.or_else(|| if call.resource.is_custom { None } else { empty().map(|empty| &empty.new) });
    track_update(&call.versions(), old, new, &writer);
    call.external.require_answers()
}

/// Sets what the server generates: the name, the UID and the time of creation.
pub(super) fn fill_metadata(state: &mut State, call: &ResourceRequest, object: &mut Value) {
    let prefix = text(&object["metadata"], "generateName");
    if text(&object["metadata"], "name").is_empty() && !prefix.is_empty() {
        let (resource, namespace) = (call.resource.collection(), text(&object["metadata"], "namespace"));
        let is_used = |state: &State, name: &str| state.store.get(&resource, &Key::new(namespace, name)).is_some();
        let name = call.generated_name.get_or_init(|| state.generate_unused_name(prefix, is_used));
        object["metadata"]["name"] = name.as_str().into();
    }
    let metadata = &mut object["metadata"];
    metadata["uid"] = call.uid.get_or_init(|| state.new_uid()).as_str().into();
    metadata["creationTimestamp"] = state.time_of(call).into();
}

pub(super) fn check_namespace_exists(state: &State, call: &ResourceRequest, created: &Value) -> Result<(), Failure> {
    let Some(namespace) = &call.target.namespace else {
        return Ok(());
    };
    let Some(phase) = state.namespace_phase(namespace) else {
        return Err(Failure::new(404, "NotFound", format!("namespaces \"{namespace}\" not found")).about(
            "",
            "namespaces",
            namespace,
        ));
    };
    if phase == NamespacePhase::Active {
        return Ok(());
    }
    let problem = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let cause = json!([{
        "reason": "NamespaceTerminating",
        "message": format!("namespace {namespace} is being terminated"),
        "field": "metadata.namespace",
    }]);
    let name = match text(&created["metadata"], "name") {
        "" => text(&created["metadata"], "generateName"),
        name => name,
    };
    Err(call.resource.forbidden(name, &problem).with_detail("causes", cause))
}

pub(super) fn check_object(
    call: &ResourceRequest,
    part: WrittenPart,
    old: Option<&Value>,
    new: &Value,
) -> Result<(), Failure> {
    let mut errors = validation::validate(call, part, old, new);
    let mut warnings = Vec::new();
    if call.resource.is_definition() && part == WrittenPart::Main {
        let problems = definitions::check(old, new);
        errors.extend(problems.errors);
        warnings = problems.warnings;
    }
    errors.extend(configuration::errors(&call.resource, new));
    // Start states of tests have only the fields that they need.
    if !call.is_internal {
        errors.extend(validation::builtin_errors(&call.resource, part, old, new));
    }
    errors.extend(validation::namespace_errors(call, new));
    errors.extend(validation::event_errors(&call.resource, old, new));
    if errors.is_empty() {
        if call.resource.is_custom {
            warnings.extend(metadata_validation::finalizer_warnings(old, new));
        }
        warnings.into_iter().for_each(|warning| call.warn(warning));
        return Ok(());
    }
    let name = text(&new["metadata"], "name");
    // The server names the type that the object claims.
    let claimed = text(new, "apiVersion").split_once('/').map_or("", |(group, _)| group);
    let group = if call.resource.is_stored_in_core() { "" } else { claimed };
    Err(Failure::invalid(group, text(new, "kind"), name, &errors))
}

/// Writes an object, unless the request is a dry run, and returns it in the requested version.
pub(super) fn commit(state: &mut State, call: &ResourceRequest, key: &Key, object: Value) -> Result<Written, Stop> {
    let (mut stored, read) = if call.resource.stores(call.version) {
        (object, None)
    } else {
        let stored = to_storage(call, object)?;
        // The client gets what a read of the stored object returns.
        let read = call.resource.convert(&call.external, stored.clone(), call.version)?;
        (stored, Some(read))
    };
    if call.is_dry_run() {
        return Ok(read.unwrap_or(stored).into());
    }
    let written = state.store.put(&call.resource.collection(), key, &mut stored);
    hooks::after_write(state, &call.resource, &stored)?;
    match read {
        Some(mut read) => {
            read["metadata"]["resourceVersion"] = written.revision.to_string().into();
            Ok(read.into())
        }
        None => Ok(Written { object: stored, json: Some(written.json.clone()) }),
    }
}

/// Removes an object, unless the request is a dry run, and returns its last state.
pub(super) fn remove(state: &mut State, call: &ResourceRequest, key: &Key, mut object: Value) -> Value {
    if !call.is_dry_run() {
        // A watch has the object as it was stored last.
        let resource = call.resource.collection();
        if let Some(mut last) = state.store.find(&resource, key) {
            let removed = state.store.remove(&resource, key, &mut last);
            // An update that removes the object returns it with the version of before.
            if call.request.method == http::Method::DELETE {
                object["metadata"]["resourceVersion"] = removed.revision.to_string().into();
            }
            hooks::after_removal(state, &call.resource, &last);
        }
    }
    object
}

/// Whether an object would be stored as it is, in the storage version of its kind and under its schema.
pub(super) fn is_written_as_read(state: &State, call: &ResourceRequest) -> Result<bool, Stop> {
    let resource = &call.resource;
    let storage = resource.storage();
    if !resource.is_custom {
        return Ok(true);
    }
    let Some(stored) = state.store.get(&resource.collection(), &call.key()) else { return Ok(false) };
    if resource.is_current(stored, storage) {
        return Ok(true);
    }
    match resource.decode(&call.external, stored, storage) {
        Ok(read) => Ok(read == stored.value()),
        Err(Stop::Fails(_)) => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// Converts an object of a request to the version that is stored, with the defaults that reading it would set.
fn to_storage(call: &ResourceRequest, object: Value) -> Result<Value, Stop> {
    let mut stored = call.resource.to_storage(&call.external, object)?;
    if let Some(schema) = &call.resource.versions[call.resource.storage()].schema {
        schema.prune_and_default(&mut stored);
    }
    Ok(stored)
}

/// Returns whether an update takes away what delayed the deletion of an object.
pub(super) fn ends_deletion(call: &ResourceRequest, old: &Value, new: &Value) -> bool {
    is_deleted(new)
        && !call.resource.is_finalized_by_spec(new)
        && (has_finalizers(old) || call.resource.is_finalized_by_spec(old))
}

/// Returns whether nothing delays the deletion of an object any more.
fn is_deleted(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let is_waited_for = metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds > 0);
    !metadata["deletionTimestamp"].is_null() && !is_waited_for && !has_finalizers(object)
}

/// Returns whether an update changes nothing, so that the server does not write it.
pub(super) fn is_unchanged(old: &Value, new: &Value) -> bool {
    is_equal_besides(old, new, "metadata") && is_equal_besides(&old["metadata"], &new["metadata"], "resourceVersion")
}

/// Returns whether the members of two objects are equal, apart from one of them.
fn is_equal_besides(old: &Value, new: &Value, name: &str) -> bool {
    fn others<'v>(object: &'v Value, name: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
        object.as_object().into_iter().flat_map(Map::iter).filter(move |(member, _)| *member != name)
    }
    others(old, name).eq(others(new, name))
}
