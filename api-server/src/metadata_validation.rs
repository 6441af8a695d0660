//! Validation of `metadata`, as apimachinery performs it.

use std::borrow::Cow;

use crdkit::__internal::crd_accessors::read;
use crdkit_core::{
    ErrorType, go,
    json::Json,
    literal::dns,
    object_processing::{FieldError, ObjectMetaValidator},
};
use serde_json::Value;

use super::{object_name::NameRule, resource::Resource};

/// Returns the errors of the metadata of a new object. Its name has been generated, and its namespace has been set.
pub(super) fn create_errors(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let metadata = metadata(object);
    let rule = NameRule::of(resource);
    let mut validator = ObjectMetaValidator::new(&metadata, ".metadata".to_owned());
    names(&mut validator, &metadata, rule);
    namespace(&mut validator, &metadata, resource.is_namespaced);
    validator.generation();
    validator.labels_to_owners();
    validator.finalizers();
    validator.managed_fields();
    if !resource.is_custom && !resource.is_definition() {
        standard_finalizers(&mut validator, &metadata);
    }
    validator.into_distinct_errors()
}

/// Returns the errors of changed metadata. The server validates that of custom resources twice, and reports most errors twice.
pub(super) fn update_errors(resource: &Resource, old: &Value, new: &Value) -> Vec<FieldError> {
    let (old, new) = (metadata(old), metadata(new));
    let mut validator = ObjectMetaValidator::new(&new, ".metadata".to_owned());
    names(&mut validator, &new, NameRule::PathSegment);
    namespace(&mut validator, &new, resource.is_namespaced);
    validator.generation();
    validator.labels_to_owners();
    validator.finalizers();
    validator.managed_fields();
    changes(&mut validator, &old, &new);
    // Without errors so far, there are none in what is validated once more.
    if validator.has_errors() {
        validator.labels_to_owners();
        validator.managed_fields();
    }
    if !resource.is_custom {
        if !resource.is_definition() {
            standard_finalizers(&mut validator, &new);
        }
        return validator.into_distinct_errors();
    }
    let mut errors = validator.into_errors();
    if errors.is_empty() {
        return errors;
    }
    let mut again = ObjectMetaValidator::new(&new, ".metadata".to_owned());
    changes(&mut again, &old, &new);
    again.labels_to_owners();
    again.managed_fields();
    errors.extend(again.into_distinct_errors());
    errors
}

/// The finalizers of built-in kinds but definitions are Kubernetes' own or have a path.
fn standard_finalizers(validator: &mut ObjectMetaValidator<'_, '_>, metadata: &Json<'_>) {
    for (at, finalizer) in finalizers(metadata).into_iter().enumerate() {
        if !is_standard_finalizer(finalizer) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            validator.invalid(&format!(".finalizers[{at}]"), go::quote(finalizer), detail);
        }
    }
}

/// Returns whether a finalizer of a built-in kind is one of Kubernetes or has a path.
pub(super) fn is_standard_finalizer(finalizer: &str) -> bool {
    finalizer.contains('/') || STANDARD_FINALIZERS.contains(&finalizer)
}

const STANDARD_FINALIZERS: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

fn metadata(object: &Value) -> Json<'_> {
    object.get("metadata").map_or(Json::Null, metadata_json)
}

/// Converts an object without the fields that its managers own, which no rule reads.
pub(super) fn without_owned_fields(object: &Value) -> Json<'_> {
    members(object, |name, value| match name {
        "metadata" => Some(metadata_json(value)),
        _ => Some(read::json(value)),
    })
}

fn metadata_json(metadata: &Value) -> Json<'_> {
    members(metadata, |name, value| match (name, value) {
        ("managedFields", Value::Array(entries)) => Some(Json::Array(entries.iter().map(manager_json).collect())),
        _ => Some(read::json(value)),
    })
}

fn manager_json(entry: &Value) -> Json<'_> {
    members(entry, |name, value| (name != "fieldsV1").then(|| read::json(value)))
}

/// Converts an object by a function of its members.
fn members<'v>(object: &'v Value, convert: impl Fn(&str, &'v Value) -> Option<Json<'v>>) -> Json<'v> {
    match object {
        Value::Object(members) => {
            let converted =
                members.iter().filter_map(|(name, value)| Some((name.as_str().into(), convert(name, value)?)));
            Json::Object(converted.collect())
        }
        other => read::json(other),
    }
}

fn text<'j>(metadata: &'j Json<'_>, name: &str) -> &'j str {
    metadata.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn names(validator: &mut ObjectMetaValidator<'_, '_>, metadata: &Json<'_>, rule: NameRule) {
    let (prefix, name) = (text(metadata, "generateName"), text(metadata, "name"));
    if !prefix.is_empty() {
        for message in rule.messages(prefix, true) {
            validator.invalid(".generateName", go::quote(prefix), &message);
        }
    }
    if name.is_empty() {
        validator.add(".name", ErrorType::Required, None, "name or generateName is required");
    } else {
        for message in rule.messages(name, false) {
            validator.invalid(".name", go::quote(name), &message);
        }
    }
}

fn namespace(validator: &mut ObjectMetaValidator<'_, '_>, metadata: &Json<'_>, is_namespaced: bool) {
    let namespace = text(metadata, "namespace");
    match (is_namespaced, namespace.is_empty()) {
        (true, true) => validator.add(".namespace", ErrorType::Required, None, ""),
        (true, false) => validator.invalid_text(".namespace", namespace, dns::label_1123_messages(namespace)),
        (false, true) => {}
        (false, false) => validator.add(".namespace", ErrorType::Forbidden, None, "not allowed on this type"),
    }
}

/// Validates what an update can change.
fn changes(validator: &mut ObjectMetaValidator<'_, '_>, old: &Json<'_>, new: &Json<'_>) {
    if old.get("deletionTimestamp").is_some_and(|time| !time.is_null()) {
        no_new_finalizers(validator, old, new);
    }
    if text(new, "resourceVersion").is_empty() {
        validator.invalid(".resourceVersion", go::quote(""), "must be specified for an update");
    }
    validator.generation();
    let [old_generation, generation] = [old, new].map(|metadata| integer(metadata, "generation"));
    if generation < old_generation {
        validator.invalid(".generation", generation.to_string(), "must not be decremented");
    }
    for name in ["name", "namespace", "uid"] {
        if text(old, name) != text(new, name) {
            validator.invalid(&format!(".{name}"), go::quote(text(new, name)), IMMUTABLE);
        }
    }
    for name in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let [old, new] = [old, new].map(|metadata| metadata.get(name).unwrap_or(&Json::Null));
        if old != new {
            validator.invalid(&format!(".{name}"), go::quoted(new), IMMUTABLE);
        }
    }
}

const IMMUTABLE: &str = "field is immutable";

fn integer(metadata: &Json<'_>, name: &str) -> i64 {
    match metadata.get(name) {
        Some(Json::Integer(value)) => *value,
        _ => 0,
    }
}

fn no_new_finalizers(validator: &mut ObjectMetaValidator<'_, '_>, old: &Json<'_>, new: &Json<'_>) {
    let (old, new) = (finalizers(old), finalizers(new));
    let mut added: Vec<&str> = new.into_iter().filter(|finalizer| !old.contains(finalizer)).collect();
    if added.is_empty() {
        return;
    }
    added.sort_unstable();
    added.dedup();
    let added: Vec<_> = added.into_iter().map(go::quote).collect();
    let detail = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    validator.add(".finalizers", ErrorType::Forbidden, None, &detail);
}

fn finalizers<'j>(metadata: &'j Json<'_>) -> Vec<&'j str> {
    match metadata.get("finalizers") {
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn has_finalizers(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|list| !list.is_empty())
}

/// Returns the warnings about finalizers that an object of a custom resource did not have before.
pub(super) fn finalizer_warnings(old: Option<&Value>, new: &Value) -> Vec<String> {
    let list = |object: &Value| -> Vec<String> {
        let items = object["metadata"]["finalizers"].as_array();
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let old = old.map(list).unwrap_or_default();
    let mut added = list(new);
    added.retain(|finalizer| !old.contains(finalizer));
    added.sort_unstable();
    added.dedup();
    added.iter().flat_map(|finalizer| finalizer_messages(finalizer)).collect()
}

fn finalizer_messages(finalizer: &str) -> Vec<String> {
    let invalid = dns::qualified_name(finalizer).err();
    let mut messages: Vec<Cow<'_, str>> = invalid.into_iter().flat_map(|it| it.messages().map(Cow::from)).collect();
    if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
        let part = if finalizer.contains('.') { " including a path (/)" } else { "" };
        messages.push(
            format!(
                "prefer a domain-qualified finalizer name{part} to avoid accidental conflicts with other finalizer writers"
            )
            .into(),
        );
    }
    let quoted = go::quote(finalizer);
    messages.into_iter().map(|message| format!("metadata.finalizers: {quoted}: {message}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::builtin;

    fn resource(group: &str, plural: &str) -> Resource {
        let mut resources = builtin::resources().into_iter();
        resources.find(|resource| resource.group == group && resource.names.plural == plural).unwrap()
    }

    fn texts(errors: Vec<FieldError>) -> Vec<String> {
        let texts = errors.into_iter().map(|error| error.to_string());
        // Up to the explanation of the valid form.
        texts.map(|text| text.split(" must consist").next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn creation() {
        let config_maps = resource("", "configmaps");
        let errors = |metadata: Value| texts(create_errors(&config_maps, &json!({ "metadata": metadata })));
        assert_eq!(errors(json!({ "name": "a", "namespace": "default" })), [""; 0]);
        assert_eq!(
            errors(json!({})),
            ["metadata.name: Required value: name or generateName is required", "metadata.namespace: Required value",]
        );
        assert_eq!(
            errors(json!({
                "name": "A",
                "generateName": "-",
                "namespace": "a.b",
                "generation": -1,
                "labels": { "a": "b", "-c": "d e" },
                "annotations": { "A/B": "any text", "Ä": "" },
                "finalizers": ["a b", "orphan", "foregroundDeletion"],
            })),
            [
                "metadata.generateName: Invalid value: \"-\": a lowercase RFC 1123 subdomain",
                "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain",
                "metadata.namespace: Invalid value: \"a.b\": must not contain dots",
                "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
                "metadata.labels: Invalid value: \"-c\": name part",
                "metadata.labels: Invalid value: \"d e\": a valid label must be an empty string or consist of alphanumeric \
                 characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
                 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
                "metadata.annotations: Invalid value: \"Ä\": name part",
                "metadata.finalizers: Invalid value: \"a b\": name part",
                "metadata.finalizers: Invalid value: [\"a b\",\"orphan\",\"foregroundDeletion\"]: finalizer orphan and \
                 foregroundDeletion cannot be both set",
                "metadata.finalizers[0]: Invalid value: \"a b\": name is neither a standard finalizer name nor is it fully \
                 qualified",
            ]
        );
        let nodes = resource("", "nodes");
        let errors = create_errors(&nodes, &json!({ "metadata": { "name": "a", "namespace": "b" } }));
        assert_eq!(texts(errors), ["metadata.namespace: Forbidden: not allowed on this type"]);
    }

    #[test]
    fn updates() {
        let mut config_maps = resource("", "configmaps");
        config_maps.is_custom = true;
        let old = json!({ "metadata": {
            "name": "a", "namespace": "default", "uid": "1", "resourceVersion": "2", "generation": 2,
            "creationTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["x.y/z"],
        } });
        assert_eq!(update_errors(&config_maps, &old, &old), []);
        let mut new = old.clone();
        new["metadata"]["uid"] = "2".into();
        new["metadata"]["generation"] = 1.into();
        new["metadata"]["resourceVersion"] = Value::Null;
        new["metadata"]["deletionGracePeriodSeconds"] = 5.into();
        let mut expected = [
            "metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
            "metadata.generation: Invalid value: 1: must not be decremented",
            "metadata.uid: Invalid value: \"2\": field is immutable",
            "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
        ]
        .to_vec();
        expected.extend_from_within(..);
        assert_eq!(texts(update_errors(&config_maps, &old, &new)), expected);
        let mut deleted = old.clone();
        deleted["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z".into();
        let mut new = deleted.clone();
        new["metadata"]["finalizers"] = json!(["x.y/z", "b/c", "a/b"]);
        let detail = "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
                      finalizers []string{\"a/b\", \"b/c\"}";
        assert_eq!(texts(update_errors(&config_maps, &deleted, &new)), [detail, detail]);
    }

    #[test]
    fn warnings_about_finalizers() {
        let object = |finalizers: &[&str]| json!({ "metadata": { "finalizers": finalizers } });
        let warnings = |new: &[&str]| finalizer_warnings(Some(&object(&["old"])), &object(new));
        assert_eq!(warnings(&["old", "example.com/a", "orphan"]), [""; 0]);
        let advice = "to avoid accidental conflicts with other finalizer writers";
        assert_eq!(
            warnings(&["b", "a.com", "b"]),
            [
                format!(
                    "metadata.finalizers: \"a.com\": prefer a domain-qualified finalizer name including a path (/) {advice}"
                ),
                format!("metadata.finalizers: \"b\": prefer a domain-qualified finalizer name {advice}"),
            ]
        );
        assert_eq!(warnings(&["-/-"]).len(), 2);
    }
}
