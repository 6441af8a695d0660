//! Rules about defaults: each must fit its own schema.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps},
    apimachinery::pkg::api::resource::Quantity,
};

use serde_json::Value;
#[cfg(feature = "cel")]
use serde_json::json;

use super::Violations;
use crate::{
    schema::{Keyword, KubeSchema},
    testing::agreement::model::mismatch,
};

/// From the server's rules on defaults, which it checks as it checks objects. Without crdkit's feature `cel`, rules are left
/// to it, and so are patterns and formats that nobody here understands.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let Some(JSON(value)) = &schema.default else {
        return;
    };
    let mismatch = match value.as_str() {
        Some("") if is_quantity(schema) => Some("an empty text is no quantity".to_owned()),
        _ => mismatch(schema, value).or_else(|| failed_rule(schema, value)),
    };
    if let Some(mismatch) = mismatch {
        violations.add(
            path,
            format!("the default {value} does not fit its own schema: {mismatch}"),
        );
    }
}

#[cfg(feature = "cel")]
fn failed_rule(schema: &JSONSchemaProps, value: &Value) -> Option<String> {
    use kube_core::cel::ErrorKind;
    let errors = crate::cel::process::validate_new(&json!(schema), value).err()?;
    let is_failed = |kind: &ErrorKind| matches!(kind, ErrorKind::ValidationFailure);
    let mut failed = errors.as_slice().iter().filter(|it| is_failed(&it.kind));
    failed.next().map(|error| error.message.clone())
}

#[cfg(not(feature = "cel"))]
fn failed_rule(_: &JSONSchemaProps, _: &Value) -> Option<String> {
    None
}

fn is_quantity(schema: &JSONSchemaProps) -> bool {
    let pattern = schema.pattern.as_deref();
    Quantity::SCHEMA
        .keywords
        .iter()
        .any(|keyword| matches!(keyword, Keyword::Pattern(quantity) if Some(*quantity) == pattern))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validate::tests::of_spec;

    #[test]
    fn the_default_of_a_quantity_is_none() {
        let schema = crate::render::render_schema(&Quantity::SCHEMA).unwrap();
        for (default, violations) in [("", 1), ("1Gi", 0)] {
            let mut quantity = json!(schema);
            quantity["default"] = json!(default);
            assert_eq!(of_spec(quantity).len(), violations, "{default}");
        }
    }

    #[cfg(feature = "cel")]
    #[test]
    fn rules_hold_of_defaults() {
        for (default, expected) in [(0, Some("it must be more")), (1, None)] {
            let rule = json!([{ "rule": "self > 0", "message": "it must be more" }]);
            let schema =
                json!({ "type": "integer", "default": default, "x-kubernetes-validations": rule });
            let found = of_spec(schema);
            assert_eq!(found.len(), usize::from(expected.is_some()), "{found:?}");
            assert!(found.iter().all(|it| it.contains(expected.unwrap())));
        }
    }

    #[test]
    fn defaults() {
        for (schema, expected) in [
            (json!({ "type": "integer", "default": 1 }), None),
            (
                json!({ "type": "integer", "default": "1" }),
                Some("is no integer"),
            ),
            (
                json!({ "type": "integer", "default": u64::MAX }),
                Some("is no integer"),
            ),
            (
                json!({ "type": "integer", "minimum": 2, "default": 1 }),
                Some("out of bounds"),
            ),
            (
                json!({ "type": "string", "enum": ["a"], "default": "b" }),
                Some("not among"),
            ),
            (
                json!({ "type": "string", "pattern": "^a+$", "default": "ab" }),
                Some("does not match"),
            ),
            (
                json!({ "type": "string", "format": "date-time", "default": "today" }),
                Some("is no date-time"),
            ),
            (
                json!({ "type": "integer", "format": "int32", "default": 2_147_483_648_i64 }),
                Some("too large for its format"),
            ),
            (
                json!({ "type": "integer", "anyOf": [{ "maximum": -1 }, { "minimum": 1 }], "default": 0 }),
                Some("no schema of `anyOf`"),
            ),
            (
                json!({ "type": "integer", "multipleOf": 2, "default": 9_007_199_254_740_993_i64 }),
                Some("no multiple"),
            ),
            (
                json!({
                    "type": "object", "default": {},
                    "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
                }),
                Some("`apiVersion` is missing"),
            ),
            (
                json!({ "type": "string", "maxLength": 1, "default": "bb" }),
                Some("too many"),
            ),
            (
                json!({ "type": "array", "items": { "type": "string" }, "default": [1] }),
                Some("is no string"),
            ),
            (
                json!({
                    "type": "object", "required": ["a"], "default": {},
                    "properties": { "a": { "type": "string", "default": "x" } },
                }),
                Some("`a` is missing"),
            ),
            (
                json!({ "type": "object", "default": { "a": 1 } }),
                Some("`a` is no field"),
            ),
            (
                json!({ "x-kubernetes-int-or-string": true, "default": true }),
                Some("no integer or"),
            ),
            (
                json!({ "type": "object", "default": { "a": 1 }, "additionalProperties": { "type": "integer" } }),
                None,
            ),
        ] {
            let found = of_spec(schema.clone());
            match expected {
                None => assert!(found.is_empty(), "{schema}: {found:?}"),
                Some(text) => assert!(found[0].contains(text), "{schema}: {found:?}"),
            }
        }
    }
}
