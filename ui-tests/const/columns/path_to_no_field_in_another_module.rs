use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

mod parts {
    use crdkit::KubeSchema;
    use serde::{Deserialize, Serialize};

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Part {
        pub size: i32,
    }
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.part.sizes")
)]
pub struct FooSpec {
    pub part: parts::Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { part: parts::Part { size: 1 } }));
    println!("{:?}", Foo::crd());
}
