use crdkit::webhook::Webhook;
use k8s_openapi::api::core::v1::Pod;

fn main() {
    let _ = Webhook::of::<Pod>().timeout_seconds::<60>();
}
