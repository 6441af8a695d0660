//! Whole resources, by the attributes of `CustomResource` in both spellings: on types that only schemars has a schema of,
//! and with expressions, only the generated test finds mistakes.

use std::borrow::Cow;

use crdkit::{CustomResource, KubeSchema, kube::core::Rule};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Case, Expected};

/// An object whose schema is unknown to the compiler.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Foreign {}

impl JsonSchema for Foreign {
    fn schema_name() -> Cow<'static, str> {
        "Foreign".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({
            "type": "object",
            "required": ["text"],
            "properties": {
                "text": { "type": "string", "maxLength": 5 },
                "size": { "type": "integer" },
                "share": { "type": "number" },
                "list": { "type": "array", "items": { "type": "string" } },
            },
        })
    }
}

fn rule(text: &'static str) -> Rule {
    Rule::new(text)
}

const NUMBER: &str = "self.spec.v.list.size()";
const NOTHING: &str = ".spec.none";
const TEXT: &str = "self.spec.v.text != ''";

/// Resources with a field of a foreign type, in the spec and in the status, with more attributes in both spellings.
macro_rules! resources {
    ($($expected:ident { $($name:ident: $(#[$($attribute:tt)*])*;)* })*) => {
        $($(mod $name {
            use super::*;

            #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(test = false)]
            #[kube(group = "example.com", version = "v1", kind = "Case", status = "Status")]
            $(#[$($attribute)*])*
            pub(super) struct CaseSpec {
                v: Foreign,
            }

            #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
            pub(super) struct Status {
                v: Option<Foreign>,
            }
        })*)*

        pub(crate) const CASES: &[Case] = &[$($(Case {
            name: Cow::Borrowed(concat!("resources::", stringify!($name))),
            entry_point: stringify!($(#[$($attribute)*])* struct X;),
            expected: Expected::of(stringify!($expected)),
            definition: <$name::Case as CustomResource>::DEFINITION,
        }),*),*];
    };
}

resources! {
    Accepted {
        plain: ;
        namespaced: #[kube(namespaced, shortname = "ca", category = "all", plural = "cases", singular = "case")];
        labelled: #[kube(label("a", "b"), annotation("c", "d"))];
        column: #[kube(printcolumn(name = "A", type_ = "string", json_path = ".spec.v.text"))];
        column_of_json: #[kube(printcolumn = r#"{"name": "A", "type": "integer", "jsonPath": ".spec.v.size"}"#)];
        column_of_crd: #[crd(printcolumn(name = "A", type_ = "number", json_path = ".status.v.share"))];
        selectable: #[kube(selectable = ".spec.v.text")];
        selectable_of_crd: #[crd(selectable = ".status.v.size")];
        scale: #[kube(scale(spec_replicas_path = ".spec.v.size", status_replicas_path = ".status.v.size"))];
        scale_of_json: #[kube(scale = r#"{"specReplicasPath": ".spec.v.size", "statusReplicasPath": ".status.v.size", "labelSelectorPath": ".status.v.text"}"#)];
        scale_of_crd: #[crd(scale(spec_replicas_path = ".spec.v.size", status_replicas_path = ".status.v.size", label_selector_path = ".status.v.text"))];
        rule_of_kube: #[kube(validation = "self.spec.v.text != ''")];
        rule_of_crd: #[crd(validation = rule(TEXT))];
        rule_of_a_constant: #[kube(validation = Rule::new(TEXT).field_path(".spec.v.text"))];
        rule_of_the_name: #[kube(validation = "self.metadata.name == 'singleton'")];
        transition: #[kube(validation = "self.spec.v.text == oldSelf.spec.v.text")];
        deprecated: #[kube(deprecated = "use v2")];
        descriptions: #[crd(descriptions = "none")];
        patched: #[crd(schema_patch({ "maxProperties": 5 }))];
    }
    C1 {
        blank_rule: #[kube(validation = rule(" "))];
    }
    C4 {
        lines: #[kube(validation = rule("true ||\nfalse"))];
    }
    C8 {
        path_to_nothing: #[kube(validation = Rule::new(TEXT).field_path(NOTHING))];
        path_to_nothing_of_crd: #[crd(validation = Rule::new(TEXT).field_path(NOTHING))];
    }
    C10 {
        unknown_field: #[kube(validation = "self.spec.v.txt != ''")];
        unknown_field_of_crd: #[crd(validation = rule("self.spec.txt != ''"))];
        label_in_a_rule: #[kube(validation = rule("has(self.metadata.labels)"))];
        undeclared_status: #[kube(validation = rule("has(self.status.none)"))];
    }
    C11 {
        no_boolean: #[kube(validation = "self.spec.v.text")];
    }
    C12 {
        no_text: #[kube(validation = Rule::new("has(self.spec)").message(crdkit::kube::core::Message::Expression(NUMBER.into())))];
    }
    C14 {
        dear: #[kube(validation = "self.spec.v.list.all(a, self.spec.v.list.all(b, a != b))")];
    }
    C18 {
        optional_without_old_self: #[kube(validation = rule(TEXT).optional_old_self(true))];
    }
    F3 {
        selectable_nothing: #[kube(selectable = ".spec.v.none")];
        selectable_nothing_of_crd: #[crd(selectable = ".status.v.none")];
        selectable_in_a_list: #[kube(selectable = ".spec.v.list.a")];
    }
    F5 {
        selectable_number: #[kube(selectable = ".spec.v.share")];
        selectable_object: #[crd(selectable = ".spec.v")];
    }
    X46 {
        column_of_nothing: #[kube(printcolumn(name = "A", type_ = "string", json_path = ".spec.v.none"))];
        column_of_nothing_of_json: #[kube(printcolumn = r#"{"name": "A", "type": "string", "jsonPath": ".status.v.none"}"#)];
        column_of_nothing_of_crd: #[crd(printcolumn(name = "A", type_ = "string", json_path = ".spec.v.none"))];
    }
    X47 {
        column_of_another_type: #[kube(printcolumn(name = "A", type_ = "boolean", json_path = ".spec.v.text"))];
        column_of_another_type_of_json: #[kube(printcolumn = r#"{"name": "A", "type": "date", "jsonPath": ".spec.v.size"}"#)];
    }
    X48 {
        scale_of_text: #[kube(scale(spec_replicas_path = ".spec.v.text", status_replicas_path = ".status.v.size"))];
        scale_of_nothing: #[kube(scale = r#"{"specReplicasPath": ".spec.v.size", "statusReplicasPath": ".status.v.none"}"#)];
        scale_by_a_number: #[crd(scale(spec_replicas_path = ".spec.v.size", status_replicas_path = ".status.v.size", label_selector_path = ".status.v.size"))];
    }
    L14 {
        patched_map_type: #[crd(schema_patch({ "x-kubernetes-map-type": "foo" }))];
        extended_map_type: #[schemars(extend("x-kubernetes-map-type" = "foo"))];
    }
}
