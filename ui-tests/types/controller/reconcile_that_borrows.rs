use std::sync::Arc;

use crdkit::controller::{Action, Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;

fn build(names: &[String]) -> Controller {
    Controller::of::<ConfigMap>().reconcile(move |_: Arc<ConfigMap>, _: Context<ConfigMap>| async move {
        println!("{}", names.len());
        Ok::<_, Error>(Action::Done)
    })
}

fn main() {
    let _ = build;
}
