//! One schema by every way on which it comes into a type.

use crate::Case;

pub(crate) fn all() -> Vec<&'static [Case]> {
    schemas::all()
}

/// Each schema in a module of its own, with a field for each way.
macro_rules! routes {
    ($($expected:ident { $($name:ident: { $($key:literal: $value:tt),* $(,)? };)* })*) => {
        $($(mod $name {
            use std::{borrow::Cow, collections::BTreeMap};

            use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

            fn schema() -> Schema {
                json_schema!({ $($key: $value),* })
            }

            fn function(_: &mut SchemaGenerator) -> Schema {
                schema()
            }

            fn replace(before: &mut Schema) {
                *before = schema();
            }

            struct Foreign;

            impl JsonSchema for Foreign {
                fn schema_name() -> Cow<'static, str> {
                    "Foreign".into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    schema()
                }
            }

            crate::resources_of_fields! {
                $expected {
                    by_function: #[schemars(schema_with = "function")] String;
                    by_transform: #[schemars(transform = replace)] String;
                    foreign: Foreign;
                    foreign_option: Option<Foreign>;
                    foreign_list: Vec<Foreign>;
                    foreign_map: BTreeMap<String, Foreign>;
                    by_another_type: #[schemars(with = "Foreign")] String;
                }
            }
        })*)*

        pub(super) fn all() -> Vec<&'static [crate::Case]> {
            vec![$($($name::CASES),*),*]
        }
    };
}

mod schemas {
    routes! {
        Good {
            pattern: { "type": "string", "pattern": "^a+$" };
            bounds: { "type": "integer", "minimum": 1, "maximum": 5 };
            set: { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" };
            map: { "type": "array", "items": { "type": "object", "required": ["k"], "properties": { "k": { "type": "string" } } },
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
            granular: { "type": "object", "x-kubernetes-map-type": "granular", "properties": { "a": { "type": "string" } } };
            default: { "type": "string", "default": "a" };
            any_of: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
                "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] };
            // What is said beside it is taken away.
            either_preserved: { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true };
            int_or_string: { "x-kubernetes-int-or-string": true };
            resource: { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
            rule: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0" }] };
            path: { "type": "object", "properties": { "a": { "type": "string" } },
                "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": ".a" }] };
        }
        Bad {
            pattern_unclosed: { "type": "string", "pattern": "(a" };
            pattern_possessive: { "type": "string", "pattern": "a++" };
            pattern_look_ahead: { "type": "string", "pattern": "(?=a)" };
            list_type_foo: { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "foo" };
            list_type_of_text: { "type": "string", "x-kubernetes-list-type": "set" };
            map_without_keys: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
                "x-kubernetes-list-type": "map" };
            map_of_texts: { "type": "array", "items": { "type": "string" },
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
            map_key_missing: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["j"] };
            map_key_optional: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
            map_key_object: { "type": "array", "items": { "type": "object", "required": ["k"],
                "properties": { "k": { "type": "object", "properties": { "a": { "type": "string" } } } } },
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
            keys_without_type: { "type": "array", "items": { "type": "object", "required": ["k"],
                "properties": { "k": { "type": "string" } } }, "x-kubernetes-list-map-keys": ["k"] };
            set_of_objects: { "type": "array", "x-kubernetes-list-type": "set",
                "items": { "type": "object", "properties": { "k": { "type": "string" } } } };
            set_of_nullables: { "type": "array", "x-kubernetes-list-type": "set",
                "items": { "type": "string", "nullable": true } };
            map_type_foo: { "type": "object", "x-kubernetes-map-type": "foo", "properties": { "a": { "type": "string" } } };
            map_type_of_text: { "type": "string", "x-kubernetes-map-type": "atomic" };
            default_type: { "type": "object", "properties": { "a": { "type": "string", "default": 1 } } };
            default_pattern: { "type": "object", "properties": { "a": { "type": "string", "pattern": "^b$", "default": "a" } } };
            default_format: { "type": "object", "properties": { "a": { "type": "string", "format": "uuid", "default": "a" } } };
            default_email: { "type": "object", "properties": { "a": { "type": "string", "format": "email", "default": "" } } };
            default_unknown: { "type": "object", "properties": { "a": { "type": "object", "default": { "c": 1 },
                "properties": { "b": { "type": "string" } } } } };
            default_required: { "type": "object", "properties": { "a": { "type": "object", "default": {}, "required": ["b"],
                "properties": { "b": { "type": "string" } } } } };
            resource_of_text: { "type": "string", "x-kubernetes-embedded-resource": true };
            resource_empty: { "type": "object", "x-kubernetes-embedded-resource": true };
            resource_of_a_map: { "type": "object", "x-kubernetes-embedded-resource": true, "additionalProperties": { "type": "string" } };
            resource_kind: { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "kind": { "type": "integer" } } };
            resource_metadata: { "type": "object", "x-kubernetes-embedded-resource": true,
                "properties": { "metadata": { "type": "array", "items": { "type": "string" } } } };
            resource_in_metadata: { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "metadata": {
                "type": "object", "properties": { "a": { "type": "object", "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true } } } } };
            rule_blank: { "type": "integer", "x-kubernetes-validations": [{ "rule": " " }] };
            rule_syntax: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self >" }] };
            rule_type: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 'a'" }] };
            rule_no_boolean: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self + 1" }] };
            rule_field: { "type": "object", "properties": { "a": { "type": "string" } },
                "x-kubernetes-validations": [{ "rule": "has(self.b)" }] };
            rule_message: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "message": "a\nb" }] };
            rule_message_expression: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "messageExpression": "self" }] };
            rule_reason: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "reason": "Foo" }] };
            rule_path: { "type": "object", "properties": { "a": { "type": "string" } },
                "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": ".b" }] };
            rule_path_dot: { "type": "object", "properties": { "a": { "type": "string" } },
                "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": "a" }] };
            rule_old_self: { "type": "array", "items": { "type": "integer", "x-kubernetes-validations": [{ "rule": "self == oldSelf" }] } };
            rule_optional: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "optionalOldSelf": true }] };
            rule_dear: { "type": "array", "items": { "type": "array", "items": { "type": "string",
                "x-kubernetes-validations": [{ "rule": "self.matches('^a+b+c+$') && self.contains('abc')" }] } } };
        }
    }
}
