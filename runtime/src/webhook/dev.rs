//! Webhooks of a program on the developer's machine.

mod cluster;
mod host;
mod registration;

use std::{fmt, future::Future, net::IpAddr, sync::Arc};

use super::{ConfigurationError, WebhookClient, WebhookServer, WebhookServerError, WebhookServerHandle, Webhooks};
use crate::{
    Client,
    client::{ConnectError, DeleteError, Error},
    webhook::{
        certificates::{CertificateError, Certificates},
        signal::interrupted,
    },
};
use cluster::Cluster;
use registration::Registration;

/// Serves webhooks on this machine, and registers them with the cluster of the current context, until the program ends.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::Pod;
/// use crdkit::webhook::{Webhook, Webhooks, dev};
///
/// # async fn example() -> Result<(), crdkit::webhook::DevError> {
/// let webhooks = Webhooks::new("pod-policy").add(Webhook::of::<Pod>().mutate(|pod, _| {
///     pod.metadata.labels.get_or_insert_default().entry("team".into()).or_insert("none".into());
/// }));
/// dev(&webhooks).run().await // until Ctrl-C
/// # }
/// ```
///
/// The API server calls this machine by a URL, with a certificate that is made at the start. Nothing is needed in the cluster but the
/// definitions of the kinds that are [converted](Webhooks::convert).
///
/// | | |
/// |---|---|
/// | at the start | creates `NAME-dev`, a ValidatingWebhookConfiguration and a MutatingWebhookConfiguration, and sets `spec.conversion` of definitions |
/// | at the end, also by Ctrl-C and SIGTERM | deletes them, and restores `spec.conversion` |
/// | after `kill -9` | they remain, and requests fail as their failure policy requires; the next start of the program replaces them |
///
/// All of these objects have the label or the annotation `webhook.crdkit.dev/dev`, so that
/// `kubectl delete validatingwebhookconfigurations,mutatingwebhookconfigurations -l webhook.crdkit.dev/dev` removes what remains of all programs.
///
/// # Which clusters
///
/// Only local ones, unless another one is [allowed by name](Dev::allow_context): API servers at a loopback address, and those at a
/// private address whose context has the name of a local tool, such as `kind-` or `minikube`.
///
/// # The address of this machine
///
/// By default, it is the address by which this machine reaches other networks: API servers in containers and virtual machines can
/// call it, unless a firewall forbids that. [`Dev::host`] sets another one.
pub fn dev(webhooks: &Webhooks) -> Dev {
    Dev { webhooks: webhooks.clone(), client: None, host: None, address: None, allowed: Vec::new() }
}

/// The options of [`dev()`].
#[derive(Debug)]
#[doc(alias("ngrok", "tunnel"))]
#[must_use = "nothing is registered until `run` or `start` is called"]
pub struct Dev {
    webhooks: Webhooks,
    client: Option<Client>,
    host: Option<String>,
    address: Option<String>,
    allowed: Vec<String>,
}

/// Why webhooks cannot be registered with a cluster, or what remains there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DevError {
    /// There is no valid kubeconfig.
    #[error("no cluster configuration: kubeconfig: {0}")]
    Kubeconfig(String),
    /// There is no client for the cluster.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The cluster is not a local one.
    #[error(
        "the context `{context}` ({server}) is not a local cluster: its API server would call this machine; if you mean it, use \
        `allow_context(\"{context}\")`"
    )]
    NotLocal {
        /// The name of the context; the URL of the API server if there is none.
        context: String,
        /// The URL of the API server.
        server: String,
    },
    /// The definition of a kind that is converted is not installed.
    #[error("there is no CustomResourceDefinition `{0}`: install it first")]
    NoDefinition(String),
    /// A configuration with the name is not of [`dev()`].
    #[error(
        "the {kind} `{name}` exists, and has no label `{label}`: delete it, or choose another name for the webhooks"
    )]
    OtherOwner {
        /// The kind.
        kind: &'static str,
        /// The name.
        name: String,
        /// The label that it would have.
        label: &'static str,
    },
    /// The API server would reject a configuration.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The certificate cannot be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The server cannot start.
    #[error(transparent)]
    Server(#[from] WebhookServerError),
    /// A request failed.
    #[error(transparent)]
    Client(#[from] Error),
    /// An object cannot be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),
}

impl Dev {
    /// Uses the cluster of a client, instead of that of the current context.
    pub fn client(self, client: &Client) -> Self {
        Self { client: Some(client.clone()), ..self }
    }

    /// Sets the name or the address by which the API server calls this machine, such as `host.docker.internal`.
    pub fn host(self, host: impl Into<String>) -> Self {
        Self { host: Some(host.into()), ..self }
    }

    /// Sets the address to listen at, such as `:9443`: by default a free port, of all interfaces if a [host](Self::host) is set.
    pub fn address(self, address: impl Into<String>) -> Self {
        Self { address: Some(address.into()), ..self }
    }

    /// Allows a cluster that is not local, by the name of its context, or by the URL of its API server for a
    /// [client](Self::client).
    pub fn allow_context(mut self, context: impl Into<String>) -> Self {
        self.allowed.push(context.into());
        self
    }

    /// Registers the webhooks, and serves them until Ctrl-C or SIGTERM.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`stop`](DevHandle::stop).
    pub async fn run(self) -> Result<(), DevError> {
        self.run_until(interrupted()).await
    }

    /// Registers the webhooks, and serves them until a future completes.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`stop`](DevHandle::stop).
    pub async fn run_until<O>(self, shutdown: impl Future<Output = O>) -> Result<(), DevError> {
        // A signal during the registration ends it afterwards.
        let mut shutdown = std::pin::pin!(shutdown);
        let mut start = std::pin::pin!(self.start());
        tokio::select! {
            handle = &mut start => {
                let handle = handle?;
                shutdown.await;
                handle.stop().await
            }
            _ = &mut shutdown => start.await?.stop().await,
        }
    }

    /// Registers the webhooks, and serves them until the handle is [stopped](DevHandle::stop).
    ///
    /// # Errors
    ///
    /// If the cluster is not local and not allowed, if a definition is not installed, or if a request fails. Then nothing remains
    /// registered, unless the API server cannot be reached any more.
    pub async fn start(self) -> Result<DevHandle, DevError> {
        let cluster = Cluster::choose(self.client, &self.allowed).await?;
        let (host, address) = match (self.host, self.address) {
            (Some(host), address) => (host, address.unwrap_or_else(|| ":0".to_owned())),
            (None, address) => {
                let own = host::of_this_machine(&cluster.host);
                (own.to_string(), address.unwrap_or_else(|| format!("{}:0", bracketed(&own.to_string()))))
            }
        };
        let certificates = Certificates::generate([host.clone()])?;
        let ca_bundle = certificates.ca_bundle().unwrap_or_default();
        let server = WebhookServer::new(&self.webhooks, Arc::new(certificates)).address(&address).start()?;
        let url = format!("https://{}:{}", bracketed(&host), server.address().port());
        let registration = Registration::new(&cluster.client, &self.webhooks);
        if let Err(error) = registration.register(&WebhookClient::url(&url).ca_bundle(ca_bundle)).await {
            // The first error is the cause.
            let _ = registration.unregister().await;
            return Err(error);
        }
        tracing::info!(context = cluster.context, %url, objects = %registration, "the webhooks of this machine are registered");
        Ok(DevHandle { url, server, registration })
    }
}

/// Writes addresses of IPv6 as in URLs.
fn bracketed(host: &str) -> String {
    match host.parse() {
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => host.to_owned(),
    }
}

/// Webhooks that are served on this machine. If this is dropped, they remain registered until the next start.
#[must_use = "`stop` removes the webhooks from the cluster"]
pub struct DevHandle {
    url: String,
    server: WebhookServerHandle,
    registration: Registration,
}

impl DevHandle {
    /// Returns the URL that the API server calls.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Removes the webhooks from the cluster, and waits for running requests.
    ///
    /// # Errors
    ///
    /// If a request failed, so that objects remain. Another start of the program and its end remove them.
    pub async fn stop(self) -> Result<(), DevError> {
        let removed = self.registration.unregister().await;
        if removed.is_err() {
            tracing::error!(objects = %self.registration, "the webhooks of this machine may still be registered");
        }
        self.server.stop().await;
        removed
    }
}

impl fmt::Debug for DevHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevHandle").field("url", &self.url).finish_non_exhaustive()
    }
}
