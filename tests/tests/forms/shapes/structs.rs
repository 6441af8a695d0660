//! Structs: generic ones, and ones that contain themselves.

use std::{collections::BTreeMap, fmt::Display, marker::PhantomData};

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Page<T: Clone, const N: usize>
where
    T: PartialEq,
{
    item: T,
    items: Vec<Option<T>>,
    all: BTreeMap<String, T>,
    #[serde(skip)]
    of: PhantomData<[T; N]>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, PartialEq)]
pub(crate) struct Wrapper<T>(T);

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Display", deserialize = "T: std::str::FromStr"))]
#[schemars(bound = "T: Sized")]
pub(crate) struct Marked<T> {
    size: u8,
    #[serde(skip, default = "none")]
    #[allow(dead_code)]
    marker: Option<T>,
}

fn none<T>() -> Option<T> {
    None
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pair<A, B = A> {
    the_first: A,
    the_second: Option<B>,
}

type Pairs = Vec<Pair<u8, bool>>;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Tree {
    name: String,
    #[crd(preserve_unknown_fields)]
    children: Vec<Tree>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Step {
    name: String,
    plan: Option<Box<Plan>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Plan {
    #[crd(preserve_unknown_fields)]
    steps: Vec<Step>,
}

forms! {
    page: Page<Wrapper<bool>, 3> = {
        "type": "object",
        "properties": {
            "item": { "type": "boolean" },
            "items": { "type": "array", "items": { "type": "boolean", "nullable": true } },
            "all": { "type": "object", "additionalProperties": { "type": "boolean" } },
        },
        "required": ["all", "item", "items"],
    },
    accepts [{ "item": true, "items": [null, false], "all": { "a": true } }],
    refuses [{ "item": true, "items": [], "all": { "a": 1 } }, { "items": [], "all": {} }];

    marked: Marked<std::net::IpAddr> = {
        "type": "object",
        "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
        "required": ["size"],
    },
    accepts [{ "size": 1 }], refuses [{}, { "size": 1, "marker": "::1" }];

    pairs: Pairs = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "theFirst": { "type": "integer", "minimum": 0, "maximum": 255 },
                "theSecond": { "type": "boolean", "nullable": true },
            },
            "required": ["theFirst"],
        },
    },
    accepts [[{ "theFirst": 1, "theSecond": null }, { "theFirst": 2, "theSecond": true }]],
    refuses [[{ "the_first": 1 }], [{ "theFirst": true, "theSecond": 1 }]];

    tree: Tree = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "children": { "x-kubernetes-preserve-unknown-fields": true },
        },
        "required": ["children", "name"],
    },
    accepts [{ "name": "a", "children": [{ "name": "b", "children": [] }] }], refuses [{ "name": "a" }, { "children": [] }];

    step: Step = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "plan": {
                "type": "object",
                "nullable": true,
                "properties": { "steps": { "x-kubernetes-preserve-unknown-fields": true } },
                "required": ["steps"],
            },
        },
        "required": ["name"],
    },
    accepts [{ "name": "a", "plan": { "steps": [{ "name": "b", "plan": null }] } }], refuses [{ "name": "a", "plan": {} }];
}
