use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use k8s_openapi::api::core::v1::EnvVar;
use serde::{Deserialize, Serialize};

fn any(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    true.into()
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(embed = "full")]
    #[schemars(schema_with = "any")]
    pub env: EnvVar,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { env: EnvVar::default() }));
    println!("{:?}", Foo::crd());
}
