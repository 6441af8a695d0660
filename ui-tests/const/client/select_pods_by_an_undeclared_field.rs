use crdkit::selector;
use k8s_openapi::api::core::v1::Pod;

fn main() {
    selector!(Pod, spec.nodename == "n1");
    selector!(Pod, spec.hostNetwork == "yes");
    selector!(Pod, spec.priority == 1);
}
