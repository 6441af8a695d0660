//! The configurations that register webhooks with the API server.

use std::fmt;

use k8s_openapi::{
    ByteString,
    api::admissionregistration::v1::{
        MutatingWebhook, MutatingWebhookConfiguration, RuleWithOperations, ServiceReference, ValidatingWebhook,
        ValidatingWebhookConfiguration, WebhookClientConfig,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::Serialize;

use super::{
    Operation, WebhookName, Webhooks,
    webhooks::{CONVERT_PATH, Routed},
};
use crate::crd::{
    merge::ConversionWebhook,
    validate::{Violation, validate_admission},
};

/// Where the API server finds the webhooks of a program: a service of the cluster, or a URL.
///
/// ```
/// use crdkit::webhook::WebhookClient;
///
/// let in_cluster = WebhookClient::service("operators", "vm-operator").port(9443);
/// let on_this_machine = WebhookClient::url("https://192.168.0.10:9443").ca_bundle("-----BEGIN CERTIFICATE-----...");
/// # let _ = (in_cluster, on_this_machine);
/// ```
#[doc(alias("clientConfig"))]
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct WebhookClient {
    location: Location,
    ca_bundle: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Location {
    Service { namespace: String, name: String, port: Option<u16> },
    Url(String),
}

impl WebhookClient {
    /// Webhooks behind a service of the cluster.
    pub fn service(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        let location = Location::Service { namespace: namespace.into(), name: name.into(), port: None };
        Self { location, ca_bundle: None }
    }

    /// Webhooks outside of the cluster, with a URL such as `https://10.0.0.1:9443`, to which the paths are added.
    pub fn url(url: impl Into<String>) -> Self {
        Self { location: Location::Url(url.into()), ca_bundle: None }
    }

    /// Sets the port of a service: 443 by default. A URL has its own port.
    pub fn port(mut self, number: u16) -> Self {
        if let Location::Service { port, .. } = &mut self.location {
            *port = Some(number);
        }
        self
    }

    /// Sets the certificates, as PEM, that the API server trusts. Without them, it trusts those of its system.
    pub fn ca_bundle(self, pem: impl Into<Vec<u8>>) -> Self {
        Self { ca_bundle: Some(pem.into()), ..self }
    }

    /// Returns the webhook of `spec.conversion` for [`Versions::conversion`](crate::merge::Versions::conversion).
    pub fn conversion(&self) -> ConversionWebhook {
        let webhook = match &self.location {
            Location::Service { namespace, name, port } => {
                let webhook = ConversionWebhook::service(namespace, name).path(CONVERT_PATH);
                port.iter().fold(webhook, |webhook, port| webhook.port(*port))
            }
            Location::Url(url) => ConversionWebhook::url(with_path(url, CONVERT_PATH)),
        };
        self.ca_bundle.iter().fold(webhook, |webhook, pem| webhook.ca_bundle(pem.clone()))
    }

    fn config(&self, path: &str) -> WebhookClientConfig {
        let ca_bundle = self.ca_bundle.clone().map(ByteString);
        match &self.location {
            Location::Service { namespace, name, port } => {
                let service = ServiceReference {
                    namespace: namespace.clone(),
                    name: name.clone(),
                    path: Some(path.to_owned()),
                    port: port.map(i32::from),
                };
                WebhookClientConfig { ca_bundle, service: Some(service), url: None }
            }
            Location::Url(url) => WebhookClientConfig { ca_bundle, service: None, url: Some(with_path(url, path)) },
        }
    }
}

fn with_path(url: &str, path: &str) -> String {
    format!("{}{path}", url.trim_end_matches('/'))
}

/// The objects that register [`Webhooks`] with the API server. One without webhooks is absent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Configurations {
    /// The webhooks that change objects.
    pub mutating: Option<MutatingWebhookConfiguration>,
    /// The webhooks that validate objects.
    pub validating: Option<ValidatingWebhookConfiguration>,
}

/// Why the API server would reject a configuration.
///
/// `Debug` prints the message, so that `unwrap` and tests that return the error are readable.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigurationError {
    /// The configuration: its kind and name.
    pub configuration: String,
    /// The rules that it breaks.
    pub errors: Vec<Violation>,
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the API server would reject the {}:", self.configuration)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl fmt::Debug for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ConfigurationError {}

impl Webhooks {
    /// Returns the configurations that register the webhooks, which satisfy all rules of the API server.
    ///
    /// ```
    /// use crdkit::webhook::{Webhook, WebhookClient, Webhooks};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let webhooks = Webhooks::new("pod-policy").add(Webhook::of::<Pod>().mutate(|_, _| {}));
    /// let configurations = webhooks.configurations(&WebhookClient::service("operators", "pod-policy"))?;
    /// let webhook = &configurations.mutating.unwrap().webhooks.unwrap()[0];
    /// assert_eq!(webhook.name, "pods.v1.core");
    /// assert_eq!(webhook.client_config.service.as_ref().unwrap().path.as_deref(), Some("/mutate--v1-pod"));
    /// # Ok::<(), crdkit::webhook::ConfigurationError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the API server would reject one: two webhooks of the same kind without different [names](super::WebhookBuilder::name), a
    /// condition that does not compile, an invalid URL, selector or name.
    pub fn configurations(&self, client: &WebhookClient) -> Result<Configurations, ConfigurationError> {
        let metadata = || ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
        let mutating: Vec<_> = self.mutating().iter().map(|routed| routed.mutating(client)).collect();
        let validating: Vec<_> = self.validating().iter().map(|routed| routed.validating(client)).collect();
        let mutating = (!mutating.is_empty())
            .then(|| MutatingWebhookConfiguration { metadata: metadata(), webhooks: Some(mutating) });
        let validating = (!validating.is_empty())
            .then(|| ValidatingWebhookConfiguration { metadata: metadata(), webhooks: Some(validating) });
        check("MutatingWebhookConfiguration", &self.name, mutating.as_ref())?;
        check("ValidatingWebhookConfiguration", &self.name, validating.as_ref())?;
        Ok(Configurations { mutating, validating })
    }
}

/// The generated test of webhooks. Without a client, any valid one is used.
///
/// # Panics
///
/// If the API server would reject a configuration.
#[track_caller]
pub fn assert_accepted(webhooks: &Webhooks, client: Option<&WebhookClient>) {
    let any = WebhookClient::service("default", "webhooks");
    if let Err(error) = webhooks.configurations(client.unwrap_or(&any)) {
        panic!("{error}");
    }
}

fn check(kind: &str, name: &str, configuration: Option<&impl Serialize>) -> Result<(), ConfigurationError> {
    let Some(configuration) = configuration else { return Ok(()) };
    let object = serde_json::to_value(configuration).expect("all keys of a configuration are strings");
    let errors = validate_admission(&object);
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ConfigurationError { configuration: format!("{kind} `{name}`"), errors })
    }
}

impl Routed<'_> {
    fn name(&self) -> String {
        let generated = || WebhookName::generated(self.webhook.target.name());
        self.webhook.settings.name.clone().unwrap_or_else(generated).to_string()
    }

    fn rules(&self) -> Vec<RuleWithOperations> {
        let target = &self.webhook.target;
        let operations = self.admission.operations.iter().copied().map(Operation::name).map(str::to_owned);
        vec![RuleWithOperations {
            operations: Some(operations.collect()),
            api_groups: Some(vec![target.group.clone()]),
            api_versions: Some(vec![target.version.clone()]),
            resources: Some(vec![target.resource()]),
            scope: Some(if target.is_namespaced { "Namespaced" } else { "Cluster" }.to_owned()),
        }]
    }

    fn validating(&self, client: &WebhookClient) -> ValidatingWebhook {
        let settings = &self.webhook.settings;
        ValidatingWebhook {
            admission_review_versions: vec!["v1".to_owned()],
            client_config: client.config(&self.path),
            failure_policy: Some(settings.failure_policy.name().to_owned()),
            match_conditions: Some(settings.match_conditions.clone()).filter(|list| !list.is_empty()),
            match_policy: Some(settings.match_policy.name().to_owned()),
            name: self.name(),
            namespace_selector: settings.namespace_selector.clone(),
            object_selector: settings.object_selector.clone(),
            rules: Some(self.rules()),
            side_effects: settings.side_effects.name().to_owned(),
            timeout_seconds: Some(settings.timeout_seconds),
        }
    }

    fn mutating(&self, client: &WebhookClient) -> MutatingWebhook {
        let ValidatingWebhook {
            admission_review_versions,
            client_config,
            failure_policy,
            match_conditions,
            match_policy,
            name,
            namespace_selector,
            object_selector,
            rules,
            side_effects,
            timeout_seconds,
        } = self.validating(client);
        MutatingWebhook {
            admission_review_versions,
            client_config,
            failure_policy,
            match_conditions,
            match_policy,
            name,
            namespace_selector,
            object_selector,
            reinvocation_policy: Some(self.webhook.settings.reinvocation_policy.name().to_owned()),
            rules,
            side_effects,
            timeout_seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{
        api::{apps::v1::Deployment, core::v1::Pod},
        apimachinery::pkg::apis::meta::v1::LabelSelector,
    };
    use serde_json::json;

    use super::*;
    use crate::webhook::{Error, FailurePolicy, ReinvocationPolicy, SideEffects, Webhook};

    fn client() -> WebhookClient {
        WebhookClient::url("https://127.0.0.1:9443/").ca_bundle("-----BEGIN CERTIFICATE-----")
    }

    async fn allow<K, T>(_: std::sync::Arc<K>, _: crate::webhook::AdmissionContext<K, T>) -> Result<(), Error> {
        Ok(())
    }

    #[test]
    fn all_settings_are_written() {
        let webhook = Webhook::of::<Pod>()
            .validate(allow)
            .validate_deletion(allow)
            .mutate(|_, _| {})
            .name(WebhookName::new("pods.policy.example.com"))
            .failure_policy(FailurePolicy::Ignore)
            .timeout_seconds::<3>()
            .side_effects(SideEffects::NoneOnDryRun)
            .reinvocation_policy(ReinvocationPolicy::IfNeeded)
            .match_condition("not-a-node", "!('system:nodes' in request.userInfo.groups)")
            .namespace_selector(LabelSelector {
                match_labels: Some([("checked".to_owned(), "yes".to_owned())].into()),
                ..LabelSelector::default()
            });
        let Configurations { mutating, validating } =
            Webhooks::new("policy").add(webhook).configurations(&client()).unwrap();
        let validating = serde_json::to_value(validating).unwrap();
        let expected = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "policy" },
            "webhooks": [{
                "name": "pods.policy.example.com",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {
                    "url": "https://127.0.0.1:9443/validate--v1-pod",
                    "caBundle": ByteString(b"-----BEGIN CERTIFICATE-----".to_vec()),
                },
                "rules": [{
                    "operations": ["CREATE", "UPDATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"],
                    "resources": ["pods"], "scope": "Namespaced",
                }],
                "failurePolicy": "Ignore", "matchPolicy": "Equivalent", "sideEffects": "NoneOnDryRun", "timeoutSeconds": 3,
                "matchConditions": [{ "name": "not-a-node", "expression": "!('system:nodes' in request.userInfo.groups)" }],
                "namespaceSelector": { "matchLabels": { "checked": "yes" } },
            }],
        });
        assert_eq!(validating, expected);
        let mutating = serde_json::to_value(mutating).unwrap();
        let webhook = &mutating["webhooks"][0];
        assert_eq!(webhook["reinvocationPolicy"], "IfNeeded");
        assert_eq!(webhook["rules"][0]["operations"], json!(["CREATE", "UPDATE"]));
    }

    #[test]
    fn subresources_are_updated_only() {
        let scale = Webhook::scale_of::<Deployment>().validate(allow);
        let configurations = Webhooks::new("policy").add(scale).configurations(&client()).unwrap();
        assert!(configurations.mutating.is_none());
        let webhook = &configurations.validating.unwrap().webhooks.unwrap()[0];
        let rule = &webhook.rules.as_ref().unwrap()[0];
        assert_eq!(rule.operations.as_deref().unwrap(), ["UPDATE"]);
        assert_eq!(rule.resources.as_deref().unwrap(), ["deployments/scale"]);
        assert_eq!(webhook.name, "scale.deployments.v1.apps");
    }

    #[test]
    fn what_the_server_would_reject_is_an_error() {
        let pods = || Webhook::of::<Pod>().validate(allow);
        let error = |webhooks: Webhooks| webhooks.configurations(&client()).unwrap_err().to_string();
        let twice = error(Webhooks::new("policy").add(pods()).add(pods()));
        let expected = "the API server would reject the ValidatingWebhookConfiguration `policy`:\n  \
            webhooks[1].name: Duplicate value: \"pods.v1.core\"";
        assert_eq!(twice, expected);
        let condition = error(Webhooks::new("Policy").add(pods().match_condition("a b", "request.verb == ''")));
        for part in [
            "metadata.name: Invalid value: \"Policy\": a lowercase RFC 1123 subdomain",
            "webhooks[0].matchConditions[0].expression: Invalid value: \"request.verb == ''\": compilation failed: ERROR: \
             <input>:1:8: undefined field 'verb'",
            "webhooks[0].matchConditions[0].name: Invalid value: \"a b\": name part must consist of",
        ] {
            assert!(condition.contains(part), "{condition}");
        }
        let url = Webhooks::new("policy").add(pods()).configurations(&WebhookClient::url("http://h")).unwrap_err();
        assert!(
            url.to_string()
                .contains("webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed")
        );
    }

    #[test]
    fn functions_that_are_called_for_nothing_are_an_error() {
        let pods = || Webhook::of::<Pod>().operations([Operation::Delete]);
        for webhook in
            [pods().validate(allow), pods().validate(allow).validate_deletion(allow), pods().mutate(|_, _| {})]
        {
            let error = Webhooks::new("policy").add(webhook).configurations(&client()).unwrap_err();
            assert!(error.to_string().contains("webhooks[0].rules[0].operations: Required value"), "{error}");
        }
        let deletions = Webhooks::new("policy").add(pods().validate_deletion(allow));
        assert!(deletions.configurations(&client()).is_ok());
    }

    #[test]
    #[should_panic(expected = "webhooks[0].matchConditions[0].expression: Invalid value: \"request.verb == ''\"")]
    fn a_generated_test_checks_the_configurations() {
        let webhook = Webhook::of::<Pod>().validate(allow).match_condition("verb", "request.verb == ''");
        assert_accepted(&Webhooks::new("policy").add(webhook), None);
    }

    #[test]
    #[should_panic(expected = "webhooks[0].clientConfig.service.name: Required value")]
    fn a_generated_test_checks_the_client() {
        let webhooks = Webhooks::new("policy").add(Webhook::of::<Pod>().validate(allow));
        assert_accepted(&webhooks, Some(&WebhookClient::service("operators", "")));
    }

    #[test]
    fn a_second_webhook_of_a_kind_has_another_path() {
        let pods = |name| Webhook::of::<Pod>().mutate(|_, _| {}).name(WebhookName::new(name));
        let webhooks = Webhooks::new("policy").add(pods("a.example.com")).add(pods("b.example.com"));
        let paths: Vec<_> = webhooks.mutating().into_iter().map(|routed| routed.path).collect();
        assert_eq!(paths, ["/mutate--v1-pod", "/mutate--v1-pod-2"]);
    }
}
