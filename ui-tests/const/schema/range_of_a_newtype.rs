use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Name(#[schemars(range(min = 1))] String);

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Part {
    Number(#[schemars(regex(pattern = "a"))] i64),
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub name: Name,
    pub part: Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    let name = Name("a".to_owned());
    let part = Part::Number(1);
    store(&Foo::new("foo", FooSpec { name, part }));
    println!("{:?}", Foo::crd());
}
