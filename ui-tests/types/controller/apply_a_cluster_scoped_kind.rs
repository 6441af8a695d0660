use crdkit::controller::{Context, Error};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

async fn reconcile(owner: &ConfigMap, cx: &Context<ConfigMap>) -> Result<(), Error> {
    cx.apply_owned(owner, [Namespace::default()]).await?;
    Ok(())
}

fn main() {
    let _ = reconcile;
}
