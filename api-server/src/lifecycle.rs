//! Stops and starts of the server, and earlier states.

use std::sync::Arc;

use super::{ApiServer, resources::Resources, state::State, store::Store};

/// The objects of an [`ApiServer`] at some moment, for [`ApiServer::restore`].
#[derive(Clone)]
pub struct Backup(Arc<Contents>);

struct Contents {
    store: Store,
    resources: Resources,
}

impl ApiServer {
    /// Stops the server: watches end, and connections are refused until [`Self::start`]. The objects are kept.
    pub fn stop(&self) {
        self.state(|state| {
            state.is_stopped = true;
            state.watches.cut();
        });
    }

    /// Starts the server after [`Self::stop`].
    pub fn start(&self) {
        self.state(|state| state.is_stopped = false);
    }

    /// Returns a copy of all objects with their versions and the history of changes.
    pub fn back_up(&self) -> Backup {
        self.state(|state| Backup(Arc::new(Contents { store: state.store.copy(), resources: state.resources.clone() })))
    }

    /// Puts the objects and the resource versions back to those of a backup, as a restart of etcd with older data does.
    ///
    /// What was written since is lost, and its resource versions are used again. Watches end, unless they are
    /// [frozen](super::Watches::freeze).
    ///
    /// ```
    /// # use crdkit_api_server::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new();
    /// let configs = server.client().resources::<ConfigMap>().namespace("default");
    /// let backup = server.back_up();
    /// let config = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } }))?;
    /// let first = configs.create(&config).await?;
    /// server.restore(&backup);
    /// assert!(configs.get_opt("web").await?.is_none());
    /// let second = configs.create(&config).await?;
    /// assert_eq!(first.metadata.resource_version, second.metadata.resource_version);
    /// assert_ne!(first.metadata.uid, second.metadata.uid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(&self, backup: &Backup) {
        self.state(|state| restore(state, &backup.0));
    }
}

fn restore(state: &mut State, contents: &Contents) {
    // The watches of the store that is replaced end with it.
    state.store = contents.store.copy();
    state.resources = contents.resources.clone();
    state.authorization.forget();
    state.admission.forget();
    state.controllers.restart(&state.store);
}
