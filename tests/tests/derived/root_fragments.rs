//! Fragments of JSON Schema at the root of a resource, in every placement there.

use std::borrow::Cow;

use crdkit::{
    Foreign, KubeSchema,
    definition::{DerivedRoot, RootSchema},
    schema::{ForeignSchema, Keyword},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::{Case, Expected, with_schema};

/// Each fragment in a module of its own: first what it breaks, then what it breaks beside a status subresource.
macro_rules! at_the_root {
    ($($expected:ident $with_status:ident { $($name:ident: { $($key:literal: $value:tt),* $(,)? };)* })*) => {
        $($(mod $name {
            use super::*;

            struct Fragment;

            impl JsonSchema for Fragment {
                fn schema_name() -> Cow<'static, str> {
                    concat!("Root", stringify!($name)).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ $($key: $value),* })
                }
            }

            fn value() -> Value {
                serde_json::json!({ $($key: $value),* })
            }

            fn replace(before: &mut Schema) {
                let before = before.as_object_mut().expect("an object");
                before.remove("required");
                before.extend(value().as_object().expect("an object").clone());
            }

            #[derive(KubeSchema)]
            #[crd(schema_patch({ $($key: $value),* }))]
            struct Patched {}

            #[derive(KubeSchema)]
            #[schemars(extend($($key = $value),*))]
            struct Extended {}

            #[derive(KubeSchema)]
            #[schemars(transform = replace)]
            struct Transformed {}

            #[derive(KubeSchema)]
            struct Flattened { #[serde(flatten)] part: Fragment }

            pub(super) fn all() -> Vec<Case> {
                let roots = [
                    ("manual", "`schema = \"manual\"`", RootSchema::Manual(ForeignSchema::of::<Fragment>())),
                    ("patched", "`Keyword::Patch` on a root", root(&[Keyword::Patch(value)])),
                    ("transformed", "`Keyword::Transform` on a root", root(&[Keyword::Transform(replace)])),
                    ("patched_spec", "`#[crd(schema_patch)]` and `no_spec`", no_spec::<Patched>()),
                    ("extended_spec", "`#[schemars(extend)]` and `no_spec`", no_spec::<Extended>()),
                    ("transformed_spec", "`#[schemars(transform)]` and `no_spec`", no_spec::<Transformed>()),
                    ("flattened", "`#[serde(flatten)]` of a foreign type and `no_spec`", no_spec::<Flattened>()),
                    ("foreign_spec", "a foreign type and `no_spec`", no_spec::<Foreign<Fragment>>()),
                ];
                let expected = [stringify!($expected), stringify!($with_status)].map(Expected::of);
                super::cases(module_path!(), roots, expected)
            }
        })*)*

        pub(super) fn all() -> Vec<Case> {
            let all = [$($($name::all()),*),*];
            all.into_iter().flatten().collect()
        }
    };
}

#[derive(KubeSchema)]
struct Nothing {}

const fn root(keywords: &'static [Keyword]) -> RootSchema {
    RootSchema::Derived(DerivedRoot::new(Nothing::SCHEMA_REF).with(keywords))
}

const fn no_spec<T: KubeSchema>() -> RootSchema {
    RootSchema::Derived(DerivedRoot::new(T::SCHEMA_REF).flatten_spec())
}

/// Each root without and with a status subresource.
fn cases<const N: usize>(
    path: &str,
    roots: [(&str, &'static str, RootSchema); N],
    [plain, with_status]: [Expected; 2],
) -> Vec<Case> {
    let mut all = Vec::new();
    for (placement, entry_point, schema) in roots {
        let case = |suffix, expected, definition| Case {
            name: format!("{path}::{placement}{suffix}").into(),
            entry_point,
            expected,
            definition,
        };
        let definition = with_schema(schema);
        let [plain, with_status] = [plain, with_status].map(|it| adjusted(path, placement, it));
        all.push(case("", plain, definition));
        all.push(case("_with_status", with_status, definition.status()));
    }
    all
}

/// Of a type whose fields are at the root, only the fields and their common keywords are moved there.
const NO_SPEC: &[&str] = &["patched_spec", "extended_spec", "transformed_spec", "flattened", "foreign_spec"];

fn adjusted(path: &str, placement: &str, expected: Expected) -> Expected {
    let fragment = path.rsplit("::").next().unwrap_or_default();
    match fragment {
        "few" | "text" | "list" | "merged" | "default_of_all" if NO_SPEC.contains(&placement) => Expected::CrdkitOnly,
        "nullable" if NO_SPEC.contains(&placement) => Expected::Accepted,
        // Beside fields, entries are unknown fields that are kept.
        "map" if placement != "manual" => Expected::Accepted,
        _ => expected,
    }
}

at_the_root! {
    Accepted Accepted {
        fields: { "type": "object", "properties": { "a": { "type": "string" } } };
        name: { "type": "object", "properties": { "metadata": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 5 } } } } };
        kinds: { "type": "object", "properties": { "kind": { "type": "string", "enum": ["Case"] }, "apiVersion": { "type": "string" } } };
        required: { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } };
        rule: { "type": "object", "properties": { "a": { "type": "string" } }, "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": ".a" }] };
        open: { "type": "object", "x-kubernetes-preserve-unknown-fields": true };
        words: { "type": "object", "title": "A", "description": "B", "example": { "a": "b" } };
    }
    Accepted R4 {
        any_of: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] };
        one_of: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] };
        not: { "type": "object", "properties": { "a": { "type": "string" } }, "not": { "required": ["a"] } };
        few: { "type": "object", "minProperties": 1, "properties": { "a": { "type": "string" } } };
        merged: { "type": "object", "x-kubernetes-map-type": "atomic", "properties": { "a": { "type": "string" } } };
    }
    O1 O1 {
        nullable: { "type": "object", "nullable": true };
    }
    S3 R5 {
        text: { "type": "string" };
        list: { "type": "array", "items": { "type": "string" } };
    }
    S4 S4 {
        map: { "type": "object", "additionalProperties": { "type": "string" } };
    }
    S8 S8 {
        kind_of_number: { "type": "object", "properties": { "kind": { "type": "integer" } } };
        metadata_of_text: { "type": "object", "properties": { "metadata": { "type": "string" } } };
    }
    S9 S9 {
        labels: { "type": "object", "properties": { "metadata": { "type": "object", "properties": { "labels": { "type": "string" } } } } };
        described_metadata: { "type": "object", "properties": { "metadata": { "type": "object", "description": "Words." } } };
        required_name: { "type": "object", "properties": { "metadata": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } } } };
    }
    E1 E1 {
        default_of_a_name: { "type": "object", "properties": { "metadata": { "type": "object", "properties": { "name": { "type": "string", "default": "a" } } } } };
        default_of_a_kind: { "type": "object", "properties": { "kind": { "type": "string", "default": "Case" } } };
    }
    E6 E6 {
        default_of_all: { "type": "object", "default": {}, "properties": { "a": { "type": "string" } } };
    }
    O9 O9 {
        resource_in_metadata: { "type": "object", "properties": { "metadata": { "type": "object", "properties": { "name": {
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } } } } };
    }
    C8 C8 {
        path_to_metadata: { "type": "object", "x-kubernetes-validations": [{ "rule": "true", "fieldPath": ".metadata.name" }] };
    }
    C10 C10 {
        rule_of_labels: { "type": "object", "x-kubernetes-validations": [{ "rule": "has(self.metadata.labels)" }] };
    }
    X1 X1 {
        required_nothing: { "type": "object", "required": ["b"], "properties": { "a": { "type": "string" } } };
    }
    Accepted X49 {
        required_status: { "type": "object", "required": ["status"], "properties": { "status": { "type": "object", "properties": { "a": { "type": "string" } } } } };
    }
}
