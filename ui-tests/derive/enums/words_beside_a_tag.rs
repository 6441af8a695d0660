use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub enum Part {
    #[schemars(title = "A", example = 1)]
    #[crd(nullable, map_type = "atomic")]
    Move { distance: u8 },
    #[crd(external_docs(url = "https://example.com"), schema_patch({ "title": "A" }))]
    Turn { left: bool },
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
    store(&Foo::new("foo", FooSpec { part: Part::Turn { left: true } }));
    println!("{:?}", Foo::crd());
}
