use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all_fields(serialize = "camelCase", deserialize = "kebab-case"))]
pub enum Source {
    Disk { device_name: String },
    Tape { label: String },
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub source: Source,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { source: Source::Tape { label: String::new() } }));
    println!("{:?}", Foo::crd());
}
