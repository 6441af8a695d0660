//! Deletion of objects and of collections.

use std::sync::Arc;

use crdkit_core::{ErrorType, go, object_processing::FieldError};
use serde_json::{Value, json};

use super::{
    admission, decode, definitions,
    failure::{Failure, qualified_kind},
    metadata_validation::has_finalizers,
    options,
    request::ResourceRequest,
    resource::Resource,
    response::{Content, Items, List, Reply},
    selection::Selection,
    state::State,
    store::{Key, Stored},
    strategy::Grace,
    value::text,
    webhook_calls::{self, Stop},
    write,
};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";
const IGNORE_READ_ERRORS: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// `DeleteOptions`, from the body or the query.
#[derive(Debug, Default)]
struct Options {
    grace_period: Option<i64>,
    propagation: Option<String>,
    /// The older form of the propagation policy.
    orphan_dependents: Option<bool>,
    dry_run: Vec<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    has_preconditions: bool,
    ignores_read_errors: bool,
}

impl Options {
    fn parse(call: &ResourceRequest) -> Result<Self, Failure> {
        let options = if call.request.body.is_empty() { Self::of_query(call)? } else { Self::of_body(call)? };
        let errors = options.errors();
        if errors.is_empty() { Ok(options) } else { Err(Failure::invalid("meta.k8s.io", "DeleteOptions", "", &errors)) }
    }

    fn of_query(call: &ResourceRequest) -> Result<Self, Failure> {
        let query = &call.query;
        let parameter = |name: &str| Some(query.get(name).to_owned()).filter(|it| !it.is_empty());
        let (uid, resource_version) = (parameter("uid"), parameter("resourceVersion"));
        Ok(Self {
            grace_period: query.number("gracePeriodSeconds")?,
            propagation: parameter("propagationPolicy"),
            orphan_dependents: query.has("orphanDependents").then(|| query.flag("orphanDependents")),
            dry_run: query.all("dryRun").map(str::to_owned).collect(),
            has_preconditions: uid.is_some() || resource_version.is_some(),
            uid,
            resource_version,
            ignores_read_errors: query.flag(IGNORE_READ_ERRORS),
        })
    }

    fn of_body(call: &ResourceRequest) -> Result<Self, Failure> {
        let body =
            decode::document(&call.request.body, call.request.content_type()).map_err(Failure::bad_request)?.object;
        let (api_version, kind) = (text(&body, "apiVersion"), text(&body, "kind"));
        if !kind.is_empty() && kind != "DeleteOptions" {
            return Err(Failure::bad_request(decode::not_registered(api_version, kind)));
        }
        if let Some(problem) = wrong_type(&body) {
            return Err(Failure::bad_request(format!("json: cannot unmarshal {problem}")));
        }
        let member = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let preconditions = &body["preconditions"];
        let dry_run = body["dryRun"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Self {
            grace_period: body["gracePeriodSeconds"].as_i64(),
            propagation: member(&body, "propagationPolicy"),
            orphan_dependents: body["orphanDependents"].as_bool(),
            dry_run: dry_run.map(str::to_owned).collect(),
            uid: member(preconditions, "uid"),
            resource_version: member(preconditions, "resourceVersion"),
            has_preconditions: preconditions.is_object(),
            ignores_read_errors: body[IGNORE_READ_ERRORS] == true,
        })
    }

    /// Returns what `ValidateDeleteOptions` of the server refuses.
    fn errors(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let mut error = |place: &str, kind, value: String, detail: &str| {
            errors.push(FieldError { place: format!(".{place}"), kind, value: Some(value), detail: detail.to_owned() });
        };
        if let Some(policy) = self.propagation.as_deref() {
            if self.orphan_dependents.is_some() {
                let detail = "orphanDependents and deletionPropagation cannot be both set";
                error("propagationPolicy", ErrorType::Invalid, go::quote(policy), detail);
            } else if !["Foreground", "Background", "Orphan"].contains(&policy) {
                let detail = "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"";
                error("propagationPolicy", ErrorType::NotSupported, go::quote(policy), detail);
            }
        }
        if let Some(value) = options::unsupported_dry_run(&self.dry_run.iter().map(String::as_str).collect::<Vec<_>>())
        {
            error("dryRun", ErrorType::NotSupported, value, options::DRY_RUNS);
        }
        if self.ignores_read_errors && self.has_preconditions {
            let detail = "cannot be set together with .preconditions";
            error(IGNORE_READ_ERRORS, ErrorType::Invalid, "true".to_owned(), detail);
        }
        errors
    }

    /// Returns the propagation policy, if the request has one.
    fn policy(&self) -> Option<&str> {
        let of_orphans = self.orphan_dependents.map(|is_set| if is_set { "Orphan" } else { "Background" });
        self.propagation.as_deref().or(of_orphans)
    }

    fn check_preconditions(&self, call: &ResourceRequest, name: &str, object: &Value) -> Result<(), Failure> {
        let metadata = &object["metadata"];
        let checks = [
            (&self.uid, text(metadata, "uid"), "UID", "deleted and then recreated"),
            (&self.resource_version, text(metadata, "resourceVersion"), "ResourceVersion", "modified"),
        ];
        for (expected, actual, what, reason) in checks {
            if let Some(expected) = expected.as_deref().filter(|expected| *expected != actual) {
                let kind = call.kind();
                let qualified = qualified_kind(&call.resource.group, kind);
                let message = format!(
                    "Operation cannot be fulfilled on {qualified} \"{name}\": the {what} in the precondition ({expected}) does not \
                     match the {what} in record ({actual}). The object might have been {reason}"
                );
                return Err(Failure::new(409, "Conflict", message).about(&call.resource.group, kind, name));
            }
        }
        Ok(())
    }
}

/// Returns the first member of `DeleteOptions` that has another type than its field, as Go's decoder describes it.
fn wrong_type(body: &Value) -> Option<String> {
    const TEXT: fn(&Value) -> bool = Value::is_string;
    const FLAG: fn(&Value) -> bool = Value::is_boolean;
    let fields = [
        ("", "gracePeriodSeconds", "int64", Value::is_i64 as fn(&Value) -> bool),
        ("", "preconditions", "v1.Preconditions", Value::is_object),
        ("preconditions", "uid", "types.UID", TEXT),
        ("preconditions", "resourceVersion", "string", TEXT),
        ("", "orphanDependents", "bool", FLAG),
        ("", "propagationPolicy", "v1.DeletionPropagation", TEXT),
        ("", "dryRun", "[]string", Value::is_array),
        ("", IGNORE_READ_ERRORS, "bool", FLAG),
    ];
    let problem = |value: &Value, field: &str, type_: &str| {
        let number = Some(value).filter(|it| it.is_number() && type_ == "int64");
        let number = number.map_or_else(String::new, |number| format!(" {number}"));
        format!("{}{number} into Go struct field {field} of type {type_}", decode::json_type(value))
    };
    let wrong = fields.into_iter().find_map(|(parent, name, type_, is_right)| {
        let (object, field) = match parent {
            "" => (body, format!("DeleteOptions.{name}")),
            _ => (&body[parent], format!("Preconditions.{parent}.{name}")),
        };
        let value = object.get(name).filter(|value| !value.is_null() && !is_right(value))?;
        Some(problem(value, &field, type_))
    });
    wrong.or_else(|| {
        let dry_run = body["dryRun"].as_array()?;
        let value = dry_run.iter().find(|value| !value.is_string() && !value.is_null())?;
        Some(problem(value, "DeleteOptions.dryRun", "string"))
    })
}

/// The result of a deletion.
enum Outcome {
    Removed(Value),
    /// The object has finalizers, or is waited for.
    Pending(Value),
}

pub(super) fn delete(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let options = Options::parse(call)?;
    let content = match delete_object(state, call, &call.key(), &options)? {
        Outcome::Pending(object) => Content::Object(object),
        Outcome::Removed(object) if call.resource.is_returned_after_deletion() => Content::Object(object),
        Outcome::Removed(object) => Content::Document(success(&call.resource, &object)),
    };
    Ok(Reply::new(200, content))
}

/// Deletes an object, after a change that shows why.
pub(super) fn delete_marked(
    state: &mut State,
    call: &ResourceRequest,
    mark: impl FnOnce(&mut Value),
) -> Result<(), Stop> {
    let mut options = Options::parse(call)?;
    if !call.is_dry_run() {
        let stored = state.stored(call)?.clone();
        let old = state.read(call, &stored)?;
        options.check_preconditions(call, call.name(), &old)?;
        let mut new = old.clone();
        mark(&mut new);
        if new != old {
            write::commit(state, call, &call.key(), new)?;
        }
        // The change is a new version.
        options.resource_version = None;
    }
    delete_object(state, call, &call.key(), &options).map(drop)
}

pub(super) fn delete_collection(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let options = Options::parse(call)?;
    let selection = Selection::parse(call, state.has_shards)?;
    let revision = state.store.revision();
    let collection = state.store.collection(&call.resource.collection());
    let objects: Vec<(Key, Arc<_>)> = collection
        .range(call.target.namespace.as_deref(), None)
        .map(|(key, stored)| (key.clone(), stored.clone()))
        .collect();
    let mut deleted = Vec::new();
    let objects: Vec<_> = webhook_calls::all(objects.into_iter().map(|(key, stored)| {
        let is_selected = selection.selects(call, &stored)?;
        Ok(is_selected.then_some((key, stored)))
    }))?
    .into_iter()
    .flatten()
    .flatten()
    .collect();
    prepare_deletions(state, call, objects.iter().map(|(_, stored)| &**stored))?;
    for (key, stored) in objects {
        deleted.push(state.read(call, &stored)?);
        delete_object(state, call, &key, &options)?;
    }
    let list = List {
        is_custom: call.resource.is_custom,
        kind: call.resource.list_kind(),
        api_version: call.api_version(),
        revision: Some(revision),
        next: None,
        remaining: None,
        shards: selection.shards(),
        items: Items::Objects(deleted),
    };
    Ok(Reply::new(200, Content::List(list)))
}

/// Gets the answers of webhooks about all objects, before the first one is deleted.
fn prepare_deletions<'o>(
    state: &mut State,
    call: &ResourceRequest,
    objects: impl Iterator<Item = &'o Stored>,
) -> Result<(), Stop> {
    for stored in objects {
        let object = state.read(call, stored)?;
        match admission::check_deletion(state, call, &object) {
            // The objects before this one are deleted.
            Err(Stop::Fails(_)) => break,
            result => result?,
        }
    }
    Ok(())
}

fn delete_object(state: &mut State, call: &ResourceRequest, key: &Key, options: &Options) -> Result<Outcome, Stop> {
    let stored =
        state.store.get(&call.resource.collection(), key).cloned().ok_or_else(|| call.resource.not_found(&key.name))?;
    let old = state.read(call, &stored)?;
    options.check_preconditions(call, &key.name, &old)?;
    admission::check_deletion(state, call, &old)?;
    if call.resource.is_definition() && old["metadata"]["deletionTimestamp"].is_null() {
        let mut object = old;
        definitions::begin_deletion(&mut object, &state.clock.text());
        return Ok(Outcome::Pending(write::commit(state, call, key, object)?.object));
    }
    let grace = call.resource.grace(&old, options.grace_period, state.clock.now());
    if matches!(grace, Grace::Pending) {
        return Ok(Outcome::Pending(old));
    }
    let mut object = old.clone();
    set_propagation(&mut object, options.policy());
    let is_kept = has_finalizers(&object) || call.resource.is_finalized_by_spec(&object);
    let is_waiting = match grace {
        Grace::Until { requested, seconds, time } => {
            set_deletion(&mut object, &time, Some(seconds));
            requested > 0
        }
        _ if !is_kept => return Ok(Outcome::Removed(write::remove(state, call, key, object))),
        _ => {
            let now = state.clock.text();
            let time = object["metadata"]["deletionTimestamp"]
                .as_str()
                .filter(|time| *time < now.as_str())
                .unwrap_or(&now)
                .to_owned();
            set_deletion(&mut object, &time, (!call.resource.is_namespace()).then_some(0));
            call.resource.mark_terminating(&mut object);
            false
        }
    };
    let object = if object == old { object } else { write::commit(state, call, key, object)?.object };
    if is_kept || is_waiting {
        Ok(Outcome::Pending(object))
    } else {
        Ok(Outcome::Removed(write::remove(state, call, key, object)))
    }
}

/// Marks an object as deleted. `seconds` is the grace period.
fn set_deletion(object: &mut Value, time: &str, seconds: Option<i64>) {
    let metadata = &mut object["metadata"];
    if metadata["deletionTimestamp"].is_null()
        && let Some(generation) = metadata["generation"].as_i64()
    {
        metadata["generation"] = (generation + 1).into();
    }
    metadata["deletionTimestamp"] = time.into();
    if let Some(seconds) = seconds {
        metadata["deletionGracePeriodSeconds"] = seconds.into();
    }
}

/// The finalizers of the garbage collector follow the propagation policy.
fn set_propagation(object: &mut Value, policy: Option<&str>) {
    let Some(policy) = policy else { return };
    let mut finalizers: Vec<Value> = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    let before = finalizers.clone();
    finalizers.retain(|it| it != FOREGROUND && it != ORPHAN);
    match policy {
        "Foreground" => finalizers.push(FOREGROUND.into()),
        "Orphan" => finalizers.push(ORPHAN.into()),
        _ => {}
    }
    if finalizers == before {
        return;
    }
    match (finalizers.is_empty(), &mut object["metadata"]) {
        (true, Value::Object(metadata)) => {
            metadata.remove("finalizers");
        }
        (_, metadata) => metadata["finalizers"] = finalizers.into(),
    }
}

fn success(resource: &Resource, object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut details =
        json!({ "name": text(metadata, "name"), "kind": resource.names.plural, "uid": text(metadata, "uid") });
    if !resource.group.is_empty() {
        details["group"] = resource.group.as_str().into();
    }
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details })
}
