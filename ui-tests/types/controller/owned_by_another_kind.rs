use crdkit::controller::Context;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};

fn reconcile(deployment: &Deployment, cx: &Context<Pod>) {
    cx.owned::<Pod>(deployment);
}

fn main() {
    let _ = reconcile;
}
