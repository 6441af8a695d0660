use crdkit::controller::{Context, ObjectEvent};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

fn reconcile(pod: &Pod, cx: &Context<ConfigMap>) {
    cx.event(pod, ObjectEvent::normal("Started", "the pod runs"));
}

fn main() {
    let _ = reconcile;
}
