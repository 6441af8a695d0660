//! The conversion webhook of a definition.

use k8s_openapi::{
    ByteString,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceConversion, ServiceReference, WebhookClientConfig, WebhookConversion,
    },
};

/// The webhook that converts the objects of a kind: `spec.conversion` with the strategy `Webhook`, for reviews of the version
/// `v1`.
///
/// ```
/// use crdkit::merge::ConversionWebhook;
/// # use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceConversion;
///
/// let webhook = ConversionWebhook::service("operators", "machines").path("/convert").port(8443);
/// let conversion = CustomResourceConversion::from(webhook);
/// assert_eq!(conversion.strategy, "Webhook");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ConversionWebhook {
    client: WebhookClientConfig,
}

impl ConversionWebhook {
    /// Creates a webhook behind a service of the cluster.
    pub fn service(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        let service =
            ServiceReference { namespace: namespace.into(), name: name.into(), ..ServiceReference::default() };
        Self { client: WebhookClientConfig { service: Some(service), ..WebhookClientConfig::default() } }
    }

    /// Creates a webhook outside of the cluster, with a URL such as `https://10.0.0.1:8443/convert`.
    pub fn url(url: impl Into<String>) -> Self {
        Self { client: WebhookClientConfig { url: Some(url.into()), ..WebhookClientConfig::default() } }
    }

    /// Sets the path of a service. A URL has its own path.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        if let Some(service) = &mut self.client.service {
            service.path = Some(path.into());
        }
        self
    }

    /// Sets the port of a service; 443 by default. A URL has its own port.
    pub fn port(mut self, port: u16) -> Self {
        if let Some(service) = &mut self.client.service {
            service.port = Some(port.into());
        }
        self
    }

    /// Sets the certificates, as PEM, that the API server trusts. Without them, it trusts those of its system.
    pub fn ca_bundle(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.client.ca_bundle = Some(ByteString(pem.into()));
        self
    }
}

impl From<ConversionWebhook> for CustomResourceConversion {
    fn from(webhook: ConversionWebhook) -> Self {
        Self {
            strategy: "Webhook".to_owned(),
            webhook: Some(WebhookConversion {
                client_config: Some(webhook.client),
                conversion_review_versions: vec!["v1".to_owned()],
            }),
        }
    }
}
