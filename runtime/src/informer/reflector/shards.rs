//! Follows the shards that the process holds.

use std::future::pending;

use super::Reflector;
use crate::{
    client::request::Query,
    informer::sharding::{ShardFilter, Sharding},
};

impl Reflector {
    /// Selects the objects of the shards that are held now. Without shards, waits for some.
    pub(super) async fn select_shards(&mut self, sharding: &mut Sharding) {
        loop {
            let held = sharding.held.borrow_and_update().clone();
            let before = self.shards.take();
            if before.as_ref().is_some_and(|before| before.version() == held.version) {
                self.shards = before;
                return;
            }
            let shards = match &before {
                Some(before) => before.with(held),
                None => ShardFilter::new(sharding.key.clone(), held),
            };
            let has_all = before.is_some_and(|before| before.includes(&shards)) && self.state.has_listed();
            self.shards = Some(shards);
            if has_all {
                self.continue_with_fewer();
            } else {
                self.state.require_list();
            }
            if self.shards.as_ref().is_some_and(|shards| !shards.is_empty()) {
                return;
            }
            self.continue_without();
            changed(Some(&mut *sharding)).await;
        }
    }

    /// Removes the objects of shards that are no longer held, and continues after the last event.
    fn continue_with_fewer(&mut self) {
        self.remove_excluded();
        self.state.forget_anchor();
        self.record_shards();
        self.setup.shared.notify_waiters();
    }

    fn continue_without(&mut self) {
        self.state.require_list();
        self.remove_excluded();
        if let Some(shards) = &self.shards {
            self.gauge().set_without_shards(shards.version());
        }
        self.setup.shared.notify_waiters();
    }

    /// Removes the objects of shards that are not held.
    pub(super) fn remove_excluded(&self) {
        if let Some(shards) = &self.shards {
            let namespace = self.setup.endpoint.namespace();
            self.setup.shared.cache.remove_excluded(namespace, |object| shards.excludes(object));
        }
    }

    /// Records that the store contains the objects of the selected shards.
    pub(super) fn record_shards(&self) {
        if let Some(shards) = &self.shards {
            self.gauge().set_shards(shards.version());
        }
    }

    /// Returns the selectors of all requests.
    pub(super) fn selection(&self) -> Query {
        let selection = self.setup.selection.clone();
        match &self.shards {
            Some(shards) => shards.select(selection),
            None => selection,
        }
    }
}

/// Waits until other shards are held.
pub(super) async fn changed(sharding: Option<&mut Sharding>) {
    let changed = match sharding {
        Some(sharding) => sharding.held.changed().await.ok(),
        None => None,
    };
    // An error means that the manager is gone.
    if changed.is_none() {
        pending::<()>().await;
    }
}
