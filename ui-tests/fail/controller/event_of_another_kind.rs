use crdkit::controller::{Context, Event};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

fn reconcile(pod: &Pod, cx: &Context<ConfigMap>) {
    cx.event(pod, Event::normal("Started", "the pod runs"));
}

fn main() {
    let _ = reconcile;
}
