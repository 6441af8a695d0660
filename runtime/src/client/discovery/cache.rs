use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::{sync::Mutex, time::Instant};

use super::{Catalog, fetch::fetch};
use crate::client::{Client, Error};

/// What was last discovered. Whoever finds what he wants waits for nobody.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: RwLock<Option<Arc<Known>>>,
    fetching: Mutex<()>,
}

/// What was discovered, and when.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) catalog: Arc<Catalog>,
    at: Instant,
}

impl Cache {
    /// What is known; asks if nothing is.
    pub(super) async fn current(&self, client: &Client) -> Result<Arc<Known>, Error> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let _fetching = self.fetching.lock().await;
        match self.known() {
            Some(known) => Ok(known),
            None => self.fetch(client).await,
        }
    }

    pub(super) async fn refresh(&self, client: &Client) -> Result<Arc<Known>, Error> {
        let _fetching = self.fetching.lock().await;
        self.fetch(client).await
    }

    /// What somebody else learned meanwhile, or else what is served now; `None` if that was asked for just now.
    pub(super) async fn newer_than(
        &self,
        known: &Arc<Known>,
        interval: Duration,
        client: &Client,
    ) -> Result<Option<Arc<Known>>, Error> {
        let _fetching = self.fetching.lock().await;
        match self.known().filter(|now| !Arc::ptr_eq(now, known)) {
            Some(newer) => Ok(Some(newer)),
            None if known.at.elapsed() < interval => Ok(None),
            None => self.fetch(client).await.map(Some),
        }
    }

    async fn fetch(&self, client: &Client) -> Result<Arc<Known>, Error> {
        // What appears while the answers come in may be in none of them.
        let at = Instant::now();
        let catalog = Arc::new(fetch(client).await?);
        let known = Arc::new(Known { catalog, at });
        let mut slot = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(known.clone());
        Ok(known)
    }

    fn known(&self) -> Option<Arc<Known>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }
}
