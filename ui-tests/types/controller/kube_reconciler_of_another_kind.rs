use std::{convert::Infallible, sync::Arc};

use crdkit::controller::{Controller, kube_reconciler};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

#[derive(Debug)]
struct Action;

async fn reconcile(_: Arc<Pod>, _: Arc<()>) -> Result<Action, Infallible> {
    Ok(Action)
}

fn error_policy(_: Arc<Pod>, error: &Infallible, _: Arc<()>) -> Action {
    match *error {}
}

fn main() {
    let reconciler = kube_reconciler(reconcile, error_policy, Arc::new(()));
    let _ = Controller::of::<ConfigMap>().reconcile_key(reconciler);
}
