use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Part {
    #[schemars(title = "A", range(max = 3), extend("maxLength" = 1))]
    Move(i64),
    #[schemars(ip)]
    #[crd(validation = "self.size() > 2", min_length = 1)]
    Turn(String),
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
    store(&Foo::new("foo", FooSpec { part: Part::Move(1) }));
    println!("{:?}", Foo::crd());
}
