use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Mode {
    #[schemars(title = "A")]
    #[crd(minimum = 1, description = "The one.", validation = "self != ''")]
    A,
    #[schemars(description = "The other one.", with = "String", extend("maxLength" = 3))]
    B,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub mode: Mode,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { mode: Mode::B }));
    println!("{:?}", Foo::crd());
}
