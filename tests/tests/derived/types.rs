//! Whole specs.

use crate::Case;

pub(crate) fn all() -> Vec<&'static [Case]> {
    vec![CASES]
}

/// Each spec in a module of its own, with what it is made from.
macro_rules! types {
    ($($expected:ident { $($name:ident { $($item:item)* })* })*) => {
        $($(mod $name {
            #[allow(unused_imports)]
            use std::collections::{BTreeMap, HashMap};

            #[allow(unused_imports)]
            use crdkit::{KubeSchema, kube::core::Rule};

            $($item)*
        })*)*

        const CASES: &[Case] = &[$($(Case {
            name: std::borrow::Cow::Borrowed(concat!("types::", stringify!($name))),
            entry_point: stringify!($($item)*),
            expected: crate::Expected::of(stringify!($expected)),
            definition: crate::with_spec(<$name::Spec as crdkit::KubeSchema>::SCHEMA_REF),
        }),*),*];
    };
}

types! {
    Accepted {
        empty { #[derive(KubeSchema)] pub(super) struct Spec {} }
        newtype { #[derive(KubeSchema)] pub(super) struct Spec { v: Name } #[derive(KubeSchema)] struct Name(String); }
        newtype_of_a_list { #[derive(KubeSchema)] pub(super) struct Spec { v: Names } #[derive(KubeSchema)] struct Names(Vec<String>); }
        units { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] enum Part { A, B } }
        units_in_an_option { #[derive(KubeSchema)] pub(super) struct Spec { v: Option<Part> } #[derive(KubeSchema)] enum Part { A, B } }
        external { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] enum Part { A { a: i32 }, B(String) } }
        internal { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[serde(tag = "t")] enum Part { A { a: i32 }, B { b: String } } }
        adjacent { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[serde(tag = "t", content = "c")] enum Part { A { a: i32 }, B { b: String } } }
        untagged { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[serde(untagged)] enum Part { A { a: i32 }, B { b: String } } }
        untagged_either { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[serde(untagged)] enum Part { A(i32), B(String) } }
        flattened { #[derive(KubeSchema)] pub(super) struct Spec { a: i32, #[serde(flatten)] v: Part } #[derive(KubeSchema)] struct Part { b: i32 } }
        flattened_map { #[derive(KubeSchema)] pub(super) struct Spec { a: i32, #[serde(flatten)] v: BTreeMap<String, i32> } }
        flattened_enum { #[derive(KubeSchema)] pub(super) struct Spec { a: i32, #[serde(flatten)] v: Part } #[derive(KubeSchema)] enum Part { B { b: i32 }, C(String) } }
        flattened_option { #[derive(KubeSchema)] pub(super) struct Spec { a: i32, #[serde(flatten)] v: Option<Part> } #[derive(KubeSchema)] struct Part { b: i32, c: i32 } }
        closed { #[derive(KubeSchema)] #[serde(deny_unknown_fields)] pub(super) struct Spec { a: i32 } }
        opened { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(preserve_unknown_fields)] struct Part { a: i32 } }
        one_of { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(one_of("a", "b"))] struct Part { a: Option<i32>, b: Option<String> } }
        at_most_one_of { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(at_most_one_of("a", "b"))] struct Part { a: Option<i32>, b: Option<String> } }
        at_least_one_of { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(at_least_one_of("a", "b"))] struct Part { a: Option<i32>, b: Option<String> } }
        requires { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] struct Part { #[crd(requires("b"))] a: Option<i32>, b: Option<String> } }
        immutable_type { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(immutable)] struct Part { a: i32 } }
        immutable_in_a_keyed_list {
            #[derive(KubeSchema)] pub(super) struct Spec { #[crd(list_type = "map", list_map_keys = ["n"], max_items = 10)] v: Vec<Part> }
            #[derive(KubeSchema)] struct Part { #[crd(max_length = 20)] n: String, #[crd(immutable, max_length = 20)] a: Option<String> }
        }
        rule_on_a_variant {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[serde(tag = "t")] enum Part { #[crd(validation = Rule::new("self.a > 0").field_path(".a"))] A { a: i32 }, B { b: String } }
        }
        rule_on_a_variant_of_its_own {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] enum Part { #[crd(validation = Rule::new("self.a > 0").field_path(".a"))] A { a: i32 }, B { b: String } }
        }
        rule_on_a_type {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("self.inner.a > 0").field_path(".inner.a"))] struct Part { inner: Inner }
            #[derive(KubeSchema)] struct Inner { a: i32 }
        }
        field_path_to_a_flattened_field {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("self.a > 0").field_path(".a"))] struct Part { #[serde(flatten)] inner: Inner }
            #[derive(KubeSchema)] struct Inner { a: i32 }
        }
        field_path_to_the_fields_of_variants {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[serde(tag = "t")] #[crd(validation = Rule::new("self.t != ''").field_path(".b"))] enum Part { A { a: i32 }, B { b: String } }
        }
        field_path_to_the_tag {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[serde(tag = "t", content = "c")] #[crd(validation = Rule::new("self.t != ''").field_path(".t"))] enum Part { A { a: i32 }, B { b: String } }
        }
        field_path_into_content {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[serde(tag = "t", content = "c")] #[crd(validation = Rule::new("self.t != ''").field_path(".c.b"))] enum Part { A { a: i32 }, B { b: String } }
        }
        field_path_into_a_variant {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("has(self.A)").field_path(".A.a"))] enum Part { A { a: i32 }, B { b: String } }
        }
        field_path_into_kubernetes {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("has(self.r)").field_path(".r.name"))] struct Part { r: k8s_openapi::api::core::v1::LocalObjectReference }
        }
        field_path_in_an_option {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("has(self.o)").field_path(".o.a"))] struct Part { o: Option<Box<Inner>> }
            #[derive(KubeSchema)] struct Inner { a: i32 }
        }
        field_path_of_a_newtype {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(validation = Rule::new("self.a > 0").field_path(".a"))] struct Part(Inner);
            #[derive(KubeSchema)] struct Inner { a: i32 }
        }
        field_path_beside_unknown_fields {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Part }
            #[derive(KubeSchema)] #[crd(preserve_unknown_fields, validation = Rule::new("self.a > 0").field_path(".a"))] struct Part { a: i32 }
        }
        tuple { #[derive(KubeSchema)] pub(super) struct Spec { v: Pair } #[derive(KubeSchema)] struct Pair(i32, i32); }
        generic { #[derive(KubeSchema)] pub(super) struct Spec { v: Part<i32> } #[derive(KubeSchema)] struct Part<T> { a: T } }
        resource {
            #[derive(KubeSchema)] pub(super) struct Spec { #[crd(embedded_resource)] v: Part }
            #[derive(KubeSchema)] #[serde(rename_all = "camelCase")] struct Part { api_version: String, kind: String, size: i32 }
        }
        keyed_by_an_enum {
            #[derive(KubeSchema)] pub(super) struct Spec { v: BTreeMap<Key, i32> }
            #[derive(KubeSchema, PartialEq, Eq, PartialOrd, Ord)] enum Key { A, B }
        }
    }
    C10 {
        rule_unknown_field { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(validation = Rule::new(crate::types::OF_NO_FIELD))] struct Part { a: i32 } }
        rule_on_the_spec { #[derive(KubeSchema)] #[crd(schema_patch({"x-kubernetes-validations": [{"rule": "self.b > 0"}]}))] pub(super) struct Spec { a: i32 } }
    }
    L14 {
        patched_type { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[crd(schema_patch({"x-kubernetes-map-type": "foo"}))] struct Part { a: i32 } }
        extended_type { #[derive(KubeSchema)] pub(super) struct Spec { v: Part } #[derive(KubeSchema)] #[schemars(extend("x-kubernetes-map-type" = "foo"))] struct Part { a: i32 } }
    }
    C14 {
        immutable_dear {
            #[derive(KubeSchema)] pub(super) struct Spec { #[crd(list_type = "map", list_map_keys = ["n"])] v: Vec<Part> }
            #[derive(KubeSchema)] struct Part { n: String, #[crd(immutable)] a: Option<String> }
        }
    }
    C17 {
        rule_below_a_list {
            #[derive(KubeSchema)] pub(super) struct Spec { v: Vec<Part> }
            #[derive(KubeSchema)] struct Part { #[schemars(extend("x-kubernetes-validations" = [{"rule": "self == oldSelf"}]))] a: i32 }
        }
    }
}

/// Rules that the compiler refuses where they are literals.
pub(crate) const OF_NO_FIELD: &str = "self.b > 0";
pub(crate) const OF_A_RUST_NAME: &str = "self.a_b > 0";
pub(crate) const OF_A_QUANTITY_AS_TEXT: &str = "self.a < '5'";
