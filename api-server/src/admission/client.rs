//! Calls of webhooks over HTTPS.

use std::{collections::HashMap, error::Error, io, net::SocketAddr, time::Duration};

use http::{Method, Request, header};
use k8s_openapi::ByteString;
use kube::{Config, client::Body};
use serde::Deserialize;
use serde_json::Value;

use crate::{failure::generic, value::text, webhook_calls::Answer};

#[cfg(feature = "rustls-tls")]
mod tls;
#[cfg(not(feature = "rustls-tls"))]
mod tls {
    //! The certificates that kube's client accepts.

    use std::error::Error;

    pub(super) fn client(config: kube::Config) -> kube::Result<kube::Client> {
        kube::Client::try_from(config)
    }

    /// Returns why a certificate is not accepted, in Go's words.
    pub(super) fn refusal(error: &(dyn Error + 'static)) -> Option<String> {
        error.to_string().contains("UnknownIssuer").then(|| "certificate signed by unknown authority".to_owned())
    }
}

/// The addresses of services, by their namespaces and names.
pub(crate) type Services = HashMap<(String, String), SocketAddr>;

/// Where a webhook is, as `clientConfig` has it.
pub(crate) struct Address {
    /// The URL without a query.
    url: String,
    /// The certificates of the authorities, in DER.
    authorities: Vec<Vec<u8>>,
    /// The service that the URL names.
    service: Option<Service>,
}

struct Service {
    name: String,
    /// The address that a test has registered.
    address: Option<SocketAddr>,
    /// The name in the certificate of the webhook.
    host: String,
}

impl Address {
    pub(crate) fn parse(config: &Value, services: &Services) -> Self {
        let authorities =
            ByteString::deserialize(&config["caBundle"]).map(|bundle| certificates(&bundle.0)).unwrap_or_default();
        let Some(service) = config.get("service").filter(|service| service.is_object()) else {
            return Self { url: with_clean_path(text(config, "url")), authorities, service: None };
        };
        let (namespace, name) = (text(service, "namespace").to_owned(), text(service, "name").to_owned());
        let host = format!("{name}.{namespace}.svc");
        let port = service["port"].as_u64().unwrap_or(443);
        let path = clean_path(text(service, "path"));
        let address = services.get(&(namespace, name.clone())).copied();
        let url = format!("https://{host}:{port}{path}");
        Self { url, authorities, service: Some(Service { name, address, host }) }
    }

    /// Sends a document to the webhook, and returns the document that it answers.
    pub(crate) async fn post(self: std::sync::Arc<Self>, document: Value, timeout: Duration) -> Answer {
        let url = format!("{}?timeout={}s", self.url, timeout.as_secs());
        let of_call = |reason: &str| format!("failed to call webhook: Post \"{url}\": {reason}");
        match tokio::time::timeout(timeout, self.send(&document, timeout)).await {
            Err(_) => Err(of_call("context deadline exceeded")),
            Ok(Err(Problem::Connection(reason))) => Err(of_call(&reason)),
            Ok(Err(Problem::Response(reason))) => Err(format!("failed to call webhook: {reason}")),
            Ok(Ok(answer)) => Ok(answer),
        }
    }

    async fn send(&self, document: &Value, timeout: Duration) -> Result<Value, Problem> {
        let connection = |error: &dyn std::fmt::Display| Problem::Connection(error.to_string());
        let uri: http::Uri = self.url.parse().map_err(|error| connection(&error))?;
        let mut config = Config::new(uri.clone());
        config.root_cert = Some(self.authorities.clone()).filter(|list| !list.is_empty());
        config.connect_timeout = Some(timeout);
        config.read_timeout = Some(timeout);
        if let Some(service) = &self.service {
            let Some(address) = service.address else {
                return Err(Problem::Connection(format!("service \"{}\" not found", service.name)));
            };
            let reached = http::Uri::builder().scheme("https").authority(address.to_string()).path_and_query("/");
            config.cluster_url = reached.build().map_err(|error| connection(&error))?;
            config.tls_server_name = Some(service.host.clone());
        } else {
            let authority = uri.authority().map_or_else(String::new, ToString::to_string);
            let base = http::Uri::builder().scheme("https").authority(authority).path_and_query("/");
            config.cluster_url = base.build().map_err(|error| connection(&error))?;
        }
        let target = config.cluster_url.authority().map_or_else(String::new, ToString::to_string);
        let client = tls::client(config).map_err(|error| connection(&error))?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}?timeout={}s", uri.path(), timeout.as_secs()))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, */*")
            .body(Body::from(document.to_string().into_bytes()))
            .map_err(|error| connection(&error))?;
        let response = client.send(request).await.map_err(|error| Problem::Connection(describe(&error, &target)))?;
        let status = response.status();
        let content_type = response.headers().get(header::CONTENT_TYPE).cloned();
        let is_text = content_type.is_none_or(|value| value.as_bytes().starts_with(b"text/"));
        let body = response.into_body().collect_bytes().await.map_err(|error| connection(&error))?;
        if status.is_success() {
            serde_json::from_slice(&body).map_err(|error| Problem::Response(error.to_string()))
        } else {
            Err(Problem::Response(rejected(status.as_u16(), &body, is_text)))
        }
    }
}

/// Returns a URL with the path that client-go sends.
fn with_clean_path(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    format!("{scheme}://{authority}{}", clean_path(path))
}

/// Returns an absolute path as Go's `path.Join` makes it. controller-runtime's envtest registers URLs with `//` before the path, which
/// its own server refuses.
fn clean_path(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// Why a call failed.
enum Problem {
    Connection(String),
    Response(String),
}

/// Returns the certificates of a bundle in PEM.
fn certificates(pem: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(pem);
    let blocks = text.split("-----BEGIN CERTIFICATE-----").skip(1).filter_map(|block| {
        let encoded: String = block.split("-----END").next()?.split_whitespace().collect();
        ByteString::deserialize(&Value::from(encoded)).ok().map(|bytes| bytes.0)
    });
    blocks.collect()
}

/// Returns why there is no response, in Go's words where they are known.
fn describe(error: &(dyn Error + 'static), target: &str) -> String {
    let mut last = error;
    let mut text = error.to_string();
    loop {
        if let Some(error) = last.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            return format!("dial tcp {target}: connect: connection refused");
        }
        if let Some(reason) = tls::refusal(last) {
            return format!("tls: failed to verify certificate: x509: {reason}");
        }
        match last.source() {
            Some(source) => last = source,
            None => break,
        }
        text = last.to_string();
    }
    text
}

/// Returns what client-go makes of a response that is no success.
pub(super) fn rejected(status: u16, body: &[u8], is_text: bool) -> String {
    let body = if is_text { String::from_utf8_lossy(body) } else { "".into() };
    match status {
        401 | 404 | 405 | 429 | 503 => generic(status).1,
        403 => body.trim().to_owned(),
        500.. => {
            let body = if body.trim().is_empty() { "unknown" } else { body.trim() };
            let body = crdkit_core::go::quote(body);
            format!("an error on the server ({body}) has prevented the request from succeeding")
        }
        _ => "the server rejected our request for an unknown reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn url(config: &Value) -> String {
        Address::parse(config, &Services::new()).url
    }

    #[test]
    fn a_path_is_that_which_client_go_sends() {
        assert_eq!(url(&json!({ "url": "https://127.0.0.1:9443//failing" })), "https://127.0.0.1:9443/failing");
        assert_eq!(url(&json!({ "url": "https://example.com/a/./b//../c/" })), "https://example.com/a/c");
        assert_eq!(url(&json!({ "url": "https://example.com" })), "https://example.com/");
        let service = json!({ "service": { "namespace": "prod", "name": "web", "path": "//deny" } });
        assert_eq!(url(&service), "https://web.prod.svc:443/deny");
    }
}
