use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::{ConfigMap, Node};

fn build() -> ControllerBuilder<ConfigMap> {
    Controller::of::<ConfigMap>().owns::<Node>()
}

fn main() {
    build();
}
