//! crdkit's manager with one controller.

use std::{future::pending, sync::Arc};

use anyhow::Result;
use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, Manager, StaticKind},
};

use crate::{client, observed::Observed, work::Work};

/// The manager, which is not started.
pub(crate) fn manager<K: StaticKind>(work: &Work, observed: Arc<Observed>) -> Result<Manager> {
    let client: Client = client(work.port)?;
    let controller = Controller::of::<K>().state(observed).concurrency(work.concurrency.into()).reconcile(reconcile);
    Ok(Manager::new(client.field_manager("bench")).add(controller).until(pending::<()>()))
}

pub(super) async fn start<K: StaticKind>(work: &Work, observed: Arc<Observed>) -> Result<()> {
    let manager = manager::<K>(work, observed)?;
    tokio::spawn(async move {
        if let Err(error) = manager.run().await {
            eprintln!("crdkit: {error}");
        }
    });
    Ok(())
}

async fn reconcile<K: StaticKind>(object: Arc<K>, cx: Context<K, Arc<Observed>>) -> Result<Action, Error> {
    cx.state().reconciled(object.meta())?;
    Ok(Action::Done)
}
