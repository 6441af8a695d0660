use crdkit::selector;
use k8s_openapi::api::core::v1::ConfigMap;

fn main() {
    selector!(ConfigMap, data.size == "1");
}
