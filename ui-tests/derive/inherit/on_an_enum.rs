use crdkit::Resource;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};

#[derive(Resource)]
#[resource(inherit = "ConfigMap")]
pub enum Config {
    A,
    B,
}

fn name<K: Resource>(object: &K) -> Option<&String> {
    object.meta().name.as_ref()
}

fn main() {
    println!("{:?}", name(&[Config::A, Config::B][0]));
    println!("{:?} {:?}", ConfigMap::default(), ObjectMeta::default());
}
