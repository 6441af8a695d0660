//! The connections to a cluster, shared by crdkit's requests and kube's.

mod auth_methods;
mod connector;
mod credentials;
#[cfg(feature = "rustls-tls")]
mod http2;
mod network;
mod pool;
mod shared;
mod stream_limit;
mod url;

use std::{sync::Arc, time::Duration};

use http::{Request, Response};
use kube::{
    Config,
    client::{Body, retry::RetryPolicy},
};
use tokio::{runtime::Handle, time::timeout};
use tower::{BoxError, ServiceBuilder, retry::RetryLayer, service_fn};

use super::{
    ConnectError,
    body::{ResponseBody, broken, from_kube},
    discovery,
    request_counts::RequestCounts,
    warnings::LoggedWarnings,
};
pub(super) use auth_methods::AuthMethods;
use connector::Protocols;
pub(super) use credentials::PluginFailure;
use network::{Network, Stack};
pub(crate) use shared::DroppedWithLastUser;

/// Why client-go refuses `insecure-skip-tls-verify` beside a certificate authority.
pub(super) const INSECURE_WITH_AUTHORITY: &str =
    "specifying a root certificates file with the insecure flag is not allowed";

pub(crate) struct Connection {
    transport: Transport,
    /// Retries by itself, as users of kube expect.
    pub(super) kube: kube::Client,
    pub(super) config: Option<Arc<Config>>,
    network: Option<Arc<Network>>,
    pub(super) discovery: Arc<discovery::Cache>,
    pub(crate) shared: DroppedWithLastUser,
    /// The requests on these connections, and on those of informers.
    pub(crate) requests: Arc<RequestCounts>,
    pub(super) warnings: Arc<LoggedWarnings>,
}

/// Sends each request once; crdkit decides about retries.
enum Transport {
    Own(Stack),
    Kube(kube::Client),
}

/// Why there is no response.
#[derive(Debug)]
pub(super) enum SendError {
    /// The response did not start in time.
    Elapsed,
    Broken(kube::Error),
}

impl Connection {
    pub(super) fn from_kube(kube: kube::Client) -> Self {
        Self {
            transport: Transport::Kube(kube.clone()),
            kube,
            config: None,
            network: None,
            discovery: Arc::default(),
            shared: DroppedWithLastUser::default(),
            requests: Arc::default(),
            warnings: Arc::default(),
        }
    }

    pub(super) fn from_config(config: Config) -> Result<Self, ConnectError> {
        Handle::try_current().map_err(|_| ConnectError::NoRuntime)?;
        let config = checked(config).map_err(|reason| ConnectError::Refused { reasons: vec![reason.to_owned()] })?;
        let (transport, kube, network) = match Network::from_config(&config)? {
            Some(network) => {
                let stack = network.stack(Protocols::Http1);
                let kube = network.kube(&stack, &config)?;
                (Transport::Own(stack), kube, Some(Arc::new(network)))
            }
            None => {
                let mut once = config.clone();
                once.default_retry = false;
                credentials::prefer_file(&mut once.auth_info);
                let without_retries = kube::Client::try_from(once)?;
                let kube =
                    if config.default_retry { with_default_retries(&without_retries) } else { without_retries.clone() };
                (Transport::Kube(without_retries), kube, None)
            }
        };
        Ok(Self {
            transport,
            kube,
            requests: Arc::default(),
            warnings: Arc::default(),
            config: Some(Arc::new(config)),
            network,
            discovery: Arc::default(),
            shared: DroppedWithLastUser::default(),
        })
    }

    /// Returns separate connections to the same cluster for long-running requests, or `None` if the configuration is
    /// unavailable.
    pub(crate) fn for_watches(&self) -> Option<Result<Self, ConnectError>> {
        let config = self.config.as_ref()?;
        if Handle::try_current().is_err() {
            return Some(Err(ConnectError::NoRuntime));
        }
        let Some(network) = &self.network else {
            let separate = Self::from_config(Config::clone(config));
            return Some(separate.map(|separate| Self {
                requests: self.requests.clone(),
                warnings: self.warnings.clone(),
                ..separate
            }));
        };
        Some(Ok(Self {
            transport: Transport::Own(network.stack(Protocols::Http2)),
            kube: self.kube.clone(),
            config: self.config.clone(),
            network: self.network.clone(),
            discovery: self.discovery.clone(),
            shared: DroppedWithLastUser::default(),
            requests: self.requests.clone(),
            warnings: self.warnings.clone(),
        }))
    }

    /// Returns a number that changes whenever the connections are replaced.
    pub(super) fn generation(&self) -> u64 {
        match &self.transport {
            Transport::Own(stack) => stack.pool().generation(),
            Transport::Kube(_) => 0,
        }
    }

    /// Sends later requests on new connections, unless the connections were replaced since `generation`.
    pub(super) fn replace(&self, generation: u64) {
        if let Transport::Own(stack) = &self.transport {
            stack.pool().replace(generation);
        }
    }

    /// Sends a request once. If the response does not start in time, later requests are sent on new connections.
    pub(super) async fn send(
        &self,
        request: Request<Body>,
        limit: Duration,
    ) -> Result<Response<ResponseBody>, SendError> {
        let method = request.method().clone();
        let response = self.try_send(request, limit).await;
        self.requests.count(response.as_ref().ok().map(Response::status), &method);
        response
    }

    async fn try_send(&self, request: Request<Body>, limit: Duration) -> Result<Response<ResponseBody>, SendError> {
        match &self.transport {
            Transport::Own(stack) => {
                let generation = self.generation();
                let response = timeout(limit, stack.send(request)).await.map_err(|_| {
                    self.replace(generation);
                    SendError::Elapsed
                })?;
                response.map_err(|error| SendError::Broken(broken(error)))
            }
            Transport::Kube(kube) => {
                let response = timeout(limit, kube.send(request)).await.map_err(|_| SendError::Elapsed)?;
                response.map(from_kube).map_err(SendError::Broken)
            }
        }
    }
}

/// Returns a configuration with the credentials that client-go uses.
///
/// # Errors
///
/// The reason of client-go if it refuses the configuration.
fn checked(mut config: Config) -> Result<Config, &'static str> {
    auth_methods::select(&mut config.auth_info)?;
    let is_tls = config.cluster_url.scheme_str() == Some("https");
    match &config.root_cert {
        Some(_) if is_tls && config.accept_invalid_certs => Err(INSECURE_WITH_AUTHORITY),
        // With an empty list, no server is trusted.
        Some(authorities) if is_tls && authorities.is_empty() => {
            Err("unable to load root certificates: no valid certificate authority data seen")
        }
        _ => Ok(config),
    }
}

/// Returns a client on the same connections with kube's default retry policy.
fn with_default_retries(without_retries: &kube::Client) -> kube::Client {
    let sender = without_retries.clone();
    let send = service_fn(move |request: Request<Body>| {
        let sender = sender.clone();
        async move { sender.send(request).await.map_err(BoxError::from) }
    });
    let retries = RetryLayer::new(RetryPolicy::server_retry());
    let service = ServiceBuilder::new().layer(retries).service(send);
    kube::Client::new(service, without_retries.default_namespace()).with_valid_until(*without_retries.valid_until())
}

#[cfg(test)]
mod tests;
