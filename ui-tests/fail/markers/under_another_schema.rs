use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", scale, status = "FooStatus")]
pub struct FooSpec {
    #[crd(scale(replicas))]
    pub replicas: i32,
    #[schemars(with = "String")]
    pub part: Part,
    #[schemars(schema_with = "any")]
    pub parts: BTreeMap<String, Vec<Option<Outer>>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooStatus {
    #[crd(scale(status_replicas))]
    pub replicas: i32,
    #[schemars(with = "Vec<String>")]
    pub selector: Selector,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Outer {
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    #[crd(column, selectable)]
    pub color: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Selector {
    #[crd(scale(label_selector))]
    pub text: String,
}

fn any(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string" })
}
fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    let part = Part { color: "red".into() };
    store(&Foo::new("foo", FooSpec { replicas: 1, part, parts: BTreeMap::new() }));
    println!("{:?}", Foo::crd());
}
