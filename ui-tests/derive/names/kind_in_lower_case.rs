use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "cronjob")]
pub struct FooSpec {
    pub size: i32,
}

fn store(object: &cronjob) {
    use_object(object);
}

fn main() {
    store(&cronjob::new("foo", FooSpec { size: 1 }));
    println!("{:?}", cronjob::crd());
}
