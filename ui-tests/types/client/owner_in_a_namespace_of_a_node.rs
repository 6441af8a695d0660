use crdkit::client::set_controller_reference;
use k8s_openapi::api::core::v1::{ConfigMap, Node};

fn own(node: &mut Node, owner: &ConfigMap) {
    set_controller_reference(node, owner).unwrap();
}

fn main() {
    own(&mut Node::default(), &ConfigMap::default());
}
