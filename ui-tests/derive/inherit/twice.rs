use crdkit::Resource;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};

#[derive(Resource)]
#[resource(inherit = "ConfigMap", inherit = "ConfigMap")]
pub struct Config {
    pub metadata: ObjectMeta,
}

fn name<K: Resource>(object: &K) -> Option<&String> {
    object.meta().name.as_ref()
}

fn main() {
    println!("{:?}", name(&Config { metadata: ObjectMeta::default() }));
    println!("{:?} {:?}", ConfigMap::default(), ObjectMeta::default());
}
