use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Part {
    #[crd(column, titel = "A")]
    Move { distance: u8 },
    #[crd(one_of(left, right), default = 1)]
    #[x_kube(validation = "self.left")]
    Turn { left: bool, right: bool },
    #[crd(title = "A stop")]
    #[schemars(title = "A stop", required)]
    Stop(Option<u8>),
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { part: Part::Stop(None) }));
    println!("{:?}", Foo::crd());
}
