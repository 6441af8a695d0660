//! Merge strategies of lists and maps from expressions whose value is unknown at compile time.

use std::collections::BTreeMap;

use crdkit::kube::core::{ListMerge, MapMerge, StructMerge};

use crate::resources_of_fields;

#[derive(crdkit::KubeSchema)]
struct Item {
    name: String,
    #[crd(default = "a")]
    zone: String,
    size: Option<i32>,
    part: Part,
}

#[derive(crdkit::KubeSchema)]
struct Part {
    a: String,
}

#[derive(crdkit::KubeSchema)]
#[crd(map_type = "atomic")]
struct Atomic {
    a: String,
}

fn by(keys: &[&str]) -> ListMerge {
    ListMerge::Map(keys.iter().map(ToString::to_string).collect())
}

fn set() -> ListMerge {
    ListMerge::Set
}

fn atomic() -> ListMerge {
    ListMerge::Atomic
}

fn atomic_map() -> MapMerge {
    MapMerge::Atomic
}

fn granular_struct() -> StructMerge {
    StructMerge::Granular
}

resources_of_fields! {
    Accepted {
        map: #[crd(merge_strategy = by(&["name"]))] Vec<Item>;
        map_by_kube: #[x_kube(merge_strategy = by(&["name"]))] Vec<Item>;
        map_by_two: #[crd(merge_strategy = by(&["name", "zone"]))] Vec<Item>;
        map_by_literals: #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))] Vec<Item>;
        map_of_an_option: #[crd(merge_strategy = by(&["name"]))] Option<Vec<Item>>;
        set_of_texts: #[crd(merge_strategy = set())] Vec<String>;
        set_by_kube: #[x_kube(merge_strategy = set())] Vec<String>;
        set_of_lists: #[crd(merge_strategy = set())] Vec<Vec<String>>;
        set_of_atomics: #[crd(merge_strategy = set())] Vec<Atomic>;
        atomic_list: #[crd(merge_strategy = atomic())] Vec<Item>;
        atomic_by_kube: #[x_kube(merge_strategy = ListMerge::Atomic)] Vec<Item>;
        atomic_entries: #[crd(merge_strategy = atomic_map())] BTreeMap<String, String>;
        granular_entries: #[x_kube(merge_strategy = MapMerge::Granular)] BTreeMap<String, String>;
        granular_part: #[crd(merge_strategy = granular_struct())] Part;
        atomic_part: #[x_kube(merge_strategy = StructMerge::Atomic)] Part;
    }
    L1 {
        list_type_of_text: #[crd(merge_strategy = set())] String;
        list_type_of_text_by_kube: #[x_kube(merge_strategy = set())] String;
        list_type_of_a_map: #[crd(merge_strategy = atomic())] BTreeMap<String, String>;
    }
    L4 {
        no_key: #[crd(merge_strategy = by(&[]))] Vec<Item>;
        no_key_by_kube: #[x_kube(merge_strategy = by(&[]))] Vec<Item>;
    }
    L5 {
        map_of_texts: #[crd(merge_strategy = by(&["name"]))] Vec<String>;
        map_of_texts_by_kube: #[x_kube(merge_strategy = by(&["name"]))] Vec<String>;
        map_of_any: #[crd(merge_strategy = by(&["name"]))] Vec<serde_json::Value>;
    }
    L6 {
        no_field: #[crd(merge_strategy = by(&["nam"]))] Vec<Item>;
        no_field_by_kube: #[x_kube(merge_strategy = by(&["nam"]))] Vec<Item>;
    }
    L7 {
        object_as_key: #[crd(merge_strategy = by(&["part"]))] Vec<Item>;
    }
    L8 {
        key_twice: #[crd(merge_strategy = by(&["name", "name"]))] Vec<Item>;
    }
    L9 {
        optional_key: #[crd(merge_strategy = by(&["size"]))] Vec<Item>;
    }
    L11 {
        set_of_options: #[crd(merge_strategy = set())] Vec<Option<String>>;
        map_of_options: #[crd(merge_strategy = by(&["name"]))] Vec<Option<Item>>;
    }
    L12 {
        set_of_objects: #[crd(merge_strategy = set())] Vec<Part>;
        set_of_objects_by_kube: #[x_kube(merge_strategy = set())] Vec<Part>;
    }
    L14 {
        map_type_of_a_list: #[crd(merge_strategy = atomic_map())] Vec<String>;
        map_type_of_text: #[crd(merge_strategy = granular_struct())] String;
        map_type_of_text_by_kube: #[x_kube(merge_strategy = granular_struct())] String;
    }
    W2 {
        set_of_atomic_parts: #[x_kube(merge_strategy = set())] Vec<Atomic>;
    }
}
