//! Rules about one node of a schema.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use super::{Violations, is};
use crate::{structural::integers, testing::agreement::model::has_type};

/// From the server's rules on structural schemas, and some on schemas that no value passes.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let mut refuse = |broken: bool, message: &str| {
        if broken {
            violations.add(path, message);
        }
    };
    let type_ = schema.type_.as_deref();
    let any_type =
        is(schema.x_kubernetes_int_or_string) || is(schema.x_kubernetes_preserve_unknown_fields);
    refuse(
        type_.is_none() && !any_type,
        "the value has no type: say what it is, or mark the field `#[crd(preserve_unknown_fields)]`",
    );
    refuse(
        type_.is_some_and(|type_| !TYPES.contains(&type_)),
        "the type is none that a structural schema knows",
    );
    refuse(
        type_ == Some("array") && !matches!(schema.items, Some(JSONSchemaPropsOrArray::Schema(_))),
        "a list needs one schema for all of its items",
    );
    refuse(
        schema.properties.is_some()
            && !matches!(
                schema.additional_properties,
                None | Some(JSONSchemaPropsOrBool::Bool(true))
            ),
        "an object cannot have both named fields and entries of its own",
    );
    refuse(
        schema.ref_path.is_some(),
        "a reference has no place in a structural schema",
    );
    refuse(
        is(schema.unique_items),
        "`uniqueItems` is refused: make the list a set with `merge_strategy = ListMerge::Set`",
    );
    refuse(
        is(schema.nullable) && schema.enum_.is_some(),
        "null never passes an `enum`: the value cannot be nullable",
    );
    check_required(schema, path, violations);
    check_kinds(schema, path, violations);
    check_bounds(schema, path, violations);
    check_enum(schema, path, violations);
}

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

fn check_required(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let known = |name: &String| {
        schema
            .properties
            .as_ref()
            .is_some_and(|properties| properties.contains_key(name))
    };
    if is(schema.x_kubernetes_preserve_unknown_fields) || schema.additional_properties.is_some() {
        return;
    }
    for name in schema.required.iter().flatten().filter(|name| !known(name)) {
        violations.add(
            path,
            format!("`{name}` is required and is no field, so that no object is accepted"),
        );
    }
}

/// The server ignores a bound of values of another type.
fn check_kinds(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let Some(type_) = schema.type_.as_deref() else {
        return;
    };
    let is_number = matches!(type_, "integer" | "number");
    let text = [
        ("minLength", schema.min_length.is_some()),
        ("maxLength", schema.max_length.is_some()),
        ("pattern", schema.pattern.is_some()),
    ];
    let numbers = [
        ("minimum", schema.minimum.is_some()),
        ("maximum", schema.maximum.is_some()),
        ("multipleOf", schema.multiple_of.is_some()),
    ];
    let lists = [
        ("minItems", schema.min_items.is_some()),
        ("maxItems", schema.max_items.is_some()),
    ];
    let objects = [
        ("minProperties", schema.min_properties.is_some()),
        ("maxProperties", schema.max_properties.is_some()),
    ];
    for (keywords, about, fits) in [
        (text.as_slice(), "text", type_ == "string"),
        (&numbers, "numbers", is_number),
        (&lists, "lists", type_ == "array"),
        (&objects, "maps and objects", type_ == "object"),
    ] {
        for (name, _) in keywords.iter().filter(|(_, is_there)| *is_there && !fits) {
            let message = format!(
                "`{name}` is about {about}, and the value is of the type `{type_}`: the server ignores it"
            );
            violations.add(path, message);
        }
    }
}

fn check_bounds(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let pairs = [
        ("minimum", schema.minimum, schema.maximum),
        (
            "minLength",
            float(schema.min_length),
            float(schema.max_length),
        ),
        ("minItems", float(schema.min_items), float(schema.max_items)),
        (
            "minProperties",
            float(schema.min_properties),
            float(schema.max_properties),
        ),
    ];
    for (name, min, max) in pairs {
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            violations.add(
                path,
                format!("no value passes: `{name}` is {min}, more than {max}"),
            );
        }
    }
    if schema.multiple_of.is_some_and(|factor| factor <= 0.0) {
        violations.add(path, "no value passes: `multipleOf` must be more than 0");
    }
    if schema.type_.as_deref() == Some("integer") {
        check_bounds_of_integers(schema, path, violations);
    }
}

fn check_bounds_of_integers(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let integers = integers(schema);
    let is_usable = |bound: f64| bound.fract() == 0.0 && integers.contains(&bound);
    for (name, bound) in [
        ("minimum", schema.minimum),
        ("maximum", schema.maximum),
        ("multipleOf", schema.multiple_of),
    ] {
        if let Some(bound) = bound.filter(|bound| !is_usable(*bound)) {
            let message = format!(
                "no value passes: `{name}` is {bound}, and the server holds integers to whole numbers of their format"
            );
            violations.add(path, message);
        }
    }
}

#[allow(clippy::cast_precision_loss)] // compared, not kept
fn float(value: Option<i64>) -> Option<f64> {
    value.map(|value| value as f64)
}

fn check_enum(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let Some(type_) = schema.type_.as_deref() else {
        return;
    };
    for JSON(value) in schema.enum_.iter().flatten() {
        if !has_type(value, type_) {
            violations.add(
                path,
                format!("{value} of the `enum` is no {type_}: it never passes"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::validate::tests::of_spec;

    #[test]
    fn nodes() {
        for (schema, expected) in [
            (json!({}), "has no type"),
            (
                json!({ "type": "null" }),
                "none that a structural schema knows",
            ),
            (json!({ "type": "array" }), "one schema for all"),
            (
                json!({
                    "type": "object",
                    "properties": { "a": { "type": "string" } },
                    "additionalProperties": { "type": "string" },
                }),
                "both named fields and entries",
            ),
            (
                json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
                "uniqueItems",
            ),
            (
                json!({ "type": "string", "nullable": true, "enum": ["a"] }),
                "null never passes",
            ),
            (
                json!({ "type": "object", "required": ["a"] }),
                "`a` is required",
            ),
            (
                json!({ "type": "integer", "minimum": 3, "maximum": 2 }),
                "more than 2",
            ),
            (
                json!({ "type": "integer", "minimum": 0.5 }),
                "`minimum` is 0.5",
            ),
            (
                json!({ "type": "integer", "format": "int32", "maximum": 3_000_000_000_i64 }),
                "`maximum` is 3000000000",
            ),
            (
                json!({ "type": "integer", "maximum": u64::MAX }),
                "whole numbers of their format",
            ),
            (json!({ "type": "string", "enum": [1] }), "1 of the `enum`"),
            (
                json!({ "type": "integer", "pattern": "a" }),
                "`pattern` is about text",
            ),
            (
                json!({ "type": "string", "maximum": 1 }),
                "`maximum` is about numbers",
            ),
            (
                json!({ "type": "object", "minItems": 1 }),
                "`minItems` is about lists",
            ),
            (
                json!({ "type": "boolean", "maxProperties": 1 }),
                "`maxProperties` is about maps and objects",
            ),
            (
                json!({
                    "x-kubernetes-preserve-unknown-fields": true,
                    "x-kubernetes-validations": [{ "rule": "self == self" }],
                }),
                "a rule needs a value",
            ),
        ] {
            let found = of_spec(schema.clone());
            assert_eq!(found.len(), 1, "{schema}: {found:?}");
            assert!(found[0].contains(expected), "{schema}: {found:?}");
        }
    }

    #[test]
    fn nothing_to_say() {
        for schema in [
            json!({ "x-kubernetes-preserve-unknown-fields": true }),
            json!({ "x-kubernetes-int-or-string": true }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "integer", "enum": [1, 2.0] }),
            json!({ "x-kubernetes-int-or-string": true, "minimum": 1, "pattern": "%$" }),
        ] {
            assert!(of_spec(schema.clone()).is_empty(), "{schema}");
        }
    }
}
