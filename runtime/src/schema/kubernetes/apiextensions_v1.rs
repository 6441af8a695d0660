//! Schemas of the types of the API group `apiextensions.k8s.io/v1` that are part of schemas.

use std::collections::BTreeMap;

use crdkit_core::for_each_keyword;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, ValidationRule,
};
use serde_json::Value;

use crate::schema::{Keyword, KubeSchema, Schema};

impl KubeSchema for JSON {
    const SCHEMA: Schema = Schema::any().named("JSON").of_kubernetes();
}

/// A nested schema, at any depth.
enum Inner {}

impl KubeSchema for Inner {
    const SCHEMA: Schema = Schema::object(&[]).with(&[Keyword::PreserveUnknownFields]);
}

/// The Rust types of keywords.
macro_rules! value {
    (flag) => { bool };
    (choice) => { bool };
    (number) => { f64 };
    (count) => { i64 };
    (text) => { String };
    (word) => { String };
    (texts) => { Vec<String> };
    (value) => { JSON };
    (values) => { Vec<JSON> };
    (docs) => { ExternalDocumentation };
    (rules) => { Vec<ValidationRule> };
    (branch) => { Inner };
    (branches) => { Vec<Inner> };
    (items) => { Value };
    (additional) => { Value };
    (properties) => { BTreeMap<String, Inner> };
}

macro_rules! declare {
    (keywords { $($field:ident $source:tt $name:literal $form:ident $doc:literal;)+ } $($rest:tt)*) => {
        objects! {
            /// The schema of a value.
            JSONSchemaProps {
                $(#[doc = $doc] optional $name: value!($form);)+
                /// A schema that stands elsewhere.
                optional "$ref": String;
                /// The dialect that the schema is written in.
                optional "$schema": String;
                /// The items of a list besides those that have a schema of their own: a schema, or whether there may be any.
                optional "additionalItems": Value;
                /// Schemas by their names.
                optional "definitions": BTreeMap<String, Inner>;
                /// What fields ask for: a schema, or the names of other fields.
                optional "dependencies": BTreeMap<String, Value>;
                /// The name of the schema.
                optional "id": String;
                /// Fields whose names match regular expressions.
                optional "patternProperties": BTreeMap<String, Inner>;
            }
        }
    };
}
for_each_keyword!(declare);

objects! {
    /// Where more is written about something.
    ExternalDocumentation {
        /// What is written there.
        optional "description": String;
        /// Where it is.
        optional "url": String;
    }

    /// A rule that a value satisfies.
    ValidationRule {
        /// The path of the field that is wrong where the rule fails.
        optional "fieldPath": String;
        /// The message when the rule fails.
        optional "message": String;
        /// A CEL expression for the message when the rule fails.
        optional "messageExpression": String;
        /// Whether the rule is evaluated where there is no old value, too.
        optional "optionalOldSelf": bool;
        /// The machine-readable reason where the rule fails.
        optional "reason": String;
        /// The expression of CEL.
        "rule": String;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        for value in [json!("a"), json!([1, null]), json!({ "a": null }), json!(1)] {
            assert_roundtrips::<JSON>(value.clone());
            assert_roundtrips::<JSONSchemaProps>(json!({ "default": value, "enum": [value, null], "example": value }));
        }
        let text = json!({ "type": "string" });
        assert_roundtrips::<JSONSchemaProps>(json!({
            "$ref": "#/a", "$schema": "b", "additionalItems": false, "additionalProperties": text,
            "allOf": [text], "anyOf": [{ "not": text }], "definitions": { "a": text },
            "dependencies": { "a": ["b"], "c": text }, "description": "a", "exclusiveMaximum": true,
            "exclusiveMinimum": false, "externalDocs": { "description": "a", "url": "b" },
            "format": "int32", "id": "a",
        }));
        assert_roundtrips::<JSONSchemaProps>(json!({
            "items": text, "maxItems": 1, "maxLength": 2,
            "maxProperties": 3, "maximum": 4.5, "minItems": 1, "minLength": 2, "minProperties": 3,
            "minimum": 0.5, "multipleOf": 0.5, "not": text, "nullable": true, "oneOf": [text],
            "pattern": "a", "patternProperties": { "a": text }, "properties": { "a": { "default": [1] } },
            "required": ["a"], "title": "a", "type": "object", "uniqueItems": true,
            "x-kubernetes-embedded-resource": true, "x-kubernetes-int-or-string": true,
            "x-kubernetes-list-map-keys": ["a"], "x-kubernetes-list-type": "map",
            "x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-validations": [{
                "fieldPath": ".a", "message": "a", "messageExpression": "'a'", "optionalOldSelf": true,
                "reason": "FieldValueInvalid", "rule": "self.a",
            }],
        }));
    }
}
