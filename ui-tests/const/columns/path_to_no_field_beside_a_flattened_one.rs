use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    pub file_name: String,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    printcolumn(name = "Size", type_ = "string", json_path = ".spec.fileNam")
)]
pub struct FooSpec {
    #[serde(flatten)]
    pub part: Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { part: Part { file_name: String::new() } }));
    println!("{:?}", Foo::crd());
}
