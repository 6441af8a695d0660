//! A webhook: when it is called, and how.

use std::{collections::HashMap, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::client::Address;
use crate::testing::api_server::{decode::text, external::Answer};

/// A function that answers an `AdmissionReview`, as JSON.
pub(super) type Review = dyn Fn(Value) -> BoxFuture<'static, Answer> + Send + Sync;

pub(super) enum Handler {
    Closure(Arc<Review>),
    Client(Arc<Address>),
}

pub(in crate::testing::api_server) struct Webhook {
    /// The name of the configuration, by which webhooks are ordered.
    pub(super) configuration: String,
    pub(super) name: String,
    pub(super) is_mutating: bool,
    pub(super) rules: Vec<Rule>,
    /// Whether rules for one version of a resource apply to the others.
    pub(super) matches_equivalent: bool,
    pub(super) namespace_selector: Value,
    pub(super) object_selector: Value,
    /// The names and the expressions of the match conditions.
    pub(super) conditions: Vec<(String, String)>,
    pub(super) ignores_failures: bool,
    pub(super) supports_dry_run: bool,
    pub(super) is_reinvoked: bool,
    /// The version of reviews; `None` if the webhook accepts none that the server supports.
    pub(super) review_version: Option<&'static str>,
    pub(super) timeout: Duration,
    pub(super) handler: Handler,
}

/// The requests that a webhook is called for.
pub(super) struct Rule {
    pub(super) operations: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) versions: Vec<String>,
    /// Resources with their subresources, such as `pods/status`.
    pub(super) resources: Vec<String>,
    pub(super) scope: String,
}

impl Rule {
    pub(super) fn parse(rule: &Value) -> Self {
        Self {
            operations: texts(&rule["operations"]),
            groups: texts(&rule["apiGroups"]),
            versions: texts(&rule["apiVersions"]),
            resources: texts(&rule["resources"]),
            scope: text(rule, "scope").to_owned(),
        }
    }
}

pub(super) fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the names and the expressions of `matchConditions`.
pub(super) fn conditions(object: &Value) -> Vec<(String, String)> {
    let conditions = object["matchConditions"].as_array().into_iter().flatten();
    conditions.map(|it| (text(it, "name").to_owned(), text(it, "expression").to_owned())).collect()
}

impl Webhook {
    /// Returns the webhooks of a `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`.
    pub(super) fn of_configuration(object: &Value, services: &HashMap<(String, String), SocketAddr>) -> Vec<Arc<Self>> {
        const DEFAULT_TIMEOUT: u64 = 10;
        let webhooks = object["webhooks"].as_array().into_iter().flatten();
        let webhooks = webhooks.map(|webhook| {
            let versions = texts(&webhook["admissionReviewVersions"]);
            Arc::new(Self {
                configuration: text(&object["metadata"], "name").to_owned(),
                name: text(webhook, "name").to_owned(),
                is_mutating: object["kind"] == "MutatingWebhookConfiguration",
                rules: webhook["rules"].as_array().into_iter().flatten().map(Rule::parse).collect(),
                matches_equivalent: text(webhook, "matchPolicy") != "Exact",
                namespace_selector: webhook["namespaceSelector"].clone(),
                object_selector: webhook["objectSelector"].clone(),
                conditions: conditions(webhook),
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
