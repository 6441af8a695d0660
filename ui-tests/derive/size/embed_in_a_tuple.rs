use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use k8s_openapi::api::core::v1::EnvVar;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Pair(#[crd(embed = "lean")] pub EnvVar, pub EnvVar);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub pair: Pair,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { pair: Pair(EnvVar::default(), EnvVar::default()) }));
    println!("{:?}", Foo::crd());
}
