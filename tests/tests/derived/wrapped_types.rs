//! Types with rules over several fields or over the previous value, and types with defaults, in each wrapper.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::Serialize;

use crate::{Case, Expected, with_spec, wrappers};

/// Parts, each with what it is made from, in all wrappers: `Part` is in each of them.
macro_rules! parts {
    ($($expected:ident { $($name:ident { $($item:item)* })* })*) => {
        $($(mod $name {
            #[allow(unused_imports)]
            use super::*;

            $($item)*
        })*)*

        pub(crate) fn all() -> Vec<Case> {
            let mut all = Vec::new();
            $($(all.extend(wrapped::<$name::Part>(
                stringify!($name),
                stringify!($($item)*),
                Expected::of(stringify!($expected)),
            ));)*)*
            all
        }
    };
}

fn wrapped<T: KubeSchema>(name: &str, entry_point: &'static str, expected: Expected) -> Vec<Case> {
    macro_rules! cases {
        ($($wrapper:ident)*) => {
            vec![$((stringify!($wrapper), with_spec(<wrappers::$wrapper::Spec<T> as KubeSchema>::SCHEMA_REF))),*]
        };
    }
    let mut all = cases!(
        field option list tuple map keyed_list nested newtype flattened flattened_option flattened_map external internal adjacent
        untagged flattened_enum
    );
    let place = <wrappers::field::Spec<T> as KubeSchema>::SCHEMA_REF;
    all.extend([
        ("status", wrappers::status(place)),
        ("no_spec", wrappers::no_spec(place)),
        ("no_spec_of_its_own", wrappers::no_spec(T::SCHEMA_REF)),
        ("spec", with_spec(T::SCHEMA_REF)),
    ]);
    let case = |(placement, definition): (&str, _)| Case {
        name: format!("wrapped_types::{name}::{placement}").into(),
        entry_point,
        expected: adjusted(name, placement, expected),
        definition,
    };
    all.into_iter().map(case).collect()
}

fn adjusted(name: &str, placement: &str, expected: Expected) -> Expected {
    match (name, placement) {
        // The items of a list have no previous value.
        (name, "list" | "tuple") if name.starts_with("before_") => Expected::Breaks("C17"),
        // The root changes with its metadata.
        ("before_immutable", "no_spec_of_its_own") => Expected::CrdkitOnly,
        // The map has no bound.
        ("rule_of_a_map", "flattened_map") => Expected::Breaks("C14"),
        // The server validates no default in the values of maps, and no rule runs on it.
        (_, "map" | "flattened_map") if expected == Expected::Breaks("E5") => Expected::Breaks("E9"),
        (_, "map" | "flattened_map") if expected == Expected::Breaks("E7") => Expected::Accepted,
        _ => expected,
    }
}

fn five() -> i32 {
    5
}

parts! {
    Accepted {
        one_of { #[derive(KubeSchema)] #[crd(one_of("a", "b"))] pub(super) struct Part { a: Option<i32>, b: Option<String> } }
        at_most_one_of { #[derive(KubeSchema)] #[crd(at_most_one_of("a", "b"))] pub(super) struct Part { a: Option<i32>, b: Option<String> } }
        at_least_one_of { #[derive(KubeSchema)] #[crd(at_least_one_of("a", "b"))] pub(super) struct Part { a: Option<i32>, b: Option<String> } }
        requires { #[derive(KubeSchema)] pub(super) struct Part { #[crd(requires("b"))] a: Option<i32>, b: Option<String> } }
        of_odd_names {
            #[derive(KubeSchema)] #[crd(one_of("a-b", "namespace", "c.d/e"))]
            pub(super) struct Part { #[serde(rename = "a-b")] a: Option<i32>, namespace: Option<String>, #[serde(rename = "c.d/e")] c: Option<bool> }
        }
        of_flattened_fields {
            #[derive(KubeSchema)] #[crd(at_least_one_of("a", "b"))] pub(super) struct Part { a: Option<i32>, #[serde(flatten)] rest: Rest }
            #[derive(KubeSchema)] struct Rest { b: Option<String> }
        }
        several { #[derive(KubeSchema)] #[crd(one_of("a", "b"), one_of("c", "d"))] pub(super) struct Part { a: Option<i32>, b: Option<i32>, #[crd(requires("a"))] c: Option<i32>, d: Option<i32> } }
        rule { #[derive(KubeSchema)] #[crd(validation = Rule::new("self.a > 0").field_path(".a"))] pub(super) struct Part { a: i32 } }
        rule_of_a_reserved_name { #[derive(KubeSchema)] #[crd(validation = "self.__namespace__ != '' && self.a__dash__b > 0")] pub(super) struct Part { #[crd(max_length = 5)] namespace: String, #[serde(rename = "a-b")] b: i32 } }
        rule_of_a_map { #[derive(KubeSchema)] #[crd(validation = "self.m.all(k, k.size() < 9 && self.m[k] > 0)")] pub(super) struct Part { #[crd(max_properties = 5)] m: BTreeMap<String, i32> } }
        rule_of_a_quantity {
            #[derive(KubeSchema)] #[crd(validation = "!quantity(self.q).isLessThan(quantity('1Mi'))")]
            pub(super) struct Part { #[crd(schema_patch({ "maxLength": 20, "x-kubernetes-int-or-string": null, "type": "string" }))] q: k8s_openapi::apimachinery::pkg::api::resource::Quantity }
        }
        rule_of_a_time { #[derive(KubeSchema)] #[crd(validation = "self.t > timestamp('2020-01-01T00:00:00Z')")] pub(super) struct Part { t: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time } }
        before_immutable { #[derive(KubeSchema)] #[crd(immutable)] pub(super) struct Part { #[crd(max_length = 5)] a: String } }
        before_immutable_field { #[derive(KubeSchema)] pub(super) struct Part { #[crd(immutable)] a: i32, #[crd(immutable)] b: Option<i32> } }
        before_transition { #[derive(KubeSchema)] #[crd(validation = "self.a >= oldSelf.a")] pub(super) struct Part { a: i32 } }
        defaults_of_serde { #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] a: i32, #[serde(default = "five")] b: i32, #[crd(default = "x")] c: String } }
        default_of_a_struct {
            #[derive(KubeSchema, Serialize)] #[serde(default)] pub(super) struct Part { #[crd(minimum = 5)] a: i32, rest: Rest }
            impl Default for Part { fn default() -> Self { Self { a: 5, rest: Rest { b: 1 } } } }
            #[derive(KubeSchema, Serialize)] struct Rest { #[crd(maximum = 5)] b: i32 }
        }
        default_of_a_part {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] rest: Rest }
            #[derive(KubeSchema, Serialize, Default)] struct Rest { b: i32, c: Vec<String>, d: Option<i32> }
        }
        default_of_a_variant {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] word: Kind }
            #[derive(KubeSchema, Serialize, Default)] enum Kind { #[default] A, B }
        }
        default_of_a_tagged_variant {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] word: Kind }
            #[derive(KubeSchema, Serialize)] #[serde(tag = "t")] enum Kind { A { a: i32 }, B { b: String } }
            impl Default for Kind { fn default() -> Self { Self::A { a: 1 } } }
        }
        default_of_an_option { #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] a: Option<i32>, #[crd(default = 5)] b: Option<i32> } }
        default_that_is_left_out { #[derive(KubeSchema)] pub(super) struct Part { #[serde(default, skip_serializing_if = "Vec::is_empty")] a: Vec<String> } }
    }
    C10 {
        rule_of_no_field { #[derive(KubeSchema)] #[crd(validation = Rule::new(crate::types::OF_NO_FIELD))] pub(super) struct Part { a: i32 } }
        rule_of_a_rust_name { #[derive(KubeSchema)] #[serde(rename_all = "camelCase")] #[crd(validation = Rule::new(crate::types::OF_A_RUST_NAME))] pub(super) struct Part { a_b: i32 } }
        rule_of_a_quantity_as_text { #[derive(KubeSchema)] #[crd(validation = Rule::new(crate::types::OF_A_QUANTITY_AS_TEXT))] pub(super) struct Part { a: i32 } }
    }
    C14 {
        dear { #[derive(KubeSchema)] #[crd(validation = "self.m.all(k, self.m.all(l, k != l || self.m[k] == self.m[l]))")] pub(super) struct Part { m: BTreeMap<String, String> } }
        dear_items {
            #[derive(KubeSchema)] pub(super) struct Part { items: Vec<Item> }
            #[derive(KubeSchema)] #[crd(validation = "self.a.contains('a') && self.a.contains('b')")] struct Item { a: String }
        }
    }
    C16 {
        dear_together {
            #[derive(KubeSchema)] pub(super) struct Part { a: Texts, b: Texts, c: Texts, d: Texts, e: Texts, f: Texts }
            #[derive(KubeSchema)] #[crd(max_items = 9, items(validation = "self.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')", validation = "self.contains('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb')", validation = "self.contains('ccccccccccccccccccccccccccccccc')"))] struct Texts(Vec<String>);
        }
    }
    E5 {
        default_of_a_bounded_struct {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] rest: Rest }
            #[derive(KubeSchema, Serialize, Default)] struct Rest { #[crd(minimum = 5)] b: i32 }
        }
        default_of_a_word {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] rest: Rest }
            #[derive(KubeSchema, Serialize, Default)] struct Rest { #[crd(pattern = "^a+$")] b: String }
        }
        default_within_a_list {
            #[derive(KubeSchema)] pub(super) struct Part { #[crd(default = vec![Rest { b: String::new() }])] rest: Vec<Rest> }
            #[derive(KubeSchema, Serialize)] struct Rest { #[crd(min_length = 1)] b: String }
        }
    }
    E7 {
        default_against_the_rule_of_a_part {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] rest: Rest }
            #[derive(KubeSchema, Serialize, Default)] #[crd(validation = "self.b > 0")] struct Rest { b: i32 }
        }
        default_of_neither {
            #[derive(KubeSchema)] pub(super) struct Part { #[serde(default)] rest: Rest }
            #[derive(KubeSchema, Serialize, Default)] #[crd(one_of("a", "b"))] struct Rest { #[serde(skip_serializing_if = "Option::is_none")] a: Option<i32>, #[serde(skip_serializing_if = "Option::is_none")] b: Option<i32> }
        }
    }
}
