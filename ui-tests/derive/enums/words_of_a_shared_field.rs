use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "value")]
pub enum Part {
    #[crd(title = "A", items(maximum = 3, description = "B"), list_type = "set")]
    Moves(Vec<i64>),
    #[crd(validation = "self.size() > 2", min_items = 1)]
    Turns(Vec<i64>),
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
    store(&Foo::new("foo", FooSpec { part: Part::Turns(vec![1]) }));
    println!("{:?}", Foo::crd());
}
