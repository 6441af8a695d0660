//! Schemas of the types of the API group `apiextensions.k8s.io/v1` that schemas consist of.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, ValidationRule,
};
use serde_json::Value;

use crate::schema::{Keyword, KubeSchema, Schema};

impl KubeSchema for JSON {
    const SCHEMA: Schema = Schema::any().named("JSON").of_kubernetes();
}

/// A schema in a schema, of which there is no end.
enum Inner {}

impl KubeSchema for Inner {
    const SCHEMA: Schema = Schema::object(&[]).with(&[Keyword::PreserveUnknownFields]);
}

objects! {
    /// The schema of a value.
    JSONSchemaProps {
        /// A schema that stands elsewhere.
        optional "$ref": String;
        /// The dialect that the schema is written in.
        optional "$schema": String;
        /// The items of a list besides those that have a schema of their own: a schema, or whether there may be any.
        optional "additionalItems": Value;
        /// The fields besides those that have a schema of their own: a schema, or whether there may be any.
        optional "additionalProperties": Value;
        /// Schemas that all accept the value.
        optional "allOf": Vec<Inner>;
        /// Schemas of which one at least accepts the value.
        optional "anyOf": Vec<Inner>;
        /// The value of a field that is left out.
        optional "default": JSON;
        /// Schemas by their names.
        optional "definitions": BTreeMap<String, Inner>;
        /// What fields ask for: a schema, or the names of other fields.
        optional "dependencies": BTreeMap<String, Value>;
        /// What the value is.
        optional "description": String;
        /// All values that there are.
        optional "enum": Vec<JSON>;
        /// A value.
        optional "example": JSON;
        /// Whether the value is below the maximum, and not at it.
        optional "exclusiveMaximum": bool;
        /// Whether the value is above the minimum, and not at it.
        optional "exclusiveMinimum": bool;
        /// Where more is written about the value.
        optional "externalDocs": ExternalDocumentation;
        /// The format of the text or number.
        optional "format": String;
        /// The name of the schema.
        optional "id": String;
        /// The items of the list: one schema, or several.
        optional "items": Value;
        /// How many items there are at most.
        optional "maxItems": i64;
        /// How many characters there are at most.
        optional "maxLength": i64;
        /// How many fields there are at most.
        optional "maxProperties": i64;
        /// The largest number.
        optional "maximum": f64;
        /// How many items there are at least.
        optional "minItems": i64;
        /// How many characters there are at least.
        optional "minLength": i64;
        /// How many fields there are at least.
        optional "minProperties": i64;
        /// The smallest number.
        optional "minimum": f64;
        /// A number that the value is a multiple of.
        optional "multipleOf": f64;
        /// A schema that does not accept the value.
        optional "not": Inner;
        /// Whether the value may be null.
        optional "nullable": bool;
        /// Schemas of which exactly one accepts the value.
        optional "oneOf": Vec<Inner>;
        /// A regular expression that the text matches.
        optional "pattern": String;
        /// Fields whose names match regular expressions.
        optional "patternProperties": BTreeMap<String, Inner>;
        /// The fields.
        optional "properties": BTreeMap<String, Inner>;
        /// The names of fields that must be there.
        optional "required": Vec<String>;
        /// A short name of the value.
        optional "title": String;
        /// The kind of value.
        optional "type": String;
        /// Whether no item stands twice in the list.
        optional "uniqueItems": bool;
        /// Whether the value is a whole resource.
        optional "x-kubernetes-embedded-resource": bool;
        /// Whether the value is an integer or text.
        optional "x-kubernetes-int-or-string": bool;
        /// The fields that tell apart the items of a list of the type `map`.
        optional "x-kubernetes-list-map-keys": Vec<String>;
        /// How the list is merged: `atomic`, `set` or `map`.
        optional "x-kubernetes-list-type": String;
        /// How the object is merged: `granular` or `atomic`.
        optional "x-kubernetes-map-type": String;
        /// Whether fields without a schema are kept.
        optional "x-kubernetes-preserve-unknown-fields": bool;
        /// Rules that the value satisfies.
        optional "x-kubernetes-validations": Vec<ValidationRule>;
    }

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
        /// What is said where the rule fails.
        optional "message": String;
        /// What makes the text that is said where the rule fails.
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

    use super::super::super::accepts::kept;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        for value in [json!("a"), json!([1, null]), json!({ "a": null }), json!(1)] {
            kept::<JSON>(value.clone());
            kept::<JSONSchemaProps>(
                json!({ "default": value, "enum": [value, null], "example": value }),
            );
        }
        let text = json!({ "type": "string" });
        kept::<JSONSchemaProps>(json!({
            "$ref": "#/a", "$schema": "b", "additionalItems": false, "additionalProperties": text,
            "allOf": [text], "anyOf": [{ "not": text }], "definitions": { "a": text },
            "dependencies": { "a": ["b"], "c": text }, "description": "a", "exclusiveMaximum": true,
            "exclusiveMinimum": false, "externalDocs": { "description": "a", "url": "b" },
            "format": "int32", "id": "a",
        }));
        kept::<JSONSchemaProps>(json!({
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
