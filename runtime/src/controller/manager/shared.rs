//! What a manager shares with its controllers.

use std::{future::Future, sync::Arc};

use serde::de::DeserializeOwned;
use tokio::sync::watch;

use super::super::{monitor::Monitor, plan::Planning, shards::ShardTable, write_fence::Fence};
use crate::{
    Client,
    informer::{CacheObject, InformerBuilder, sharding::ShardKey},
};

/// What a manager shares with its controllers.
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

    /// Completes when the controllers may begin, or must stop before that.
    pub(in crate::controller) fn elected(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Active)
    }

    /// Completes when the controllers must stop.
    pub(in crate::controller) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        reached(self.phase.clone(), Phase::Stopped)
    }
}

async fn reached(mut phase: watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the manager is gone.
    let _ = phase.wait_for(|phase| *phase >= wanted).await;
}
