use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(flatten)]
    pub source: Source,
    #[serde(flatten)]
    pub target: Target,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub enum Source {
    Disk { path: String },
    Web { url: String },
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub enum Target {
    Disk { device: String },
    Web { host: String },
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { source: Source::Web { url: String::new() }, target: Target::Disk { device: String::new() } }));
    println!("{:?}", Foo::crd());
}
