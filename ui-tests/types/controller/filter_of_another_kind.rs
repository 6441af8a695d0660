use crdkit::{
    controller::{Controller, ControllerBuilder},
    informer::Filter,
};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

fn build() -> ControllerBuilder<ConfigMap> {
    Controller::of::<ConfigMap>().filter(Filter::<Pod>::for_reconciling())
}

fn main() {
    build();
}
