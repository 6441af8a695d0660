use std::{rc::Rc, sync::Arc};

use crdkit::controller::{Action, Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

async fn reconcile(_: Arc<ConfigMap>, cx: Context<ConfigMap>) -> Result<Action, Error> {
    let count = Rc::new(1);
    cx.client().discovery().api_resources().await?;
    drop(count);
    Ok(Action::Done)
}

fn main() {
    let _ = Controller::of::<ConfigMap>().reconcile(reconcile);
}
