use std::sync::Arc;

use crdkit::controller::{Action, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

struct Data;

async fn reconcile(_: Arc<ConfigMap>, _: Arc<Data>) -> Result<Action, Error> {
    Ok(Action::Done)
}

fn main() {
    let _ = Controller::of::<ConfigMap>().reconcile(reconcile);
}
