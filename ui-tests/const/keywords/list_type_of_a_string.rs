use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(list_type = "atomic")]
    pub size: String,
}

fn main() {
    let foo = Foo::new(
        "foo",
        FooSpec {
            size: String::new(),
        },
    );
    println!("{foo:?} {:?}", Foo::crd());
}
