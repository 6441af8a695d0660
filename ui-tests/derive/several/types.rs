use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    #[crd(colum)]
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Mode {
    On(i32),
    Off,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
    pub mode: Mode,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { part: Part { size: 1 }, mode: Mode::Off }));
    println!("{:?}", Foo::crd());
}
