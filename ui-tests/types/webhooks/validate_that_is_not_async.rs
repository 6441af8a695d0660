use std::sync::Arc;

use crdkit::webhook::{AdmissionContext, Error, Webhook};
use k8s_openapi::api::core::v1::Pod;

fn validate(_: Arc<Pod>, _: AdmissionContext<Pod>) -> Result<(), Error> {
    Ok(())
}

fn main() {
    let _ = Webhook::of::<Pod>().validate(validate);
}
