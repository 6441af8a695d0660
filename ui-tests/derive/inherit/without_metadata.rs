use crdkit::Resource;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};

#[derive(Resource)]
#[resource(inherit = "ConfigMap")]
pub struct Config {
    pub meta: ObjectMeta,
}

fn name<K: Resource>(object: &K) -> Option<&String> {
    object.meta().name.as_ref()
}

fn main() {
    println!("{:?}", name(&Config { meta: ObjectMeta::default() }));
    println!("{:?} {:?}", ConfigMap::default(), ObjectMeta::default());
}
