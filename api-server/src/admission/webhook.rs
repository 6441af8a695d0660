//! A webhook: when it is called, and how.

use std::{sync::Arc, time::Duration};

use crdkit_core::cel::AdmissionScope;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    client::{Address, Services},
    conditions,
    expression::Expression,
    matching::Selection,
};
use crate::{
    value::{text, texts},
    webhook_calls::Answer,
};

/// A function that answers an `AdmissionReview`, as JSON.
pub(super) type Review = dyn Fn(Value) -> BoxFuture<'static, Answer> + Send + Sync;

pub(super) enum Handler {
    Closure(Arc<Review>),
    Client(Arc<Address>),
}

pub(crate) struct Webhook {
    /// The name of the configuration, by which webhooks are ordered.
    pub(super) configuration: String,
    pub(super) name: String,
    pub(super) is_mutating: bool,
    pub(super) selection: Selection,
    pub(super) conditions: Vec<Expression>,
    pub(super) ignores_failures: bool,
    pub(super) supports_dry_run: bool,
    pub(super) is_reinvoked: bool,
    /// The version of reviews; `None` if the webhook accepts none that the server supports.
    pub(super) review_version: Option<&'static str>,
    pub(super) timeout: Duration,
    pub(super) handler: Handler,
}

impl Webhook {
    /// Returns the webhooks of a `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`.
    pub(super) fn of_configuration(object: &Value, services: &Services) -> Vec<Arc<Self>> {
        const DEFAULT_TIMEOUT: u64 = 10;
        let webhooks = object["webhooks"].as_array().into_iter().flatten().map(|webhook| {
            let versions = texts(&webhook["admissionReviewVersions"]);
            Arc::new(Self {
                configuration: text(&object["metadata"], "name").to_owned(),
                name: text(webhook, "name").to_owned(),
                is_mutating: object["kind"] == "MutatingWebhookConfiguration",
                selection: Selection::of_webhook(webhook),
                conditions: conditions::compile(webhook, &AdmissionScope::new()),
                ignores_failures: text(webhook, "failurePolicy") == "Ignore",
                supports_dry_run: matches!(text(webhook, "sideEffects"), "None" | "NoneOnDryRun"),
                is_reinvoked: text(webhook, "reinvocationPolicy") == "IfNeeded",
                review_version: ["v1", "v1beta1"].into_iter().find(|known| versions.iter().any(|it| it == known)),
                timeout: Duration::from_secs(webhook["timeoutSeconds"].as_u64().unwrap_or(DEFAULT_TIMEOUT)),
                handler: Handler::Client(Arc::new(Address::parse(&webhook["clientConfig"], services))),
            })
        });
        webhooks.collect()
    }
}
