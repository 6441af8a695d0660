use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(flatten)]
    pub group: Group,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(validation = "self.size >= oldSelf.size")]
pub struct Part {
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct Group {
    pub parts: Vec<Part>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec::default()));
    println!("{:?}", Foo::crd());
}
