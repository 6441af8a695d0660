//! Who observes the changes that a controller's queue receives.

use std::sync::Arc;

use crate::{
    controller::{reconcile_loops::Loops, shards::ShardKeys},
    informer::{
        ObjectKey,
        queue::source::{EventObserver, ObservedChange},
    },
};

/// Passes changes to those who observe a controller.
pub(super) struct Observers {
    pub(super) loops: Arc<Loops>,
    pub(super) shards: Option<Arc<ShardKeys>>,
}

impl EventObserver for Observers {
    fn observed(&self, key: &ObjectKey, change: &ObservedChange<'_>) {
        self.loops.observed(key, change);
        if let Some(shards) = &self.shards {
            shards.observed(key, change);
        }
    }
}
