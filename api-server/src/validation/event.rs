//! Validation of Events, as in `pkg/apis/core/validation/events.go` of Kubernetes.

use crdkit_core::{ErrorType, go, literal::dns, object_processing::FieldError};
use serde_json::{Map, Value};

use crate::{metadata_validation, resource::Resource, value::text};

const MAX_INSTANCE: usize = 128;
const MAX_ACTION: usize = 128;
const MAX_REASON: usize = 128;
const MAX_NOTE: usize = 1_024;

/// The members of an Event that the two versions name differently. Errors have the names of the internal version.
struct Names {
    regarding: &'static str,
    note: &'static str,
    controller: &'static str,
    source: &'static str,
    first_timestamp: &'static str,
    last_timestamp: &'static str,
    count: &'static str,
}

/// The names of the core group.
const LEGACY: Names = Names {
    regarding: "involvedObject",
    note: "message",
    controller: "reportingComponent",
    source: "source",
    first_timestamp: "firstTimestamp",
    last_timestamp: "lastTimestamp",
    count: "count",
};

/// The names of `events.k8s.io`.
const STRICT: Names = Names {
    regarding: "regarding",
    note: "note",
    controller: "reportingController",
    source: "deprecatedSource",
    first_timestamp: "deprecatedFirstTimestamp",
    last_timestamp: "deprecatedLastTimestamp",
    count: "deprecatedCount",
};

/// Returns the errors of an Event.
pub(crate) fn errors(resource: &Resource, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    if resource.is_custom || resource.names.kind != "Event" {
        return Vec::new();
    }
    if resource.group.is_empty() {
        return of_both(&LEGACY, new);
    }
    let mut errors = of_both(&STRICT, new);
    match old {
        None => {
            errors.extend(metadata_validation::create_errors(resource, new));
            errors.extend(of_series(new));
            errors.extend(of_creation(new));
        }
        Some(old) => {
            errors.extend(metadata_validation::update_errors(resource, old, new));
            if old["series"] != new["series"] {
                errors.extend(of_series(new));
            }
            errors.extend(changes(old, new));
        }
    }
    errors
}

fn error(place: &str, kind: ErrorType, value: Option<String>, detail: &str) -> FieldError {
    FieldError { place: format!(".{place}"), kind, value, detail: detail.to_owned() }
}

fn invalid(place: &str, value: &str, detail: &str) -> FieldError {
    error(place, ErrorType::Invalid, Some(go::quote(value)), detail)
}

/// Returns the errors of an Event of either version.
fn of_both(names: &Names, event: &Value) -> Vec<FieldError> {
    let namespace = text(&event["metadata"], "namespace");
    let regarding = text(&event[names.regarding], "namespace");
    let mismatch = || invalid("involvedObject.namespace", regarding, "does not match event.namespace");
    if event["eventTime"].is_null() {
        let is_match = regarding == namespace || regarding.is_empty() && namespace == "default";
        return if is_match { Vec::new() } else { vec![mismatch()] };
    }
    let mut errors = Vec::new();
    if regarding.is_empty() && !matches!(namespace, "default" | "kube-system") {
        errors.push(mismatch());
    }
    errors.extend(of_controller(names.controller, text(event, names.controller)));
    let limited = |member: &str, place: &str, limit: usize, is_required: bool| {
        let value = text(event, member);
        let missing = (is_required && value.is_empty()).then(|| error(place, ErrorType::Required, None, ""));
        let long = (value.len() > limit).then(|| invalid(place, "", &format!("can have at most {limit} characters")));
        missing.into_iter().chain(long)
    };
    errors.extend(limited("reportingInstance", "reportingInstance", MAX_INSTANCE, true));
    errors.extend(limited("action", "action", MAX_ACTION, true));
    errors.extend(limited("reason", "reason", MAX_REASON, true));
    errors.extend(limited(names.note, "message", MAX_NOTE, false));
    errors
}

fn of_controller(place: &str, controller: &str) -> Vec<FieldError> {
    let missing = controller.is_empty().then(|| error(place, ErrorType::Required, None, ""));
    let malformed = dns::qualified_name(controller).err();
    let messages =
        malformed.into_iter().flat_map(|it| it.messages().map(|message| invalid(place, controller, message)));
    missing.into_iter().chain(messages.collect::<Vec<_>>()).collect()
}

fn of_series(event: &Value) -> Vec<FieldError> {
    let Some(series) = event["series"].as_object() else {
        return Vec::new();
    };
    let count = series.get("count").and_then(Value::as_i64).unwrap_or_default();
    let few =
        (count < 2).then(|| error("series.count", ErrorType::Invalid, Some("\"\"".to_owned()), "should be at least 2"));
    let is_timeless = series.get("lastObservedTime").is_none_or(Value::is_null);
    let timeless = is_timeless.then(|| error("series.lastObservedTime", ErrorType::Required, None, ""));
    few.into_iter().chain(timeless).collect()
}

/// Returns the errors of a new Event of `events.k8s.io`.
fn of_creation(event: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if event["eventTime"].is_null() {
        errors.push(error("eventTime", ErrorType::Required, None, ""));
    }
    let type_ = text(event, "type");
    if !matches!(type_, "Normal" | "Warning") {
        errors.push(invalid("type", "", &format!("has invalid value: {type_}")));
    }
    let source = &event[STRICT.source];
    let is_set = |value: &Value| !value.is_null() && *value != 0;
    let unset = [
        ("firstTimestamp", is_set(&event[STRICT.first_timestamp])),
        ("lastTimestamp", is_set(&event[STRICT.last_timestamp])),
        ("count", is_set(&event[STRICT.count])),
        ("source", ["component", "host"].iter().any(|member| !text(source, member).is_empty())),
    ];
    let set = unset.into_iter().filter(|(_, is_set)| *is_set);
    errors.extend(set.map(|(place, _)| invalid(place, "", "needs to be unset")));
    errors
}

/// Returns the errors of members of an Event of `events.k8s.io` that cannot change.
fn changes(old: &Value, new: &Value) -> Vec<FieldError> {
    const REFERENCE: &[&str] = &["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    const SOURCE: &[&str] = &["component", "host"];
    // In the order of the server, which checks the reason twice and reports equal errors once.
    let members: [(&str, &str, &[&str]); 13] = [
        (STRICT.regarding, "involvedObject", REFERENCE),
        ("reason", "reason", &[]),
        (STRICT.note, "message", &[]),
        (STRICT.source, "source", SOURCE),
        (STRICT.first_timestamp, "firstTimestamp", &[]),
        (STRICT.last_timestamp, "lastTimestamp", &[]),
        (STRICT.count, "count", &[]),
        ("type", "type", &[]),
        ("eventTime", "eventTime", &[]),
        ("action", "action", &[]),
        ("related", "related", REFERENCE),
        (STRICT.controller, "reportingController", &[]),
        ("reportingInstance", "reportingInstance", &[]),
    ];
    let changed = members.into_iter().filter(|(member, ..)| normal(&old[*member]) != normal(&new[*member]));
    changed
        .map(|(member, place, fields)| {
            // An absent text is an empty one in Go, an absent time is null.
            let is_text =
                matches!(place, "reason" | "message" | "type" | "action" | "reportingController" | "reportingInstance");
            let value = if is_text { go::quote(text(new, member)) } else { internal(&new[member], fields) };
            error(place, ErrorType::Invalid, Some(value), "field is immutable")
        })
        .collect()
}

/// Returns a value without what is empty, which the server cannot tell from what is absent.
fn normal(value: &Value) -> Value {
    let is_empty = |value: &Value| value.is_null() || *value == "" || *value == 0;
    match value {
        Value::Object(members) => {
            let set: Map<_, _> = members
                .iter()
                .filter(|(_, value)| !is_empty(value))
                .map(|(name, it)| (name.clone(), it.clone()))
                .collect();
            if set.is_empty() { Value::Null } else { set.into() }
        }
        value if is_empty(value) => Value::Null,
        value => value.clone(),
    }
}

/// Returns a value as the server's messages quote it: structs with the names of Go's fields.
fn internal(value: &Value, fields: &[&str]) -> String {
    if fields.is_empty() {
        return value.as_str().map_or_else(|| value.to_string(), go::quote);
    }
    if value.is_null() {
        return "null".to_owned();
    }
    let go_name = |field: &str| match field {
        "uid" => "UID".to_owned(),
        "apiVersion" => "APIVersion".to_owned(),
        field => format!("{}{}", field[..1].to_uppercase(), &field[1..]),
    };
    let members: Vec<_> = fields
        .iter()
        .map(|field| format!("{}:{}", go::quote(&go_name(field)), go::quote(text(value, field))))
        .collect();
    format!("{{{}}}", members.join(","))
}
