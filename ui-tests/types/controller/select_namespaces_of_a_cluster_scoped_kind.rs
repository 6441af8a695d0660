use crdkit::controller::{Controller, ControllerBuilder};
use k8s_openapi::api::core::v1::Node;

fn build() -> ControllerBuilder<Node> {
    Controller::of::<Node>().select(|nodes| nodes.namespace("prod"))
}

fn main() {
    build();
}
