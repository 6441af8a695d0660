use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(preserve_unknown_fields)]
pub enum Part {
    #[crd(description = "By so much.", minimum = 1)]
    Move(u8),
    #[schemars(title = "Nothing")]
    Stop,
    #[crd(int_or_string)]
    Turn(u8),
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
    store(&Foo::new("foo", FooSpec { part: Part::Stop }));
    println!("{:?}", Foo::crd());
}
