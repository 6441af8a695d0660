use std::sync::Arc;

use crdkit::controller::{Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<(), Error> {
    Ok(())
}

fn main() {
    let _ = Controller::of::<ConfigMap>().reconcile(reconcile);
}
