//! The parts of objects by which API servers call webhooks.

use k8s_openapi::{
    ByteString,
    api::admissionregistration::v1::{
        MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube_core::Resource;
use serde_json::{Value, json};

use crate::client::{Object, Patch};

/// A `clientConfig` of an object.
pub(super) struct ClientConfig<'a> {
    /// Its JSON pointer.
    path: String,
    /// The name or the address that the certificate must have.
    host: Option<String>,
    ca_bundle: Option<&'a ByteString>,
}

/// An object with client configurations.
pub(super) trait ClientConfigs: Object + Resource<DynamicType = ()> {
    fn client_configs(&self) -> Vec<ClientConfig<'_>>;

    /// Returns a patch that sets `caBundle` where the certificate is that of the host, and nothing else. It fails if the object
    /// changed in the meantime. `None` if there is nothing to set.
    fn patch(&self, is_certified: impl Fn(&str) -> bool, ca_bundle: &[u8]) -> Option<Patch> {
        let is_ours = |config: &ClientConfig| config.host.as_deref().is_some_and(&is_certified);
        let is_set = |config: &ClientConfig| config.ca_bundle.is_some_and(|found| found.0 == ca_bundle);
        let configs = self.client_configs().into_iter().filter(|config| is_ours(config) && !is_set(config));
        let bundle = ByteString(ca_bundle.to_vec());
        let mut operations: Vec<Value> = configs
            .map(|config| json!({ "op": "add", "path": format!("{}/caBundle", config.path), "value": bundle }))
            .collect();
        if operations.is_empty() {
            return None;
        }
        let version = self.meta().resource_version.as_deref();
        operations.push(json!({ "op": "replace", "path": "/metadata/resourceVersion", "value": version }));
        Some(Patch::json(operations))
    }
}

/// Reads a client configuration: both groups of the API have a type of their own.
macro_rules! client_config {
    ($path:expr, $config:expr) => {{
        let config = $config;
        let service = config.service.as_ref().map(|service| format!("{}.{}.svc", service.name, service.namespace));
        let host = service.or_else(|| host_of(config.url.as_deref()?));
        ClientConfig { path: $path, host, ca_bundle: config.ca_bundle.as_ref() }
    }};
}

impl ClientConfigs for CustomResourceDefinition {
    fn client_configs(&self) -> Vec<ClientConfig<'_>> {
        let webhook = self.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
        let config = webhook.and_then(|webhook| webhook.client_config.as_ref());
        let path = || "/spec/conversion/webhook/clientConfig".to_owned();
        config.map(|config| client_config!(path(), config)).into_iter().collect()
    }
}

impl ClientConfigs for ValidatingWebhookConfiguration {
    fn client_configs(&self) -> Vec<ClientConfig<'_>> {
        of_webhooks(self.webhooks.iter().flatten().map(|webhook| &webhook.client_config))
    }
}

impl ClientConfigs for MutatingWebhookConfiguration {
    fn client_configs(&self) -> Vec<ClientConfig<'_>> {
        of_webhooks(self.webhooks.iter().flatten().map(|webhook| &webhook.client_config))
    }
}

fn of_webhooks<'a>(configs: impl Iterator<Item = &'a WebhookClientConfig>) -> Vec<ClientConfig<'a>> {
    configs.enumerate().map(|(at, config)| client_config!(format!("/webhooks/{at}/clientConfig"), config)).collect()
}

/// Returns the host of a URL. An address of IPv6 has no brackets.
fn host_of(url: &str) -> Option<String> {
    let url: http::Uri = url.parse().ok()?;
    let host = url.host()?;
    Some(host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> ValidatingWebhookConfiguration {
        let webhook = |name: &str, client_config: Value| json!({ "name": name, "clientConfig": client_config });
        let service = |name: &str| json!({ "service": { "name": name, "namespace": "operators" } });
        serde_json::from_value(json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "machines", "resourceVersion": "7" },
            "webhooks": [
                webhook("a", service("machines")),
                webhook("b", service("other")),
                webhook("c", json!({ "url": "https://[::1]:9443/validate", "caBundle": "b2xk" })),
                webhook("d", json!({ "url": "https://10.0.0.1/validate", "caBundle": "bmV3" })),
            ],
        }))
        .unwrap()
    }

    #[test]
    fn the_bundle_is_set_where_the_certificate_is_presented() {
        let is_certified = |host: &str| ["machines.operators.svc", "::1", "10.0.0.1"].contains(&host);
        let operations = json!([
            { "op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "bmV3" },
            { "op": "add", "path": "/webhooks/2/clientConfig/caBundle", "value": "bmV3" },
            { "op": "replace", "path": "/metadata/resourceVersion", "value": "7" },
        ]);
        assert_eq!(configuration().patch(is_certified, b"new"), Some(Patch::json(operations)));
        assert_eq!(configuration().patch(|host| host == "10.0.0.1", b"new"), None);
        assert_eq!(configuration().patch(|_| false, b"other"), None);
    }

    #[test]
    fn definitions_without_a_webhook_have_nothing_to_set() {
        let definition = |conversion: Value| -> CustomResourceDefinition {
            serde_json::from_value(json!({
                "metadata": { "name": "at.example.com", "resourceVersion": "7" },
                "spec": {
                    "group": "example.com", "scope": "Namespaced", "versions": [],
                    "names": { "kind": "At", "plural": "at" }, "conversion": conversion,
                },
            }))
            .unwrap()
        };
        let is_certified = |host: &str| host == "a.b.svc";
        assert_eq!(definition(json!({ "strategy": "None" })).patch(is_certified, b"new"), None);
        let config = json!({ "service": { "name": "a", "namespace": "b" } });
        let webhook = json!({ "conversionReviewVersions": ["v1"], "clientConfig": config });
        let patch = definition(json!({ "strategy": "Webhook", "webhook": webhook })).patch(is_certified, b"new");
        let operations = json!([
            { "op": "add", "path": "/spec/conversion/webhook/clientConfig/caBundle", "value": "bmV3" },
            { "op": "replace", "path": "/metadata/resourceVersion", "value": "7" },
        ]);
        assert_eq!(patch, Some(Patch::json(operations)));
    }
}
