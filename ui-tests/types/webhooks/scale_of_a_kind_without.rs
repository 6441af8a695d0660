use crdkit::{CustomResource, KubeSchema, webhook::Webhook};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", namespaced)]
pub struct FooSpec {
    pub size: i32,
}

fn main() {
    let _ = Webhook::scale_of::<Foo>();
}
