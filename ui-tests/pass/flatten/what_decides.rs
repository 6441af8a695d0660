//! What can be written where fields of flattened types clash.

use crdkit::{
    CustomResource, KubeSchema,
    schema::{Field, Schema},
};
use crdkit_ui_tests::use_object;
use kube::CustomResourceExt;
use serde::{Deserialize, Serialize};

const NAMED: Schema = Schema::object(&[Field::new("name", &Schema::string())]);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: String,
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    pub open: Part,
    #[serde(flatten)]
    #[crd(schema = NAMED)]
    pub named: Part,
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub size: Option<u8>,
    pub name: Option<String>,
}

pub(super) fn main() {
    let part = Part { size: None, name: None };
    use_object(&Foo::new("foo", FooSpec { size: String::new(), open: part.clone(), named: part.clone(), part }));
    Foo::crd();
}
