use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(embedded_resource, values(description = "One."))]
    pub size: BTreeMap<String, Value>,
}

fn main() {
    let foo = Foo::new(
        "foo",
        FooSpec {
            size: BTreeMap::new(),
        },
    );
    println!("{foo:?} {:?}", Foo::crd());
}
