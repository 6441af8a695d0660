//! Roots with `schema = "manual"`, whose schema the user writes: the compiler checks nothing of them.

use crdkit::{
    definition::{Definition, RootSchema},
    schema::ForeignSchema,
};

use crate::{Case, with_schema};

pub(crate) fn all() -> Vec<&'static [Case]> {
    schemas::all()
}

const fn resource(schema: ForeignSchema, has_status: bool) -> Definition {
    let definition = with_schema(RootSchema::Manual(schema));
    if has_status { definition.status() } else { definition }
}

/// Root schemas, and what is expected of each without and with the status subresource.
macro_rules! roots {
    ($(($without:ident, $with:ident) { $($name:ident: $schema:tt;)* })*) => {
        $($(mod $name {
            use std::borrow::Cow;

            use crdkit::schema::ForeignSchema;
            use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

            use crate::{Case, Expected, manual::resource};

            struct Root;

            impl JsonSchema for Root {
                fn schema_name() -> Cow<'static, str> {
                    "Root".into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }

            pub(super) const CASES: &[Case] = &[
                Case {
                    name: Cow::Borrowed(concat!(module_path!(), "::without_status")),
                    entry_point: "schema = \"manual\"",
                    expected: Expected::of(stringify!($without)),
                    definition: resource(ForeignSchema::of::<Root>(), false),
                },
                Case {
                    name: Cow::Borrowed(concat!(module_path!(), "::with_status")),
                    entry_point: "schema = \"manual\"",
                    expected: Expected::of(stringify!($with)),
                    definition: resource(ForeignSchema::of::<Root>(), true),
                },
            ];
        })*)*

        pub(super) fn all() -> Vec<&'static [crate::Case]> {
            vec![$($($name::CASES),*),*]
        }
    };
}

mod schemas {
    roots! {
        (Accepted, Accepted) {
            object: { "type": "object", "properties": { "spec": { "type": "object", "properties": { "a": { "type": "string" } } } } };
            metadata: { "type": "object", "properties": { "metadata": { "type": "object" }, "kind": { "type": "string" },
                "apiVersion": { "type": "string" } } };
            names: { "type": "object", "properties": { "metadata": { "type": "object",
                "properties": { "name": { "type": "string", "maxLength": 9, "pattern": "^a" } } } } };
            rules: { "type": "object", "properties": { "spec": { "type": "integer" } },
                "x-kubernetes-validations": [{ "rule": "!has(self.spec) || self.spec > 0" }] };
            default_of_the_spec: { "type": "object", "properties": { "spec": { "type": "integer", "default": 1 } } };
        }
        (Accepted, R4) {
            bounds: { "type": "object", "properties": { "spec": { "type": "integer" } }, "required": ["spec"], "maxProperties": 9 };
            any_of: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
                "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] };
            not: { "type": "object", "properties": { "a": { "type": "string" } }, "not": { "required": ["a"] } };
        }
        (S3, S3) {
            text: { "type": "string" };
            list: { "type": "array", "items": { "type": "string" } };
        }
        (S8, S8) {
            metadata_of_text: { "type": "object", "properties": { "metadata": { "type": "string" } } };
            kind_of_number: { "type": "object", "properties": { "kind": { "type": "integer" } } };
            version_of_list: { "type": "object", "properties": { "apiVersion": { "type": "array", "items": { "type": "string" } } } };
        }
        (S9, S9) {
            metadata_described: { "type": "object", "properties": { "metadata": { "type": "object", "description": "Names." } } };
            metadata_with_labels: { "type": "object", "properties": { "metadata": { "type": "object",
                "properties": { "labels": { "type": "object", "additionalProperties": { "type": "string" } } } } } };
        }
        (E1, E1) {
            default_of_a_name: { "type": "object", "properties": { "metadata": { "type": "object",
                "properties": { "name": { "type": "string", "default": "a" } } } } };
            default_of_the_kind: { "type": "object", "properties": { "kind": { "type": "string", "default": "Case" } } };
        }
        (C10, C10) {
            rule: { "type": "object", "properties": { "spec": { "type": "integer" } },
                "x-kubernetes-validations": [{ "rule": "self.spec > 'a'" }] };
        }
        (O10, O10) {
            pattern: { "type": "object", "properties": { "spec": { "type": "string", "pattern": "(?=a)" } } };
        }
    }
}
