//! The steps that all writes have in common.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    decode::text,
    definitions,
    failure::Failure,
    managed_fields::{Writer, keep_times, track_update},
    metadata, object_meta,
    request::Call,
    state::State,
    store::Key,
    validation::{self, Part},
};

/// How an object came to be, for its managed fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Update,
    /// The managed fields are those of the merge.
    Apply,
}

impl State {
    /// Creates an object that was decoded, and returns it.
    pub(super) fn create_object(
        &mut self,
        call: &Call,
        mut object: Value,
        operation: Operation,
    ) -> Result<Value, Failure> {
        let is_versioned = !matches!(text(&object["metadata"], "resourceVersion"), "" | "0");
        check_namespace(call, &mut object)?;
        self.fill_metadata(&mut object);
        call.resource.set_defaults(&mut object);
        if operation == Operation::Update {
            self.track(call, None, &mut object);
        }
        prepare_create(call, &mut object);
        self.check_namespace_exists(call, text(&object["metadata"], "name"))?;
        let name = text(&object["metadata"], "name").to_owned();
        self.check_object(call, Part::Main, None, &object)?;
        let key = Key::new(text(&object["metadata"], "namespace"), &name);
        if is_versioned && !call.is_dry_run() {
            return Err(Failure::internal("resourceVersion should not be set on objects to be created"));
        }
        if let Some(existing) = self.store.get(&call.resource.qualified(), &key) {
            let is_deleting = !existing.value()["metadata"]["deletionTimestamp"].is_null();
            return Err(Failure::already_exists(&call.resource, &name, is_deleting));
        }
        warn_of_finalizers(call, None, &object);
        if operation == Operation::Apply {
            complete_applied(call, &mut object);
        }
        self.commit(call, &key, object)
    }

    /// Replaces an object, after checks, and returns it.
    pub(super) fn replace_object(
        &mut self,
        call: &Call,
        part: Part,
        old: &Value,
        mut new: Value,
        operation: Operation,
    ) -> Result<Value, Failure> {
        check_namespace(call, &mut new)?;
        check_preconditions(call, old, &new)?;
        if operation == Operation::Update {
            self.track(call, Some(old), &mut new);
        }
        keep_metadata(old, &mut new);
        prepare_update(call, part, old, &mut new);
        self.check_object(call, part, Some(old), &new)?;
        keep_times(old, &mut new);
        if is_unchanged(old, &new) {
            return Ok(old.clone());
        }
        warn_of_finalizers(call, Some(old), &new);
        if operation == Operation::Apply {
            complete_applied(call, &mut new);
        }
        let key = call.key();
        if is_deleted(&new) && has_finalizers(old) {
            return self.remove(call, &key, new);
        }
        self.commit(call, &key, new)
    }

    fn track(&self, call: &Call, old: Option<&Value>, new: &mut Value) {
        let (manager, api_version, time) = (call.field_manager(), call.api_version(), self.clock.text());
        let subresource = call.target.subresource.as_deref().unwrap_or_default();
        if call.resource.is_custom && new["metadata"]["managedFields"] == json!([]) {
            // The empty list, which resets managed fields, is lost when a custom resource is decoded.
            set_or_remove(&mut new["metadata"], "managedFields", None);
        }
        let writer = Writer { manager: &manager, api_version: &api_version, subresource, time: &time };
        track_update(&*call.resource, old, new, &writer);
    }

    /// Sets what the server generates: the name, the UID and the time of creation.
    fn fill_metadata(&mut self, object: &mut Value) {
        let prefix = text(&object["metadata"], "generateName");
        if text(&object["metadata"], "name").is_empty() && !prefix.is_empty() {
            object["metadata"]["name"] = self.generate_name(prefix).into();
        }
        let uid = self.new_uid();
        let time = self.clock.text();
        let metadata = &mut object["metadata"];
        metadata["uid"] = uid.into();
        metadata["creationTimestamp"] = time.into();
        if let Value::Object(metadata) = metadata {
            for name in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation"] {
                metadata.remove(name);
            }
        }
    }

    fn check_namespace_exists(&self, call: &Call, name: &str) -> Result<(), Failure> {
        let Some(namespace) = &call.target.namespace else {
            return Ok(());
        };
        let Some(object) = self.namespace(namespace) else {
            return Err(Failure::new(404, "NotFound", format!("namespaces \"{namespace}\" not found")).about(
                "",
                "namespaces",
                namespace,
            ));
        };
        if object["metadata"]["deletionTimestamp"].is_null() {
            return Ok(());
        }
        let problem = format!("unable to create new content in namespace {namespace} because it is being terminated");
        let cause = serde_json::json!([{
            "reason": "NamespaceTerminating",
            "message": format!("namespace {namespace} is being terminated"),
            "field": "metadata.namespace",
        }]);
        Err(Failure::forbidden(&call.resource, name, &problem).with_detail("causes", cause))
    }

    fn check_object(&self, call: &Call, part: Part, old: Option<&Value>, new: &Value) -> Result<(), Failure> {
        let mut errors = validation::validate(call, part, old, new);
        if call.resource.is_definition() && part == Part::Main {
            errors.extend(definitions::errors(new));
        }
        if errors.is_empty() {
            if call.resource.is_custom {
                object_meta::finalizer_warnings(old, new).into_iter().for_each(|warning| call.warn(warning));
            }
            return Ok(());
        }
        let name = text(&new["metadata"], "name");
        // The server names the type that the object claims.
        let group = text(new, "apiVersion").split_once('/').map_or("", |(group, _)| group);
        Err(Failure::invalid(group, text(new, "kind"), name, &errors))
    }

    /// Writes an object, unless the request is a dry run, and returns it in the requested version.
    pub(super) fn commit(&mut self, call: &Call, key: &Key, mut object: Value) -> Result<Value, Failure> {
        if call.is_dry_run() {
            return Ok(object);
        }
        let mut stored = self.to_storage(call, object.clone())?;
        let written = self.store.put(&call.resource.qualified(), key, &mut stored);
        object["metadata"]["resourceVersion"] = written.revision.to_string().into();
        self.after_write(&call.resource, &stored)?;
        Ok(object)
    }

    /// Removes an object, unless the request is a dry run, and returns its last state.
    pub(super) fn remove(&mut self, call: &Call, key: &Key, object: Value) -> Result<Value, Failure> {
        if !call.is_dry_run() {
            let mut last = self.to_storage(call, object.clone())?;
            self.store.remove(&call.resource.qualified(), key, &mut last);
            self.after_removal(&call.resource, &last);
        }
        Ok(object)
    }

    /// Converts an object of a request to the version that is stored.
    pub(super) fn to_storage(&self, call: &Call, object: Value) -> Result<Value, Failure> {
        match call.resource.storage() {
            storage if storage == call.version => Ok(object),
            storage => call.resource.convert(object, storage),
        }
    }
}

/// An object must be in the namespace of the path, which is also the default.
pub(super) fn check_namespace(call: &Call, object: &mut Value) -> Result<(), Failure> {
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
pub(super) fn check_name(call: &Call, object: &Value) -> Result<(), Failure> {
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

fn check_preconditions(call: &Call, old: &Value, new: &Value) -> Result<(), Failure> {
    let name = call.name();
    let [uid, expected] = [old, new].map(|it| text(&it["metadata"], "uid"));
    if !expected.is_empty() && uid != expected {
        let path = [&call.resource.group, &call.resource.names.plural, call.namespace(), name];
        let key = path.into_iter().filter(|it| !it.is_empty()).fold("/registry".to_owned(), |key, it| key + "/" + it);
        let problem = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
             UID in precondition: {expected}, UID in object meta: {uid}"
        );
        return Err(Failure::conflict(&call.resource, name, &problem));
    }
    let [version, expected] = [old, new].map(|it| text(&it["metadata"], "resourceVersion"));
    match expected {
        "" | "0" if call.resource.is_custom => {
            let error = crdkit_core::admission::FieldError {
                place: ".metadata.resourceVersion".to_owned(),
                kind: crdkit_core::ErrorType::Invalid,
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
        _ => Err(Failure::modified(&call.resource, name)),
    }
}

/// The server warns of new finalizers without a domain.
fn warn_of_finalizers(call: &Call, old: Option<&Value>, new: &Value) {
    const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];
    if !call.resource.is_custom {
        return;
    }
    let names = |object: &Value| -> BTreeSet<String> {
        let list = object["metadata"]["finalizers"].as_array();
        list.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    let known = old.map(names).unwrap_or_default();
    for name in names(new).difference(&known) {
        if name.contains('/') || STANDARD.contains(&name.as_str()) {
            continue;
        }
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        call.warn(format!(
            "metadata.finalizers: {}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other \
             finalizer writers",
            crdkit_core::admission::go::quote(name)
        ));
    }
}

/// Keeps the metadata that only the server changes.
fn keep_metadata(old: &Value, new: &mut Value) {
    let old = &old["metadata"];
    let new = &mut new["metadata"];
    for name in ["generation", "creationTimestamp", "deletionTimestamp", "uid"] {
        set_or_remove(new, name, old.get(name).cloned());
    }
    // An update without a version is of the last one.
    if matches!(text(new, "resourceVersion"), "" | "0") {
        set_or_remove(new, "resourceVersion", old.get("resourceVersion").cloned());
    }
    if new.get("deletionGracePeriodSeconds").is_none() {
        set_or_remove(new, "deletionGracePeriodSeconds", old.get("deletionGracePeriodSeconds").cloned());
    }
}

/// Drops the nulls and the empty metadata of a merged object, which the server does when it reads the object from its store.
fn complete_applied(call: &Call, object: &mut Value) {
    if let Some(schema) = &call.version().schema {
        schema.prune_and_default(object);
    }
    // The metadata has been validated.
    let _ = metadata::decode(&mut object["metadata"]);
}

/// Drops what a creation cannot set.
fn prepare_create(call: &Call, object: &mut Value) {
    if call.version().has_status()
        && let Value::Object(members) = object
    {
        members.remove("status");
    }
    if call.resource.has_generation() {
        object["metadata"]["generation"] = 1.into();
    }
    call.resource.initialize(object);
}

/// Keeps what the request does not write, and counts changes of the desired state in `metadata.generation`.
fn prepare_update(call: &Call, part: Part, old: &Value, new: &mut Value) {
    match part {
        Part::Status => {
            let status = new.get("status").cloned();
            let managed_fields = new["metadata"].get("managedFields").cloned();
            let version = new["metadata"].get("resourceVersion").cloned();
            *new = old.clone();
            set_or_remove(new, "status", status);
            set_or_remove(&mut new["metadata"], "managedFields", managed_fields);
            set_or_remove(&mut new["metadata"], "resourceVersion", version);
        }
        Part::Main => {
            if call.version().has_status() {
                set_or_remove(new, "status", old.get("status").cloned());
            }
            if call.resource.has_generation() {
                let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
                let is_changed = !is_equal_besides_metadata(old, new);
                new["metadata"]["generation"] = (generation + i64::from(is_changed)).into();
            }
        }
    }
}

fn set_or_remove(object: &mut Value, name: &str, value: Option<Value>) {
    if let Value::Object(members) = object {
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
    }
}

/// Returns whether nothing delays the deletion of an object any more.
fn is_deleted(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let is_waited_for = metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds > 0);
    !metadata["deletionTimestamp"].is_null() && !is_waited_for && !has_finalizers(object)
}

/// Returns whether an update changes nothing, so that the server does not write it.
fn is_unchanged(old: &Value, new: &Value) -> bool {
    let mut new = new.clone();
    set_or_remove(&mut new["metadata"], "resourceVersion", old["metadata"].get("resourceVersion").cloned());
    *old == new
}

pub(super) fn has_finalizers(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|list| !list.is_empty())
}

fn is_equal_besides_metadata(old: &Value, new: &Value) -> bool {
    let members = |object: &Value| -> Map<String, Value> {
        let mut members = object.as_object().cloned().unwrap_or_default();
        members.remove("metadata");
        members
    };
    members(old) == members(new)
}
