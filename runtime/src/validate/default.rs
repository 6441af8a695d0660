//! Defaults against the rules of their own schemas, which crdkit's feature `cel` runs.
//!
//! The server runs them twice: with the default as the value that was there before, and with none. What it makes of
//! `optionalOldSelf` is left to it.

use crdkit_core::{
    AnswerKind, Node, Rule,
    admission::go,
    definition::Definition,
    json::Json,
    path::{Path, Step},
    rules::{self, defaults},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSON, JSONSchemaProps,
};
use kube_core::cel::{ErrorKind, ValidationError};
use serde_json::{Value, json};

use super::Violation;
use crate::{
    cel::process,
    props::{items, schema},
};

/// What is wrong with a default hides what its rules say of it.
const HIDING: [Rule; 3] = [defaults::E4, defaults::E5, defaults::E6];

pub(super) fn check(
    crd: &CustomResourceDefinition,
    definition: &Definition<'_>,
    found: &mut Vec<Violation>,
) {
    let mut broken = Vec::new();
    rules::nodes(definition, &mut |at, place, node| {
        let hides =
            |it: &Violation| it.path == place.path && HIDING.iter().any(|rule| rule.id == it.rule);
        if !defaults::is_judged(node) || found.iter().any(hides) {
            return;
        }
        let root = crd.spec.versions.get(at).and_then(schema);
        let props = root.and_then(|root| at_path(root, &node.path));
        for error in props.map(failures).unwrap_or_default() {
            broken.push(violation(place.clone(), node, &error));
        }
    });
    found.append(&mut broken);
}

fn violation(place: rules::Place, node: &Node<'_, '_>, error: &ValidationError) -> Violation {
    let within = match error.field_path.as_str() {
        "" => String::new(),
        path => format!(".{path}"),
    };
    let default = node.schema.default.as_ref();
    let type_ = node.schema.type_.as_deref().unwrap_or_default();
    // Of what cannot be evaluated the server shows the type, and of objects and lists nothing.
    let value = match (&error.kind, type_) {
        (ErrorKind::EvaluationError, _) if !within.is_empty() => None,
        _ if !within.is_empty() => default
            .and_then(|it| inner(it, &error.field_path))
            .map(go::quoted),
        (ErrorKind::EvaluationError, type_) => Some(go::quote(type_)),
        (_, "object" | "array") => None,
        _ => default.map(go::quoted),
    };
    let kind = match error.reason.as_deref() {
        Some("FieldValueRequired") => AnswerKind::Required,
        Some("FieldValueForbidden") => AnswerKind::Forbidden,
        Some("FieldValueDuplicate") => AnswerKind::Duplicate,
        _ => AnswerKind::Invalid,
    };
    let violation = defaults::e7(kind, &within, value.as_deref(), &error.message);
    Violation::new(place, &violation)
}

/// The value of a field within a default, unless it is a list or an object.
fn inner<'d>(default: &'d Json<'d>, path: &str) -> Option<&'d Json<'d>> {
    let mut names = path.split('.');
    let value = names.try_fold(default, |value, name| value.get(name))?;
    (!matches!(value, Json::Array(_) | Json::Object(_))).then_some(value)
}

/// The rules that the default of a schema breaks.
fn failures(props: &JSONSchemaProps) -> Vec<ValidationError> {
    let Some(JSON(value)) = &props.default else {
        return Vec::new();
    };
    let mut schema = json!(props);
    if !drop_optional(&mut schema) {
        return Vec::new();
    }
    let counts = |it: &ValidationError| {
        matches!(
            it.kind,
            ErrorKind::ValidationFailure | ErrorKind::EvaluationError
        )
    };
    let run = |old| {
        let errors = process::validate_value_of(&schema, value, old).err();
        let errors = errors.map(|errors| errors.as_slice().to_vec());
        let mut errors = errors.unwrap_or_default();
        errors.retain(counts);
        errors
    };
    match run(Some(value)) {
        errors if errors.is_empty() => run(None),
        errors => errors,
    }
}

/// Drops the rules that are about an optional `oldSelf`, here and below; whether any are left.
fn drop_optional(schema: &mut Value) -> bool {
    let mut is_left = false;
    for (name, value) in schema.as_object_mut().into_iter().flatten() {
        match value {
            Value::Array(rules) if name == "x-kubernetes-validations" => {
                rules.retain(|rule| rule["optionalOldSelf"] != true);
                is_left |= !rules.is_empty();
            }
            Value::Object(_) => is_left |= drop_optional(value),
            _ => {}
        }
    }
    is_left
}

fn at_path<'p>(root: &'p JSONSchemaProps, path: &Path<'_>) -> Option<&'p JSONSchemaProps> {
    let Some((parent, step)) = path.last() else {
        return Some(root);
    };
    let parent = at_path(root, parent)?;
    match step {
        Step::Property(name) => parent.properties.as_ref()?.get(name),
        Step::Items => items(parent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::validate::tests::of_spec;

    #[test]
    fn rules_hold_of_defaults() {
        for (rule, expected) in [
            ("self > 3", Some("failed rule: self > 3")),
            ("self == 1", None),
            // The default takes the place of itself.
            ("self == oldSelf", None),
            ("self > oldSelf", Some("failed rule: self > oldSelf")),
            ("1 / (self - 1) > 0", Some("rule evaluation error")),
        ] {
            let rules = json!([{ "rule": rule }]);
            let schema =
                json!({ "type": "integer", "default": 1, "x-kubernetes-validations": rules });
            let found = of_spec(schema);
            let found: Vec<_> = found
                .iter()
                .filter(|it| it.contains("breaks a rule"))
                .collect();
            assert_eq!(
                found.len(),
                usize::from(expected.is_some()),
                "{rule}: {found:?}"
            );
            assert!(
                found.iter().all(|it| it.contains(expected.unwrap())),
                "{found:?}"
            );
        }
    }

    #[test]
    fn rules_on_what_does_not_fit_are_not_run() {
        let rules = json!([{ "rule": "self.size() > 3" }]);
        let schema = json!({ "type": "string", "default": 1, "x-kubernetes-validations": rules });
        assert!(
            !of_spec(schema)
                .iter()
                .any(|it| it.contains("breaks a rule"))
        );
    }
}
