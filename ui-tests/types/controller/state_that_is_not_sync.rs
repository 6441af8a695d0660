use std::cell::RefCell;

use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::ConfigMap;

fn build() -> ControllerBuilder<ConfigMap, RefCell<u32>> {
    Controller::of::<ConfigMap>().state(RefCell::new(1))
}

fn main() {
    build();
}
