use std::sync::Arc;

use crdkit::controller::{Action, Context, Controller};
use k8s_openapi::api::core::v1::ConfigMap;

struct NoError;

async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action, NoError> {
    Ok(Action::Done)
}

fn main() {
    let _ = Controller::of::<ConfigMap>().reconcile(reconcile);
}
