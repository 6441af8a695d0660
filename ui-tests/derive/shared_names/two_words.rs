use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub mode: Mode,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Fast,
    Safe,
    #[serde(alias = "safe")]
    Slow,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { mode: Mode::Fast }));
    println!("{:?}", Foo::crd());
}
