use crdkit::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub struct Data;

#[derive(Resource)]
#[resource(inherit = "Data")]
pub struct Config {
    pub metadata: ObjectMeta,
}

fn name<K: Resource>(object: &K) -> Option<&String> {
    object.meta().name.as_ref()
}

fn main() {
    println!("{:?} {:?}", name(&Config { metadata: ObjectMeta::default() }), ObjectMeta::default());
}
