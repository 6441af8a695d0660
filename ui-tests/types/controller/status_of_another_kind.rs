use crdkit::controller::Context;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};

fn reconcile(pod: &Pod, cx: &Context<Deployment>) {
    cx.status(pod);
}

fn main() {
    let _ = reconcile;
}
