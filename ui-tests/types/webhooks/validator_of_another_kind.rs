use crdkit::webhook::{AdmissionContext, Error, Validate, Webhook};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

struct OfPods;

impl Validate<Pod> for OfPods {
    async fn validate_create(&self, _: &Pod, _: &AdmissionContext<Pod>) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {
    let _ = Webhook::of::<ConfigMap>().validator(OfPods);
}
