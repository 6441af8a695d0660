use k8s_openapi::api::core::v1::{Node, Pod};

crdkit::group_client! {
    struct CoreV1("v1");

    Node => nodes(namespace);
    Pod => pods();
}

fn main() {}
