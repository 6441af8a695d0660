//! The steps that all writes have in common.

use serde_json::{Map, Value, json};

use super::{
    admission,
    admission::configuration,
    definitions,
    external::Stop,
    failure::Failure,
    hooks, kinds,
    managed_fields::{Writer, keep_times, track_update},
    object_meta::{self, has_finalizers},
    request::Call,
    response::Written,
    state::{NamespacePhase, State},
    store::Key,
    validation::{self, Part},
    value::text,
};

mod checks;
mod prepare;

use checks::check_preconditions;
pub(super) use checks::{check_name, check_namespace, check_uid};
use prepare::{complete_applied, keep_metadata, prepare_create, prepare_update, wipe_metadata};

/// How an object came to be, for its managed fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Update,
    /// The managed fields are those of the merge.
    Apply,
}

/// Creates an object that was decoded, and returns it.
pub(super) fn create(state: &mut State, call: &Call, mut object: Value, operation: Operation) -> Result<Written, Stop> {
    let is_versioned = !matches!(text(&object["metadata"], "resourceVersion"), "" | "0");
    check_namespace(call, &mut object)?;
    wipe_metadata(&mut object);
    call.resource.set_defaults(&mut object);
    if operation == Operation::Update {
        track(state, call, None, &mut object)?;
    }
    if call.resource.is_terminating {
        let problem = "create not allowed while custom resource definition is terminating";
        return Err(call.resource.forbidden(text(&object["metadata"], "name"), problem).into());
    }
    check_namespace_exists(state, call, &object)?;
    call.resource.admit(&mut object);
    object = admission::mutate(state, call, None, object)?;
    state.authorization.authorize_write(&state.store, call, None, &object)?;
    fill_metadata(state, call, &mut object);
    prepare_create(call, &mut object);
    let name = text(&object["metadata"], "name").to_owned();
    check_object(call, Part::Main, None, &object)?;
    admission::check(state, call, None, &object)?;
    let key = Key::new(text(&object["metadata"], "namespace"), &name);
    if is_versioned && !call.is_dry_run() {
        return Err(Failure::internal("resourceVersion should not be set on objects to be created").into());
    }
    if let Some(existing) = state.store.get(&call.resource.qualified(), &key) {
        let is_deleting = !existing.value()["metadata"]["deletionTimestamp"].is_null();
        return Err(call.resource.already_exists(&object["metadata"], is_deleting).into());
    }
    if operation == Operation::Apply {
        complete_applied(call, &mut object);
    }
    commit(state, call, &key, object)
}

/// Replaces an object, after checks, and returns it.
pub(super) fn replace(
    state: &mut State,
    call: &Call,
    part: Part,
    old: &Value,
    mut new: Value,
    operation: Operation,
) -> Result<Written, Stop> {
    check_namespace(call, &mut new)?;
    call.resource.set_defaults(&mut new);
    if operation == Operation::Update {
        track(state, call, Some(old), &mut new)?;
    }
    if !call.is_scale() {
        call.resource.admit(&mut new);
        new = admission::mutate(state, call, Some(old), new)?;
    }
    state.authorization.authorize_write(&state.store, call, Some(old), &new)?;
    check_preconditions(call, old, &new)?;
    keep_metadata(old, &mut new);
    prepare_update(call, part, old, &mut new);
    check_object(call, part, Some(old), &new)?;
    if !call.is_scale() {
        admission::check(state, call, Some(old), &new)?;
    }
    keep_times(old, &mut new);
    if is_unchanged(old, &new) && is_written_as_read(state, call)? {
        return Ok(old.clone().into());
    }
    if operation == Operation::Apply {
        complete_applied(call, &mut new);
    }
    let key = call.key();
    if is_deleted(&new)
        && !call.resource.is_finalized_by_spec(&new)
        && (has_finalizers(old) || call.resource.is_finalized_by_spec(old))
    {
        return Ok(remove(state, call, &key, new).into());
    }
    commit(state, call, &key, new)
}

pub(super) fn track(state: &State, call: &Call, old: Option<&Value>, new: &mut Value) -> Result<(), Stop> {
    let (manager, api_version, time) = (call.field_manager(), call.api_version(), state.time_of(call));
    let subresource = call.target.subresource.as_deref().unwrap_or_default();
    let writer = Writer { manager: &manager, api_version: &api_version, subresource, time };
    let empty = || kinds::empty(&call.resource.group, &call.version().spec.name, call.kind());
    let old = old.or_else(|| if call.resource.is_custom { None } else { empty().map(|empty| &empty.new) });
    track_update(&call.versions(), old, new, &writer);
    call.external.require_answers()
}

/// Sets what the server generates: the name, the UID and the time of creation.
fn fill_metadata(state: &mut State, call: &Call, object: &mut Value) {
    let prefix = text(&object["metadata"], "generateName");
    if text(&object["metadata"], "name").is_empty() && !prefix.is_empty() {
        let (resource, namespace) = (call.resource.qualified(), text(&object["metadata"], "namespace"));
        let is_used = |state: &State, name: &str| state.store.get(&resource, &Key::new(namespace, name)).is_some();
        let name = call.generated_name.get_or_init(|| state.generate_unused_name(prefix, is_used));
        object["metadata"]["name"] = name.as_str().into();
    }
    let metadata = &mut object["metadata"];
    metadata["uid"] = call.uid.get_or_init(|| state.new_uid()).as_str().into();
    metadata["creationTimestamp"] = state.time_of(call).into();
}

fn check_namespace_exists(state: &State, call: &Call, created: &Value) -> Result<(), Failure> {
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

fn check_object(call: &Call, part: Part, old: Option<&Value>, new: &Value) -> Result<(), Failure> {
    let mut errors = validation::validate(call, part, old, new);
    let mut warnings = Vec::new();
    if call.resource.is_definition() && part == Part::Main {
        let problems = definitions::check(old, new);
        errors.extend(problems.errors);
        warnings = problems.warnings;
    }
    errors.extend(configuration::errors(&call.resource, new));
    errors.extend(validation::workload_errors(&call.resource, new));
    errors.extend(validation::event_errors(&call.resource, old, new));
    if errors.is_empty() {
        if call.resource.is_custom {
            warnings.extend(object_meta::finalizer_warnings(old, new));
        }
        warnings.into_iter().for_each(|warning| call.warn(warning));
        return Ok(());
    }
    let name = text(&new["metadata"], "name");
    // The server names the type that the object claims.
    let group = text(new, "apiVersion").split_once('/').map_or("", |(group, _)| group);
    Err(Failure::invalid(group, text(new, "kind"), name, &errors))
}

/// Writes an object, unless the request is a dry run, and returns it in the requested version.
pub(super) fn commit(state: &mut State, call: &Call, key: &Key, object: Value) -> Result<Written, Stop> {
    let storage = call.resource.storage();
    let (mut stored, read) = if storage == call.version {
        (object, None)
    } else {
        let stored = to_storage(call, object, storage)?;
        // The client gets what a read of the stored object returns.
        let read = call.resource.convert(&call.external, stored.clone(), call.version)?;
        (stored, Some(read))
    };
    if call.is_dry_run() {
        return Ok(read.unwrap_or(stored).into());
    }
    let written = state.store.put(&call.resource.qualified(), key, &mut stored);
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
pub(super) fn remove(state: &mut State, call: &Call, key: &Key, mut object: Value) -> Value {
    if !call.is_dry_run() {
        // A watch has the object as it was stored last.
        let resource = call.resource.qualified();
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
fn is_written_as_read(state: &State, call: &Call) -> Result<bool, Stop> {
    let resource = &call.resource;
    let storage = resource.storage();
    if !resource.is_custom {
        return Ok(true);
    }
    let Some(stored) = state.store.get(&resource.qualified(), &call.key()) else { return Ok(false) };
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
fn to_storage(call: &Call, object: Value, version: usize) -> Result<Value, Stop> {
    let mut stored = call.resource.convert(&call.external, object, version)?;
    if let Some(schema) = &call.resource.versions[version].schema {
        schema.prune_and_default(&mut stored);
    }
    Ok(stored)
}

/// Returns whether nothing delays the deletion of an object any more.
fn is_deleted(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let is_waited_for = metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds > 0);
    !metadata["deletionTimestamp"].is_null() && !is_waited_for && !has_finalizers(object)
}

/// Returns whether an update changes nothing, so that the server does not write it.
fn is_unchanged(old: &Value, new: &Value) -> bool {
    is_equal_besides(old, new, "metadata") && is_equal_besides(&old["metadata"], &new["metadata"], "resourceVersion")
}

/// Returns whether the members of two objects are equal, apart from one of them.
fn is_equal_besides(old: &Value, new: &Value, name: &str) -> bool {
    fn others<'v>(object: &'v Value, name: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
        object.as_object().into_iter().flat_map(Map::iter).filter(move |(member, _)| *member != name)
    }
    others(old, name).eq(others(new, name))
}
