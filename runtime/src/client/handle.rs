//! The handle to a cluster.

use std::{env, sync::Arc};

use k8s_openapi::jiff::Timestamp;
use kube::Config;

use super::{connection::Connection, error::ConnectError, kubeconfig, options::Options, resources::Resources};
use crate::clock::Clock;

/// The variable that makes the errors of a default client quote values. `cargo crdkit dev` sets it.
const QUOTE_VALUES: &str = "CRDKIT_QUOTE_VALUES";

/// A client of one cluster, with the default options for its requests.
///
/// Handles such as [`Resources`] can override the options. Clones share connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) connection: Arc<Connection>,
    pub(crate) options: Options,
}

impl Client {
    /// Creates a client from the current kubeconfig context, or from the service account of the pod in which the
    /// program runs if there is no kubeconfig.
    ///
    /// The files of the variable `KUBECONFIG` are merged, otherwise `~/.kube/config` is read, as by kubectl: missing
    /// files are skipped, the same configurations are refused, and credentials are sent to servers with TLS only.
    ///
    /// If the variable `CRDKIT_QUOTE_VALUES` is `1`, its errors [quote values](Self::quote_values).
    ///
    /// # Errors
    ///
    /// If there is no configuration or it is invalid, if no client can be created from it, or if the call is made
    /// outside a tokio runtime.
    #[expect(clippy::unused_async, reason = "as that of kube's client, which users replace with this one")]
    pub async fn try_default() -> Result<Self, ConnectError> {
        let mut client = Self::try_from(kubeconfig::infer()?)?;
        client.options.quotes_values = env::var_os(QUOTE_VALUES).is_some_and(|value| value == "1");
        Ok(client)
    }

    /// Creates a client without a cluster: each of its requests fails.
    ///
    /// It is for what follows from a program without requests, such as the roles of its controllers (`Manager::rbac`).
    pub fn offline() -> Self {
        // kube's client starts a task, which only a request needs.
        let runtime = match tokio::runtime::Handle::try_current() {
            Ok(_) => None,
            Err(_) => tokio::runtime::Builder::new_current_thread().build().ok(),
        };
        let client = {
            let _entered = runtime.as_ref().map(|runtime| runtime.enter());
            let refuse = |_: http::Request<kube::client::Body>| async {
                Err::<http::Response<kube::client::Body>, _>(std::io::Error::other("the client is offline"))
            };
            Self::from(kube::Client::new(tower::service_fn(refuse), "default"))
        };
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
        client
    }

    /// Returns a handle to the objects of a kind.
    pub fn resources<K>(&self) -> Resources<K>
    where
        K: kube_core::Resource<DynamicType = ()>,
    {
        self.resources_with(())
    }

    /// Returns a handle to the objects of a kind that is specified at run time.
    ///
    /// ```no_run
    /// # use crdkit::kube::{api::{ApiResource, DynamicObject}, core::GroupVersionKind};
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let kind = GroupVersionKind::gvk("infra.example.com", "v1", "VirtualMachine");
    /// let kind = ApiResource::from_gvk_with_plural(&kind, "virtualmachines");
    /// let vms = client.resources_with::<DynamicObject>(kind).namespace("default");
    /// let web = vms.get("web").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn resources_with<K: kube_core::Resource>(&self, kind: K::DynamicType) -> Resources<K> {
        Resources::new(self.clone(), kind)
    }

    /// Returns the namespace of the context: from the kubeconfig or the pod, otherwise `default`.
    pub fn default_namespace(&self) -> &str {
        self.connection.kube.default_namespace()
    }

    /// Returns the configuration from which the client was created, or `None` if it was created from kube's client.
    pub fn config(&self) -> Option<&Config> {
        self.connection.config.as_deref()
    }

    /// Returns kube's client on the same connections.
    ///
    /// It retries requests according to kube's policy, whatever the options, and applies neither the deadlines nor the
    /// limits of this client.
    pub fn kube(&self) -> &kube::Client {
        &self.connection.kube
    }

    /// Returns the time: that of the machine, unless the client has another [clock](Self::clock).
    pub fn now(&self) -> Timestamp {
        self.options.clock.now()
    }

    /// Sets what the time is for the users of the client, for tests: the clock of the machine by default.
    ///
    /// The controllers and tasks of a manager follow the clock of its client: `Context::now`, and the times of conditions, events and
    /// Leases. Timers are those of tokio. The clients of `crdkit_api_server::ApiServer` follow the clock of
    /// that server.
    #[must_use]
    pub fn clock(&self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let mut with = self.clone();
        with.options.clock = Clock::new(now);
        with
    }

    option_methods!();
}

/// Creates a client that does not retry by itself: responses with the codes 429, 503 and 504 are left to the retry
/// policy of kube's client.
///
/// [`Client::max_retries`] changes that. Deadlines and limits are the same as for every client.
///
/// The connections are kube's. They have neither TCP keep-alive nor a timeout for unacknowledged data: a connection
/// that dies silently stays in use, and each request on it takes its whole [`timeout`](Client::timeout), until the
/// operating system closes the connection after many minutes. Informers share these connections and the caller's
/// runtime, and do not use HTTP/2. A token that the server rejects is not renewed before it expires. Where that
/// matters, create the client from the same [`Config`] instead; [`Client::kube`] then returns kube's client on its
/// connections.
impl From<kube::Client> for Client {
    fn from(kube: kube::Client) -> Self {
        Self { connection: Arc::new(Connection::from_kube(kube)), options: Options::default() }.max_retries(0)
    }
}

/// Creates a client that retries requests unless `default_retry` of the configuration is off.
///
/// Call this inside a tokio runtime; otherwise it fails with [`ConnectError::NoRuntime`].
///
/// Credentials may change while the client is in use:
///
/// - A credential plugin (`exec`) runs once during this call, again before its token expires, and when its token is
///   rejected.
/// - A token file is read again after 50 s, and when its token is rejected.
/// - In a pod, the trusted certificate authorities are read again about every minute.
/// - Certificates are read once, during this call, including those that a plugin returns. After a renewal, create
///   another client ([`valid_until`](kube::Client::valid_until) of [`Client::kube`] is the expiry of a plugin's
///   certificate). After the old certificate has expired, servers refuse new connections, which is
///   [`Error::Transport`](crate::client::Error::Transport) with the TLS alert, or respond with 401, which is [`Error::Unauthorized`](crate::client::Error::Unauthorized).
impl TryFrom<Config> for Client {
    type Error = ConnectError;

    fn try_from(config: Config) -> Result<Self, Self::Error> {
        let default_retry = config.default_retry;
        let client = Self { connection: Arc::new(Connection::from_config(config)?), options: Options::default() };
        Ok(if default_retry { client } else { client.max_retries(0) })
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("default_namespace", &self.default_namespace())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod offline_tests {
    use k8s_openapi::api::core::v1::Namespace;

    use super::*;

    #[test]
    fn clients_without_a_cluster_need_no_runtime() {
        assert_eq!(Client::offline().default_namespace(), "default");
    }

    #[tokio::test]
    async fn requests_without_a_cluster_fail() {
        let error = Client::offline().resources::<Namespace>().get("a").await.unwrap_err().to_string();
        assert!(error.starts_with("cannot get Namespace `a`: no response from the API server"), "{error}");
    }
}
