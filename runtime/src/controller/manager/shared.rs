//! What a manager shares with its controllers.

use std::{
    future::{Future, pending},
    sync::{Arc, Mutex, PoisonError},
};

use serde::de::DeserializeOwned;
use tokio::sync::{oneshot, watch};

use super::{
    super::{monitor::Monitor, plan::Planning, shards::ShardTable, write_fence::Fence},
    AddControllerError,
};
use crate::{
    Client,
    informer::{CacheObject, InformerBuilder, sharding::ShardKey},
};

/// What a manager shares with its controllers.
#[derive(Clone)]
pub(in crate::controller) struct ManagerContext {
    pub(in crate::controller) client: Client,
    pub(in crate::controller) fence: Arc<Fence>,
    /// The shards that this process holds; `None` if it reconciles all objects.
    pub(in crate::controller) shards: Option<Arc<ShardTable>>,
    /// The identity of this process in events.
    pub(in crate::controller) identity: String,
    pub(in crate::controller) phase: watch::Receiver<Phase>,
    pub(in crate::controller) monitor: Arc<Monitor>,
    /// What is planned, instead of being reconciled.
    pub(in crate::controller) planning: Option<Arc<Planning>>,
    /// Whether the controller is removed; `None` for what runs as long as the manager.
    pub(super) removal: Option<watch::Receiver<bool>>,
    /// Who waits for the start of a controller that was added to the running manager.
    pub(super) added: Option<Arc<SyncReply>>,
}

/// Whom to tell that the caches of a controller are complete, until that is known.
pub(in crate::controller) struct SyncReply(Mutex<Option<oneshot::Sender<Result<(), AddControllerError>>>>);

impl SyncReply {
    pub(super) fn new(reply: oneshot::Sender<Result<(), AddControllerError>>) -> Self {
        Self(Mutex::new(Some(reply)))
    }

    pub(super) fn take(&self) -> Option<oneshot::Sender<Result<(), AddControllerError>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The phases of a manager, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::controller) enum Phase {
    Standby,
    Active,
    Stopped,
}

impl ManagerContext {
    /// Selects only the objects of the shards that this process holds, if there are shards.
    pub(in crate::controller) fn sharded<C: CacheObject + DeserializeOwned>(
        &self,
        objects: InformerBuilder<C>,
        key: ShardKey,
    ) -> InformerBuilder<C> {
        match &self.shards {
            Some(shards) => objects.sharded(shards.sharding(key)),
            None => objects,
        }
    }

    /// Returns the context of a controller that can be removed.
    pub(super) fn for_controller(&self, removal: watch::Receiver<bool>, added: Option<Arc<SyncReply>>) -> Self {
        Self { removal: Some(removal), added, ..self.clone() }
    }

    /// Completes when the controllers may begin, or must stop before that. The caches of the controller are complete when it is polled.
    pub(in crate::controller) fn elected(&self) -> impl Future<Output = ()> + Send + 'static {
        let (elected, added) = (self.reached(Phase::Active), self.added.clone());
        async move {
            if let Some(reply) = added.and_then(|added| added.take()) {
                let _ = reply.send(Ok(()));
            }
            elected.await;
        }
    }

    /// Completes when the controllers must stop.
    pub(in crate::controller) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        self.reached(Phase::Stopped)
    }

    fn reached(&self, phase: Phase) -> impl Future<Output = ()> + Send + 'static {
        let (reached, removed) = (reached(self.phase.clone(), phase), removed(self.removal.clone()));
        async move {
            tokio::select! {
                () = reached => {}
                () = removed => {}
            }
        }
    }
}

async fn removed(removal: Option<watch::Receiver<bool>>) {
    if let Some(mut removal) = removal
        && removal.wait_for(|is_removed| *is_removed).await.is_ok()
    {
        return;
    }
    // Nobody can remove it.
    pending::<()>().await;
}

async fn reached(mut phase: watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the manager is gone.
    let _ = phase.wait_for(|phase| *phase >= wanted).await;
}
