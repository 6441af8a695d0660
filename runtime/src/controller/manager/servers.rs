//! The ports of a manager, and the tasks that keep their certificates.

use super::{
    super::{ServeAddresses, serve::Served},
    Manager, ManagerError,
};
#[cfg(feature = "webhook")]
use crate::webhook::{WebhookServer, WebhookServerHandle};

/// The servers of a manager.
pub(super) struct Servers {
    health: Option<Served>,
    #[cfg(feature = "webhook")]
    webhooks: Option<WebhookServerHandle>,
    certificates: tokio::task::JoinSet<()>,
}

impl Servers {
    pub(super) fn start(manager: &mut Manager) -> Result<Self, ManagerError> {
        #[cfg(feature = "webhook")]
        let webhooks = manager.webhooks.take().map(WebhookServer::start).transpose()?;
        #[cfg(feature = "webhook")]
        if let Some(webhooks) = &webhooks {
            let _ = manager.monitor.webhooks.set(webhooks.service().clone());
        }
        let health =
            manager.serve.take().map(|options| options.start(&manager.monitor, &manager.client)).transpose()?;
        Ok(Self {
            health,
            #[cfg(feature = "webhook")]
            webhooks,
            certificates: tokio::task::JoinSet::new(),
        })
    }

    /// Starts to keep the certificates of metrics and webhooks up to date.
    #[cfg_attr(not(feature = "webhook"), expect(clippy::needless_pass_by_ref_mut))]
    pub(super) fn keep_certificates(&mut self, manager: &mut Manager) {
        if let Some(run) = self.health.as_mut().and_then(|served| served.certificates.take()) {
            self.certificates.spawn(run);
        }
        #[cfg(feature = "webhook")]
        if let Some((run, _)) = manager.certificates.take() {
            self.certificates.spawn(run);
        }
        #[cfg(not(feature = "webhook"))]
        let _ = manager;
    }

    pub(super) fn addresses(&self) -> ServeAddresses {
        let health = self.health.as_ref().map(|served| served.addresses).unwrap_or_default();
        ServeAddresses {
            #[cfg(feature = "webhook")]
            webhooks: self.webhooks.as_ref().map(WebhookServerHandle::address),
            ..health
        }
    }

    pub(super) fn has_webhooks(&self) -> bool {
        #[cfg(feature = "webhook")]
        return self.webhooks.is_some();
        #[cfg(not(feature = "webhook"))]
        false
    }

    pub(super) async fn stop(self) {
        #[cfg(feature = "webhook")]
        if let Some(webhooks) = self.webhooks {
            webhooks.stop().await;
        }
        drop(self.certificates);
        if let Some(served) = self.health {
            served.server.stop().await;
        }
    }
}
