use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::ConfigMap;

fn build() -> ControllerBuilder<ConfigMap, u32> {
    Controller::of::<ConfigMap>().state("first").state(2)
}

fn main() {
    build();
}
