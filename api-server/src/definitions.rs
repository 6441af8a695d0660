//! CustomResourceDefinitions: their validation, and the resources that they define.

use std::sync::{Arc, LazyLock};

use crdkit::{__internal::validate::validate_json, validate::Violation};
use crdkit_core::{
    ErrorType, Severity, go,
    object_processing::FieldError,
    rules::{approval, conversion as conversion_rules},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionNames as Names, CustomResourceDefinitionVersion,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    controllers::conditions,
    conversion::Conversion,
    failure::Failure,
    managed_fields::Topology,
    metadata_validation::has_finalizers,
    resource::{Resource, Schema, Version},
    state::State,
    store::{Key, SchemaId},
    value::{items, text},
};

mod names;

pub(super) const PLURAL: &str = "customresourcedefinitions";
pub(super) const GROUP: &str = "apiextensions.k8s.io";
pub(super) const QUALIFIED: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// Delays the removal of a definition until its objects are removed.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The condition of definitions in groups of Kubernetes.
const APPROVED: &str = "KubernetesAPIApprovalPolicyConformant";

/// The verbs of custom resources, in the order of discovery.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// Sets the fields of a definition that have defaults.
pub(super) fn set_defaults(definition: &mut Value) {
    let names = &mut definition["spec"]["names"];
    let kind = text(names, "kind").to_owned();
    if text(names, "singular").is_empty() {
        names["singular"] = kind.to_lowercase().into();
    }
    if text(names, "listKind").is_empty() {
        names["listKind"] = format!("{kind}List").into();
    }
    if definition["spec"]["conversion"].is_null() {
        definition["spec"]["conversion"] = json!({ "strategy": "None" });
    }
}

/// The errors of a definition, and the texts of its warnings.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) errors: Vec<FieldError>,
    pub(super) warnings: Vec<String>,
}

/// Checks a new definition, or a change of one.
pub(super) fn check(old: Option<&Value>, new: &Value) -> Problems {
    let mut problems = check_one(new);
    let Some(old) = old else { return problems };
    // The name cannot change, so that the server compares the names that it consists of instead.
    problems.errors.retain(|error| error.place != ".metadata.name");
    problems.errors.extend(change_errors(old, new));
    if !problems.warnings.is_empty() {
        let known = check_one(old).warnings;
        problems.warnings.retain(|warning| !known.contains(warning));
    }
    problems
}

fn check_one(definition: &Value) -> Problems {
    let mut problems = Problems::default();
    for violation in validate_json(definition) {
        match violation.severity {
            Severity::Error => problems.errors.push(field_error(&violation)),
            Severity::Warning => problems.warnings.push(violation.server_error),
            Severity::Defect | Severity::Lint => {}
        }
    }
    problems
}

/// Returns what a definition cannot change.
fn change_errors(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let is_established = is_established(old);
    let names = ["/spec/scope", "/spec/names/kind", "/spec/group", "/spec/names/plural"];
    for name in names.into_iter().skip(if is_established { 0 } else { 2 }) {
        let [old, new] = [old, new].map(|it| it.pointer(name).and_then(Value::as_str).unwrap_or_default());
        if old != new {
            errors.push(invalid(name.replace('/', "."), new, "field is immutable".to_owned()));
        }
    }
    let versions = items(&new["spec"]["versions"]);
    let stored = new["status"]["storedVersions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for (at, version) in stored.enumerate().filter(|(_, it)| versions.iter().all(|version| version["name"] != **it)) {
        let detail = format!(
            "missing from spec.versions; {version} was previously a storage version, and must remain in spec.versions until a storage \
             migration ensures no data remains persisted in {version} and removes {version} from status.storedVersions"
        );
        errors.push(invalid(format!(".status.storedVersions[{at}]"), version, detail));
    }
    errors
}

fn invalid(place: String, value: &str, detail: String) -> FieldError {
    FieldError { place, kind: ErrorType::Invalid, value: Some(go::quote(value)), detail }
}

fn field_error(violation: &Violation) -> FieldError {
    let text = match violation.server_error.as_str() {
        "" => violation.message.as_str(),
        text => text,
    };
    let kinds = [
        ErrorType::Required,
        ErrorType::Invalid,
        ErrorType::NotSupported,
        ErrorType::Forbidden,
        ErrorType::Duplicate,
        ErrorType::TooLong,
        ErrorType::TooMany,
        ErrorType::Internal,
    ];
    let split = |kind: ErrorType| Some((kind, text.strip_prefix(kind.as_str())?.trim_start_matches(": ")));
    let (kind, detail) = kinds.into_iter().find_map(split).unwrap_or((ErrorType::Other, text));
    FieldError { place: format!(".{}", violation.field), kind, value: None, detail: detail.to_owned() }
}

/// Serves the versions of a definition that was written, and updates its status.
pub(super) fn define(state: &mut State, definition: &Value) -> Result<(), Failure> {
    let key = Key::new("", text(&definition["metadata"], "name"));
    let mut updated = definition.clone();
    let crd: CustomResourceDefinition = serde_json::from_value(definition.clone())
        .map_err(|error| Failure::new(500, "InternalError", error.to_string()))?;
    names::accept_names(state, &mut updated);
    set_status(state, &crd, &mut updated);
    if is_established(&updated) {
        let conversion = Conversion::of_definition(definition, &state.conversions, &state.admission.services);
        let accepted = Names::deserialize(&updated["status"]["acceptedNames"]).unwrap_or_default();
        let resource = resource(&crd, accepted, conversion, schema_of(state, &crd));
        state.store.collection(&resource.collection()).schema = resource.schema;
        state.resources.serve(Arc::new(resource));
    }
    if updated != *definition {
        state.store.put(QUALIFIED, &key, &mut updated);
        names::accept_released_names(state, &crd.spec.group);
    }
    Ok(())
}

/// Converts the objects of a definition by functions, unless it has some.
#[cfg(feature = "webhook")]
pub(super) fn convert_with(state: &mut State, name: &str, functions: super::conversion::functions::Functions) {
    if state.conversions.contains_key(name) {
        return;
    }
    state.conversions.insert(name.to_owned(), functions);
    let definition = state.store.find(QUALIFIED, &Key::new("", name));
    if let Some(definition) = definition {
        // It was valid when it was stored.
        let _ = define(state, &definition);
    }
}

/// Returns the identifier of the schemas of a definition, which is a new one if they have changed.
fn schema_of(state: &mut State, crd: &CustomResourceDefinition) -> SchemaId {
    let schemas = |versions: Vec<&CustomResourceDefinitionVersion>| -> Vec<_> {
        versions.into_iter().map(|version| (version.name.clone(), version.schema.clone())).collect()
    };
    let new = schemas(served_or_stored(crd).collect());
    match state.resources.get(&crd.spec.group, &crd.spec.names.plural) {
        Some(known) if schemas(known.versions.iter().map(|it| &it.spec).collect()) == new => known.schema,
        _ => {
            state.last_schema = SchemaId(state.last_schema.0 + 1);
            state.last_schema
        }
    }
}

fn set_status(state: &State, crd: &CustomResourceDefinition, definition: &mut Value) {
    let is_established = is_established(definition);
    let (time, mut conditions) = (state.clock.text(), conditions_of(definition));
    let are_names_accepted = has_condition(&conditions, "NamesAccepted");
    let mut set = |kind, status, reason, message: &str| {
        conditions::set(&time, &mut conditions, kind, status, reason, message);
    };
    if are_names_accepted && !is_established {
        if has_invalid_authority(crd) {
            set("Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid");
        } else {
            set("Established", "True", "InitialNamesAccepted", "the initial names have been accepted");
        }
    }
    if approval::is_reserved(text(&definition["spec"], "group")) {
        // Definitions with another annotation are refused.
        let annotation = text(&definition["metadata"]["annotations"], approval::ANNOTATION);
        if annotation.starts_with("unapproved") {
            set(APPROVED, "False", "UnapprovedAnnotation", &format!("not approved: {}", go::quote(annotation)));
        } else {
            set(APPROVED, "True", "ApprovedAnnotation", &format!("approved in {annotation}"));
        }
    }
    definition["status"]["conditions"] = conditions.into();
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    let stored = versions.filter(|version| version["storage"] == true).map(|version| version["name"].clone());
    let mut all = definition["status"]["storedVersions"].as_array().cloned().unwrap_or_default();
    let new: Vec<_> = stored.filter(|version| !all.contains(version)).collect();
    all.extend(new);
    definition["status"]["storedVersions"] = all.into();
}

/// Marks a definition as deleted. The server has a step of its own for this, so that the options of the request have no effect.
pub(super) fn begin_deletion(definition: &mut Value, time: &str) {
    let metadata = &mut definition["metadata"];
    metadata["deletionTimestamp"] = time.into();
    let mut finalizers = metadata["finalizers"].as_array().cloned().unwrap_or_default();
    if !finalizers.iter().any(|it| it == CLEANUP) {
        finalizers.push(CLEANUP.into());
    }
    metadata["finalizers"] = finalizers.into();
    let mut conditions = conditions_of(definition);
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    conditions::set(time, &mut conditions, "Terminating", "True", "InstanceDeletionPending", message);
    definition["status"]["conditions"] = conditions.into();
}

/// Serves the resource of a definition no more, which was removed.
pub(super) fn undefine(state: &mut State, group: &str, plural: &str) {
    state.resources.stop_serving(group, plural);
    names::accept_released_names(state, group);
}

/// Deletes the objects of a definition that is being deleted, and then the definition.
pub(super) fn clean_up(state: &mut State, group: &str, plural: &str) {
    let name = format!("{plural}.{group}");
    let key = Key::new("", &name);
    let Some(definition) = state.store.find(QUALIFIED, &key) else {
        return;
    };
    if definition["metadata"]["deletionTimestamp"].is_null() {
        return;
    }
    let is_established = is_established(&definition);
    let time = state.clock.text();
    let objects: Vec<(Key, Value)> =
        state.store.collection(&name).objects().map(|(key, stored)| (key.clone(), stored.value())).collect();
    let mut remaining = 0;
    for (key, mut object) in objects {
        if !has_finalizers(&object) {
            state.store.remove(&name, &key, &mut object);
            continue;
        }
        remaining += 1;
        if object["metadata"]["deletionTimestamp"].is_null() {
            object["metadata"]["deletionTimestamp"] = time.clone().into();
            object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
            state.store.put(&name, &key, &mut object);
        }
    }
    let (status, reason, message) = match remaining {
        _ if !is_established => ("False", "NeverEstablished", "resource was never established"),
        0 => ("False", "InstanceDeletionCompleted", "removed all instances"),
        _ => ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
    };
    let mut conditions = conditions_of(&definition);
    conditions::set(&state.clock.text(), &mut conditions, "Terminating", status, reason, message);
    let mut last = definition.clone();
    last["status"]["conditions"] = conditions.into();
    if remaining > 0 {
        if last != definition {
            state.store.put(QUALIFIED, &key, &mut last);
        }
        return;
    }
    let mut finalizers = last["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    finalizers.retain(|it| it != CLEANUP);
    if finalizers.is_empty() {
        state.store.remove(QUALIFIED, &key, &mut last);
        undefine(state, group, plural);
    } else {
        last["metadata"]["finalizers"] = finalizers.into();
        state.store.put(QUALIFIED, &key, &mut last);
    }
}

fn conditions_of(definition: &Value) -> Vec<Value> {
    definition["status"]["conditions"].as_array().cloned().unwrap_or_default()
}

fn has_condition(conditions: &[Value], kind: &str) -> bool {
    conditions.iter().any(|it| it["type"] == kind && it["status"] == "True")
}

fn is_established(definition: &Value) -> bool {
    has_condition(&conditions_of(definition), "Established")
}

/// Returns whether no connection to the webhook of a conversion can be trusted.
fn has_invalid_authority(crd: &CustomResourceDefinition) -> bool {
    let webhook = crd.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
    let bundle = webhook.and_then(|webhook| webhook.client_config.as_ref()?.ca_bundle.as_ref());
    bundle.is_some_and(|bundle| conversion_rules::ca_bundle_is_pem(&bundle.0).is_err())
}

/// Returns the resource that a definition defines, which has these names.
fn resource(crd: &CustomResourceDefinition, names: Names, conversion: Conversion, schema: SchemaId) -> Resource {
    let spec = &crd.spec;
    Resource {
        group: spec.group.clone(),
        names,
        is_namespaced: spec.scope == "Namespaced",
        versions: served_or_stored(crd).map(version).collect(),
        is_custom: true,
        conversion,
        schema,
        is_terminating: crd.metadata.deletion_timestamp.is_some(),
    }
}

/// Returns the versions that requests or stored objects can have.
fn served_or_stored(crd: &CustomResourceDefinition) -> impl Iterator<Item = &CustomResourceDefinitionVersion> {
    crd.spec.versions.iter().filter(|version| version.served || version.storage)
}

fn version(spec: &CustomResourceDefinitionVersion) -> Version {
    let schema = spec.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref()).map(Schema::new);
    let topology = schema.as_ref().map_or_else(Topology::deduced, |schema| Topology::of_schema(&schema.props));
    let topology = LazyLock::new(Box::new(|| topology) as Box<dyn FnOnce() -> Topology + Send>);
    Version { schema, topology, spec: spec.clone(), verbs: VERBS.iter().map(ToString::to_string).collect() }
}
