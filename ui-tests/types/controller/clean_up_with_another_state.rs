use std::sync::Arc;

use crdkit::controller::{Action, Context, Controller, ControllerBuilder, Error};
use k8s_openapi::api::core::v1::ConfigMap;

struct Database;

async fn clean_up(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action, Error> {
    Ok(Action::Done)
}

fn build() -> ControllerBuilder<ConfigMap, Database> {
    Controller::of::<ConfigMap>().state(Database).finalizer("example.com/disks", clean_up)
}

fn main() {
    build();
}
