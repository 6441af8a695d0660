use std::sync::Arc;

use crdkit::controller::{Action, Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action, Error> {
    Ok(Action::Done)
}

fn main() {
    let _ = Controller::of::<ConfigMap>().reconcile_key(reconcile);
}
