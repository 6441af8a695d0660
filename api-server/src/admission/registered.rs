//! What is registered: webhooks, policies, and the addresses of services.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
};

use super::{
    client::Services,
    configuration::GROUP,
    policy::{self, Policy},
    webhook::Webhook,
};
use crate::{request::ResourceRequest, resource::Resource, store::Store};

/// What admission keeps in the state of the server.
#[derive(Default)]
pub(crate) struct Admission {
    closures: Vec<Arc<Webhook>>,
    /// The webhooks in the order of their calls, until a configuration changes.
    webhooks: Option<Arc<Webhooks>>,
    /// The addresses of services, by their namespaces and names.
    pub(crate) services: Services,
}

#[derive(Default)]
pub(super) struct Webhooks {
    pub(super) mutating: Vec<Arc<Webhook>>,
    pub(super) policies: Vec<Policy>,
    pub(super) validating: Vec<Arc<Webhook>>,
}

impl Admission {
    /// Returns the webhooks that may be called for a request.
    pub(super) fn webhooks(&mut self, store: &Store, call: &ResourceRequest) -> Arc<Webhooks> {
        static NONE: LazyLock<Arc<Webhooks>> = LazyLock::new(Arc::default);
        // What configures admission is not subject to it.
        if call.is_internal || call.resource.group == GROUP {
            return NONE.clone();
        }
        if let Some(webhooks) = &self.webhooks {
            return webhooks.clone();
        }
        let mut webhooks = Webhooks::default();
        for (plural, list) in [
            ("mutatingwebhookconfigurations", &mut webhooks.mutating),
            ("validatingwebhookconfigurations", &mut webhooks.validating),
        ] {
            let configured = store.values(&format!("{plural}.{GROUP}"));
            list.extend(configured.iter().flat_map(|it| Webhook::of_configuration(it, &self.services)));
        }
        for closure in &self.closures {
            if closure.is_mutating {
                webhooks.mutating.push(closure.clone());
            } else {
                webhooks.validating.push(closure.clone());
            }
        }
        for list in [&mut webhooks.mutating, &mut webhooks.validating] {
            list.sort_by(|one, other| one.configuration.cmp(&other.configuration));
        }
        webhooks.policies = policy::read(store);
        let webhooks = Arc::new(webhooks);
        self.webhooks = Some(webhooks.clone());
        webhooks
    }

    /// Notices that an object has changed.
    pub(crate) fn notice(&mut self, resource: &Resource) {
        if resource.group == GROUP {
            self.forget();
        }
    }

    /// Lets the next request read the configurations again.
    pub(crate) fn forget(&mut self) {
        self.webhooks = None;
    }

    pub(super) fn add_webhook(&mut self, webhook: Webhook) {
        self.closures.push(Arc::new(webhook));
        self.forget();
    }

    pub(super) fn add_service(&mut self, namespace: &str, name: &str, address: SocketAddr) {
        self.services.insert((namespace.to_owned(), name.to_owned()), address);
        self.webhooks = None;
    }
}
