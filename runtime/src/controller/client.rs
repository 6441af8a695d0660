//! What controllers need of a client, and no other user of it.

use std::sync::Arc;

use crate::client::{Client, write_hook::WriteHook};

impl Client {
    /// Returns the same client with a hook for its writes.
    pub(super) fn with_write_hook(&self, hook: Arc<dyn WriteHook>) -> Self {
        let mut with = self.clone();
        with.options.write_hook = Some(hook);
        with
    }

    /// Returns the field manager, if it is set.
    pub(super) fn field_manager_name(&self) -> Option<&str> {
        self.options.field_manager.as_deref()
    }

    /// Whether nothing that it sends is stored.
    pub(super) fn is_dry_run(&self) -> bool {
        self.options.dry_run
    }

    /// Returns the host and port of the API server; empty if they are unknown.
    pub(super) fn host(&self) -> String {
        let Some(config) = self.config() else {
            return String::new();
        };
        let host = config.cluster_url.host().unwrap_or_default();
        config.cluster_url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}
