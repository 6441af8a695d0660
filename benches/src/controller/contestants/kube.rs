//! kube-runtime's controller.

use std::{convert::Infallible, sync::Arc};

use anyhow::Result;
use crdkit_benches::objects::VirtualMachine;
use futures_util::StreamExt;
use kube::{
    Api, Client,
    runtime::{
        Controller,
        controller::{Action, Config},
        watcher,
    },
};

use crate::{client, observed::Observed, work::Work};

pub(super) async fn start(work: &Work, observed: Arc<Observed>) -> Result<()> {
    let client: Client = client(work.port)?;
    let controller = Controller::new(Api::<VirtualMachine>::all(client), watcher::Config::default())
        .with_config(Config::default().concurrency(work.concurrency));
    tokio::spawn(async move {
        let results = controller.run(reconcile, |_, error: &Infallible, _| match *error {}, observed);
        results
            .for_each(async |result| {
                if let Err(error) = result {
                    eprintln!("kube: {error}");
                }
            })
            .await;
    });
    Ok(())
}

async fn reconcile(object: Arc<VirtualMachine>, observed: Arc<Observed>) -> Result<Action, Infallible> {
    if let Err(error) = observed.reconciled(&object.metadata) {
        eprintln!("kube: {error}");
    }
    Ok(Action::await_change())
}
