//! Types that another schema hides may have any form, and markers that are read elsewhere.

use std::collections::HashMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", test = false)]
pub struct FooSpec {
    pub node: Node,
    #[crd(preserve_unknown_fields)]
    pub opaque: Vec<Option<Opaque>>,
    #[schemars(with = "String")]
    pub text: HashMap<String, Opaque>,
    #[schemars(with = "Last")]
    pub last: Paint,
    #[crd(preserve_unknown_fields)]
    pub before: Last,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Opaque {
    pub pair: (u8, String),
}

/// Contains itself, by way of another type.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Node {
    #[crd(column)]
    pub name: String,
    #[crd(preserve_unknown_fields)]
    pub children: Vec<Self>,
    pub edge: Edge,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Edge {
    #[crd(preserve_unknown_fields)]
    pub to: Option<Box<Node>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Last {
    pub paint: Paint,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Paint {
    #[crd(selectable)]
    pub color: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(from = "Last")]
pub struct Flat {
    pub paint: Paint,
}

impl From<Last> for Flat {
    fn from(last: Last) -> Self {
        Self { paint: last.paint }
    }
}

#[derive(KubeSchema, Serialize)]
pub struct Borrowed<'a, T> {
    #[crd(preserve_unknown_fields)]
    pub node: &'a Node,
    #[schemars(with = "String")]
    pub other: T,
}

pub(super) fn main() {
    let paint = Paint { color: "red".into() };
    let node = Node { name: "a".into(), children: Vec::new(), edge: Edge { to: None } };
    let spec = FooSpec {
        node,
        opaque: vec![None],
        text: HashMap::new(),
        last: paint.clone(),
        before: Last { paint: paint.clone() },
    };
    use_object(&Foo::new("foo", spec));
    println!("{:?} {:?}", Foo::crd(), Flat::from(Last { paint }));
}
