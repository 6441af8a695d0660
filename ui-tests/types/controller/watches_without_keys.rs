use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

fn build() -> ControllerBuilder<Pod> {
    Controller::of::<Pod>().watches::<ConfigMap>(|config| config.metadata.name.clone())
}

fn main() {
    build();
}
