//! Admission: webhooks, closures and policies that change or refuse what a request writes.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use super::{external::Stop, request::Call, resource::Resource, state::State};
pub(super) use attributes::Attributes;
use attributes::Operation;
pub(super) use client::Address;
use policy::Policy;
pub(super) use response::new_uid;
use webhook::Webhook;

mod attributes;
mod client;
mod closures;
mod conditions;
pub(super) mod configuration;
mod dispatch;
mod expression;
#[cfg(feature = "webhook")]
mod in_process;
mod matching;
mod message_literals;
mod policy;
mod response;
mod webhook;

pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// What admission keeps in the state of the server.
#[derive(Default)]
pub(super) struct Admission {
    closures: Vec<Arc<Webhook>>,
    /// The webhooks in the order of their calls, until a configuration changes.
    webhooks: Option<Arc<Webhooks>>,
    /// The addresses of services, by their namespaces and names.
    services: HashMap<(String, String), SocketAddr>,
}

#[derive(Default)]
struct Webhooks {
    mutating: Vec<Arc<Webhook>>,
    policies: Vec<Policy>,
    validating: Vec<Arc<Webhook>>,
}

impl State {
    /// Lets webhooks change an object that is to be written.
    pub(super) fn mutate(&mut self, call: &Call, old: Option<&Value>, object: Value) -> Result<Value, Stop> {
        let webhooks = self.webhooks(call);
        if webhooks.mutating.is_empty() {
            return Ok(object);
        }
        let operation = if old.is_none() { Operation::Create } else { Operation::Update };
        let attributes = Attributes::new(call, operation, Some(object), old.cloned());
        self.call_mutating(&webhooks.mutating, attributes)
    }

    /// Lets webhooks refuse an object that is to be written.
    pub(super) fn check_admission(&mut self, call: &Call, old: Option<&Value>, new: &Value) -> Result<(), Stop> {
        let operation = if old.is_none() { Operation::Create } else { Operation::Update };
        let webhooks = self.webhooks(call);
        if webhooks.validating.is_empty() && webhooks.policies.is_empty() {
            return Ok(());
        }
        let attributes = Attributes::new(call, operation, Some(new.clone()), old.cloned());
        self.check_policies(&webhooks.policies, &attributes)?;
        self.call_validating(&webhooks.validating, &attributes)
    }

    /// Lets webhooks refuse the deletion of an object.
    pub(super) fn check_deletion(&mut self, call: &Call, old: &Value) -> Result<(), Stop> {
        let webhooks = self.webhooks(call);
        if webhooks.mutating.is_empty() && webhooks.validating.is_empty() && webhooks.policies.is_empty() {
            return Ok(());
        }
        let attributes = || Attributes::new(call, Operation::Delete, None, Some(old.clone()));
        self.call_mutating(&webhooks.mutating, attributes())?;
        self.check_policies(&webhooks.policies, &attributes())?;
        self.call_validating(&webhooks.validating, &attributes())
    }

    /// Returns the webhooks that may be called for a request.
    fn webhooks(&mut self, call: &Call) -> Arc<Webhooks> {
        static NONE: LazyLock<Arc<Webhooks>> = LazyLock::new(Arc::default);
        if call.is_internal || is_configuration(&call.resource) {
            return NONE.clone();
        }
        if let Some(webhooks) = &self.admission.webhooks {
            return webhooks.clone();
        }
        let mut webhooks = Webhooks::default();
        for (plural, list) in [
            ("mutatingwebhookconfigurations", &mut webhooks.mutating),
            ("validatingwebhookconfigurations", &mut webhooks.validating),
        ] {
            let configured = self.objects(GROUP, plural);
            list.extend(configured.iter().flat_map(|it| Webhook::of_configuration(it, &self.admission.services)));
        }
        for closure in &self.admission.closures {
            if closure.is_mutating {
                webhooks.mutating.push(closure.clone());
            } else {
                webhooks.validating.push(closure.clone());
            }
        }
        for list in [&mut webhooks.mutating, &mut webhooks.validating] {
            list.sort_by(|one, other| one.configuration.cmp(&other.configuration));
        }
        webhooks.policies = self.read_policies();
        let webhooks = Arc::new(webhooks);
        self.admission.webhooks = Some(webhooks.clone());
        webhooks
    }

    pub(super) fn services(&self) -> &HashMap<(String, String), SocketAddr> {
        &self.admission.services
    }

    /// Notices that an object has changed.
    pub(super) fn invalidate_webhooks(&mut self, resource: &Resource) {
        if resource.group == GROUP {
            self.forget_webhooks();
        }
    }

    /// Lets the next request read the configurations again.
    pub(super) fn forget_webhooks(&mut self) {
        self.admission.webhooks = None;
    }

    pub(super) fn add_webhook(&mut self, webhook: Webhook) {
        self.admission.closures.push(Arc::new(webhook));
        self.admission.webhooks = None;
    }

    pub(super) fn add_service(&mut self, namespace: &str, name: &str, address: SocketAddr) {
        self.admission.services.insert((namespace.to_owned(), name.to_owned()), address);
        self.admission.webhooks = None;
    }
}

/// Returns whether objects configure admission, which is not subject to it.
fn is_configuration(resource: &Resource) -> bool {
    resource.group == GROUP
}
