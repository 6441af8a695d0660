//! A type that stands for another resource.

use crdkit::Resource;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};

#[derive(Resource)]
#[resource(inherit = ConfigMap)]
pub struct Config<T> {
    pub metadata: ObjectMeta,
    pub data: T,
}

#[derive(Resource)]
#[resource(inherit = "ConfigMap", crates(kube_core = "::kube::core", k8s_openapi = "::k8s_openapi"))]
pub struct Other {
    pub metadata: ObjectMeta,
}

pub(super) fn main() {
    assert_eq!(Config::<i32>::kind(&()), "ConfigMap");
    let other = Other { metadata: ObjectMeta::default() };
    let config = Config { metadata: ObjectMeta::default(), data: 1 };
    println!("{:?} {:?} {}", other.meta(), config.meta(), config.data);
}
