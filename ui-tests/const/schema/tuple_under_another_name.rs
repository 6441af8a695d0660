use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_schema};
use serde::{Deserialize, Serialize};

type Both = (i32, String);

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Pair<T> {
    pub first: T,
    pub others: Vec<T>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub name: String,
    pub both: BTreeMap<String, Option<Both>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Row(u8, Both);

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Choice {
    One(Box<Both>),
    Other { name: String },
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "Pair<Both>")]
pub struct FooSpec {
    pub pair: Pair<(i32, String)>,
    /// What they cannot express is described in them.
    pub part: Part,
    pub row: Row,
    pub choices: Vec<Choice>,
}

fn main() {
    use_schema::<FooSpec>();
    println!("{:?}", Foo::crd());
}
