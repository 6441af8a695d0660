//! The scale subresource.

use crdkit_core::{ErrorType, object_processing::FieldError};
use serde_json::{Value, json};

use super::{
    admission, apply, decode,
    draft::Draft,
    failure::Failure,
    go_types,
    managed_fields::{
        self, Writer,
        scale::{Scales, track_scale, track_scaled},
        track_update,
    },
    patch,
    request::ResourceRequest,
    resource::Resource,
    response::{Content, Reply},
    state::State,
    table,
    types::{self, DecodeError},
    validation::WrittenPart,
    value::text,
    webhook_calls::Stop,
    write::{Operation, check_name},
};

pub(super) mod path;

/// The replicas of the scale of an object without replicas, while it is written.
const NO_REPLICAS: i64 = i32::MIN as i64;

/// The paths behind the scale of an object, as lists of names.
struct Paths {
    spec: Vec<String>,
    status: Vec<String>,
    selector: Selector,
}

/// The selector of the Pods that a scale counts.
enum Selector {
    None,
    /// The path of a text.
    Text(Vec<String>),
    /// `spec.selector` of a built-in kind.
    Labels,
    /// `spec.selector` of a ReplicationController, which has labels alone.
    Map,
}

impl Paths {
    fn of(call: &ResourceRequest) -> Result<Self, Failure> {
        Self::of_version(&call.resource, &call.api_version()).ok_or_else(Failure::no_such_path)
    }

    /// Returns the paths of an `apiVersion`, if its objects have a scale.
    fn of_version(resource: &Resource, api_version: &str) -> Option<Self> {
        let names = |path: &str| path::names(path).map(str::to_owned).collect();
        let (_, version) = resource.by_api_version(api_version)?;
        let scale = version.spec.subresources.as_ref()?.scale.as_ref()?;
        Some(Self {
            spec: names(&scale.spec_replicas_path),
            status: names(&scale.status_replicas_path),
            selector: match scale.label_selector_path.as_deref() {
                Some(path) => Selector::Text(names(path)),
                None if resource.is_custom => Selector::None,
                None if resource.names.kind == "ReplicationController" => Selector::Map,
                None => Selector::Labels,
            },
        })
    }

    fn replicas(&self, object: &Value) -> Option<i64> {
        path::at(self.spec.iter().map(String::as_str), object).and_then(Value::as_i64)
    }

    fn scale(&self, object: &Value) -> Value {
        let at = |path: &[String]| path::at(path.iter().map(String::as_str), object);
        let metadata = &object["metadata"];
        let names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
        let kept = names.into_iter().filter_map(|name| Some((name.to_owned(), metadata.get(name)?.clone())));
        let mut scale = json!({
            "kind": "Scale", "apiVersion": "autoscaling/v1",
            "metadata": Value::Object(kept.collect()),
            "spec": {},
            "status": { "replicas": at(&self.status).and_then(Value::as_i64).unwrap_or_default() },
        });
        if let Some(replicas) = self.replicas(object).filter(|replicas| *replicas != 0) {
            scale["spec"]["replicas"] = replicas.into();
        }
        let labels = &object["spec"]["selector"];
        let selector = match &self.selector {
            Selector::None => String::new(),
            Selector::Text(path) => at(path).and_then(Value::as_str).unwrap_or_default().to_owned(),
            Selector::Labels => table::requirements(labels),
            Selector::Map => table::requirements(&json!({ "matchLabels": labels })),
        };
        if !selector.is_empty() {
            scale["status"]["selector"] = selector.into();
        }
        scale
    }
}

pub(super) fn get(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let paths = Paths::of(call)?;
    let stored = state.stored(call)?.clone();
    let object = state.read(call, &stored)?;
    Ok(Reply::new(200, Content::Document(paths.scale(&object))))
}

/// Returns the scale of an object that was written.
pub(super) fn written(call: &ResourceRequest, object: &Value) -> Result<Reply, Failure> {
    Ok(Reply::new(200, Content::Document(Paths::of(call)?.scale(object))))
}

pub(super) fn update(state: &mut State, call: &ResourceRequest) -> Result<Draft, Stop> {
    let scale = decode::document(&call.request.body, call.request.content_type()).map_err(Failure::bad_request)?.object;
    if !matches!(text(&scale, "kind"), "" | "Scale") {
        const PROBLEM: &str = "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"";
        return Err(Failure::bad_request(PROBLEM).into());
    }
    read(&scale).map_err(|error| {
        Failure::bad_request(format!("Scale in version \"v1\" cannot be handled as a Scale: {}", error.message))
    })?;
    draft(state, call, |_, _| Ok(scale))
}

pub(super) fn patch(state: &mut State, call: &ResourceRequest) -> Result<Draft, Stop> {
    match call.request.content_type() {
        patch::APPLY => {
            let configuration = apply::configuration(call)?.object;
            draft(state, call, |old, writer| {
                let force = call.query.flag("force");
                let apply = if call.resource.is_custom {
                    managed_fields::scale::apply_custom
                } else {
                    managed_fields::scale::apply
                };
                apply(old, &configuration, writer, force).map_err(apply::failure)
            })
        }
        _ => draft(state, call, |old, _| {
            let mut decoded = patch::patched(old, call)?;
            let unknown = read(&decoded.object).map_err(|error| patch::refusal(old, call, &error.message))?;
            decoded.strict_errors.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
            let problem = decode::strict_error(&decoded.strict_errors);
            decoded.check_strictness(call, || patch::invalid_patch(&decoded.object, &problem))?;
            Ok(decoded.object)
        }),
    }
}

/// Returns the object with the scale that `change` returns for the old one.
fn draft(
    state: &mut State,
    call: &ResourceRequest,
    change: impl FnOnce(&Value, &Writer<'_>) -> Result<Value, Failure>,
) -> Result<Draft, Stop> {
    let paths = Paths::of(call)?;
    let stored = state.stored(call)?.clone();
    let old = state.read(call, &stored)?;
    let replicas_path = |api_version: &str| Paths::of_version(&call.resource, api_version).map(|paths| paths.spec);
    let mut old_scale = paths.scale(&old);
    track_scale(&old, &replicas_path, &mut old_scale);
    if paths.replicas(&old).is_none() {
        old_scale["spec"]["replicas"] = NO_REPLICAS.into();
    }

    let (manager, time) = (call.field_manager(), state.time_of(call));
    let writer = Writer { manager: &manager, api_version: "autoscaling/v1", subresource: "scale", time };
    let mut scale = change(&old_scale, &writer)?;
    check(call, &old, &scale)?;
    let replicas = scale["spec"]["replicas"].clone();
    if call.request.content_type() != patch::APPLY {
        // A scale of zero replicas has no such field.
        if let Some(spec) = scale["spec"].as_object_mut().filter(|_| replicas == 0) {
            spec.remove("replicas");
        }
        track_update(&Scales, Some(&old_scale), &mut scale, &writer);
    }
    let scale = admit(state, call, &old_scale, scale)?;
    let replicas = scale["spec"]["replicas"].clone();
    check_replicas(call, &replicas)?;
    if replicas == NO_REPLICAS {
        let path = crdkit_core::go::quote(&format!(".{}", paths.spec.join(".")));
        return Err(Failure::bad_request(format!("the spec replicas field {path} cannot be empty")).into());
    }
    let mut new = old.clone();
    set(&mut new, &paths.spec, replicas.as_i64().unwrap_or_default().into());
    track_scaled(&call.versions(), &mut new, &replicas_path, &scale, &call.api_version());
    call.external.require_answers()?;
    Ok(Draft { part: WrittenPart::Main, old: Some(old), new, operation: Operation::Apply })
}

/// Lets webhooks change and refuse a scale.
fn admit(state: &mut State, call: &ResourceRequest, old: &Value, new: Value) -> Result<Value, Stop> {
    let new = admission::mutate(state, call, Some(old), new)?;
    admission::check(state, call, Some(old), &new)?;
    Ok(new)
}

/// Checks the types of the fields of a scale, and returns the paths of fields that it does not have.
fn read(scale: &Value) -> Result<Vec<String>, DecodeError> {
    let type_ = go_types::of_kind("autoscaling/v1", "Scale").expect("the server has scales");
    types::decode(type_, &mut scale.clone())
}

fn check(call: &ResourceRequest, old: &Value, scale: &Value) -> Result<(), Failure> {
    if !scale.is_object() || scale.get("spec").is_some_and(|spec| !spec.is_object()) {
        return Err(Failure::bad_request("the object provided is unrecognized (must be of type Scale)"));
    }
    if !text(&scale["metadata"], "name").is_empty() {
        check_name(call, scale)?;
    }
    let expected = text(&scale["metadata"], "resourceVersion");
    if !expected.is_empty() && expected != text(&old["metadata"], "resourceVersion") {
        return Err(call.resource.modified(call.name()));
    }
    let replicas = scale["spec"]["replicas"].as_i64().unwrap_or_default();
    if !call.resource.is_custom && replicas < 0 && replicas != NO_REPLICAS {
        let error = FieldError {
            place: ".spec.replicas".to_owned(),
            kind: ErrorType::Invalid,
            value: Some(replicas.to_string()),
            detail: "must be greater than or equal to 0".to_owned(),
        };
        return Err(Failure::invalid("autoscaling", "Scale", call.name(), &[error]));
    }
    Ok(())
}

/// The scale of a built-in kind is validated on its own, that of a custom resource with the object.
fn check_replicas(call: &ResourceRequest, replicas: &Value) -> Result<(), Failure> {
    let Some(negative) = replicas.as_i64().filter(|replicas| !call.resource.is_custom && *replicas < 0) else {
        return Ok(());
    };
    let error = FieldError {
        place: ".spec.replicas".to_owned(),
        kind: ErrorType::Invalid,
        value: Some(negative.to_string()),
        detail: "must be greater than or equal to 0".to_owned(),
    };
    Err(Failure::invalid("autoscaling", "Scale", call.name(), &[error]))
}

fn set(object: &mut Value, path: &[String], value: Value) {
    let mut at = object;
    for name in path {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = value;
}
