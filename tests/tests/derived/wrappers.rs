//! Types that wrap another type: each places the value elsewhere below the root of a resource.

use std::collections::{BTreeMap, BTreeSet};

use crdkit::{
    KubeSchema,
    definition::{Definition, DerivedRoot},
    schema::Schema,
};

use crate::with_root;

macro_rules! wrappers {
    ($($name:ident { $($item:item)* })*) => {
        $(pub(crate) mod $name {
            #[allow(unused_imports)]
            use super::*;

            $($item)*
        })*
    };
}

wrappers! {
    field { #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: T } }
    option { #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Option<T> } }
    list { #[derive(KubeSchema)] pub(crate) struct Spec<T> { #[crd(max_items = 3)] v: Vec<T> } }
    set { #[derive(KubeSchema)] pub(crate) struct Spec<T> { #[crd(max_items = 3)] v: BTreeSet<T> } }
    tuple { #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: (T, T) } }
    map { #[derive(KubeSchema)] pub(crate) struct Spec<T> { #[crd(max_properties = 3)] v: BTreeMap<String, T> } }
    keyed_list {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { #[crd(max_items = 3, list_type = "map", list_map_keys = ["k"])] v: Vec<Item<T>> }
        #[derive(KubeSchema)] pub(crate) struct Item<T> { #[crd(max_length = 5)] k: String, v: T }
    }
    nested {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { part: Part<T> }
        #[derive(KubeSchema)] pub(crate) struct Part<T> { v: Option<T> }
    }
    newtype {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Name<T> }
        #[derive(KubeSchema)] pub(crate) struct Name<T>(T);
    }
    flattened {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { a: i32, #[serde(flatten)] part: Part<T> }
        #[derive(KubeSchema)] pub(crate) struct Part<T> { v: T }
    }
    flattened_option {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { a: i32, #[serde(flatten)] part: Option<Part<T>> }
        #[derive(KubeSchema)] pub(crate) struct Part<T> { v: T }
    }
    flattened_map { #[derive(KubeSchema)] pub(crate) struct Spec<T> { #[serde(flatten)] v: BTreeMap<String, T> } }
    external {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Part<T> }
        #[derive(KubeSchema)] pub(crate) enum Part<T> { A(T), B(i32) }
    }
    internal {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Part<T> }
        #[derive(KubeSchema)] #[serde(tag = "t")] pub(crate) enum Part<T> { A { v: T }, B { w: i32 } }
    }
    adjacent {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Part<T> }
        #[derive(KubeSchema)] #[serde(tag = "t", content = "c")] pub(crate) enum Part<T> { A(T), B }
    }
    untagged {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { v: Part<T> }
        #[derive(KubeSchema)] #[serde(untagged)] pub(crate) enum Part<T> { A { v: T }, B { w: i32 } }
    }
    flattened_enum {
        #[derive(KubeSchema)] pub(crate) struct Spec<T> { a: i32, #[serde(flatten)] v: Part<T> }
        #[derive(KubeSchema)] pub(crate) enum Part<T> { B { v: T }, C(i32) }
    }
}

#[derive(KubeSchema)]
struct Nothing {}

/// In a status.
pub(crate) const fn status(spec: &'static Schema) -> Definition {
    with_root(DerivedRoot::new(Nothing::SCHEMA_REF).status(spec)).status()
}

/// At the root.
pub(crate) const fn no_spec(spec: &'static Schema) -> Definition {
    with_root(DerivedRoot::new(spec).flatten_spec())
}
