use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(flatten)]
    #[crd(min_properties = 1)]
    pub size: BTreeMap<String, String>,
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
