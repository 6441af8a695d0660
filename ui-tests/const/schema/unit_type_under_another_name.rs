use std::marker::PhantomData;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_schema};
use serde::{Deserialize, Serialize};

type Nothing = ();
type Marker = PhantomData<u8>;

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Named<T> {
    pub name: String,
    pub value: Option<T>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub marker: Marker,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub named: Vec<Named<Nothing>>,
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Other {
    pub part: Part,
    pub nothing: Nothing,
}

fn main() {
    use_schema::<FooSpec>();
    use_schema::<Other>();
    println!("{:?}", Foo::crd());
}
