use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

fn build() -> ControllerBuilder<ConfigMap> {
    Controller::of::<ConfigMap>().writes::<Secret>(["get", "create"])
}

fn main() {
    build();
}
