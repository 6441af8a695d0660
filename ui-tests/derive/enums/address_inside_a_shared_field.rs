use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "value")]
pub enum Peers {
    Names(Vec<String>),
    #[schemars(inner(ip))]
    Addresses(Vec<String>),
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub peers: Peers,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { peers: Peers::Names(vec!["a".to_owned()]) }));
    println!("{:?}", Foo::crd());
}
