//! Typed clients: what a resource can do stands in its type.
//!
//! ```no_run
//! # use k8s_openapi::api::core::v1::{ConfigMap, Node};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = crdkit::Client::try_default().await?.field_manager("example");
//!
//! let configs = client.resources::<ConfigMap>().namespace("default");
//! let config = configs.get("web").await?;
//! configs
//!     .update("web", |config| {
//!         config.data.get_or_insert_default().insert("size".into(), "2".into());
//!     })
//!     .await?;
//!
//! let nodes = client.resources::<Node>().list().labels("kubernetes.io/os=linux").await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Client`] is the way to a cluster, and [`Resources`] are the objects of one kind in one [`scope`]. A kind in
//! namespaces needs one before its objects can be named; a kind of the cluster has none to choose.
#![doc = include_str!("client/limits.md")]
#![doc = include_str!("client/comparison.md")]

mod apply;
pub(crate) mod body;
mod call;
mod connection;
mod create;
pub(crate) mod deadline;
pub(crate) mod decode;
mod delete;
pub mod discovery;
pub mod dynamic;
pub(crate) mod endpoint;
pub mod error;
pub(crate) mod expected;
mod finalizers;
mod get;
pub(crate) mod group;
mod gvk;
pub mod install;
mod json_patch;
mod kubernetes;
pub(crate) mod limits;
mod list;
mod merge_patch;
mod metadata;
#[cfg(test)]
mod mock;
#[macro_use]
mod options;
mod owners;
pub(crate) mod paging;
mod patch;
mod refused;
pub(crate) mod request;
mod request_future;
mod resources;
pub(crate) mod retry;
mod scale;
pub mod scheme;
pub mod scope;
pub mod selector;
mod send;
mod status;
mod update;
pub(crate) mod watch;

use std::sync::Arc;

use kube::Config;

pub use apply::{Apply, Unchecked};
use connection::Connection;
pub use delete::{Delete, DeleteCollection, Deleted, Propagation};
pub use discovery::{Discovery, DiscoveryError, GroupVersionResource};
pub use dynamic::{Dynamic, Unstructured};
pub use error::{ApplyError, ConnectError, DeleteError, Error, OwnerError, UpdateError};
pub use finalizers::Finalizers;
pub use install::{Install, InstallError};
pub use limits::{Limit, Limits};
pub use list::{List, ListRequest};
pub use metadata::Metadata;
pub use options::FieldValidation;
use options::Options;
pub use owners::{
    OwnedScope, OwnerScope, owner_reference, owner_reference_with, set_controller,
    set_controller_with, set_owner, set_owner_with,
};
pub use patch::Patch;
pub use request_future::RequestFuture;
pub use resources::{Object, Resources};
pub use scale::ScaleClient;
pub use scheme::Scheme;
pub use selector::{FieldSelector, InvalidLabel, Labels};
pub use status::StatusClient;
pub use update::{Mutation, OperationResult};
pub use watch::{Event, Watch, WatchRequest};

/// The way to a cluster, and how requests are made unless a handle says otherwise.
///
/// Clones share connections.
#[derive(Clone)]
pub struct Client {
    connection: Arc<Connection>,
    options: Options,
}

impl Client {
    /// The client of the current kubeconfig context, or of the pod that it runs in.
    ///
    /// # Errors
    ///
    /// If there is no configuration, or no client can be made from it, or there is no runtime of tokio.
    pub async fn try_default() -> Result<Self, ConnectError> {
        Self::try_from(Config::infer().await?)
    }

    /// The objects of a kind.
    pub fn resources<K>(&self) -> Resources<K>
    where
        K: kube_core::Resource<DynamicType = ()>,
    {
        self.resources_with(())
    }

    /// The objects of a kind that is known at run time.
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

    /// The namespace of the context: of the kubeconfig's, of the pod's, or `default`.
    pub fn default_namespace(&self) -> &str {
        self.connection.kube.default_namespace()
    }

    /// The configuration that the client was made from; `None` if it was made from kube's client.
    pub fn config(&self) -> Option<&Config> {
        self.connection.config.as_deref()
    }

    /// Kube's client on the same connections. It tries requests again as kube does, whatever the options, and has neither their
    /// deadlines nor their limits.
    pub fn kube(&self) -> &kube::Client {
        &self.connection.kube
    }

    /// The same client on other connections, for requests that last: they speak HTTP/2 where the server does, and notice that
    /// it is gone. Credentials are shared. The connections belong to the runtime that this is called in. `None` if the
    /// configuration is not known.
    #[cfg(feature = "informer")]
    pub(crate) fn for_watches(&self) -> Option<Result<Self, ConnectError>> {
        let connection = self.connection.for_watches()?;
        Some(connection.map(|connection| Self {
            connection: Arc::new(connection),
            options: self.options.clone(),
        }))
    }

    /// A client on the connections of this one that makes requests as another does.
    #[cfg(feature = "informer")]
    pub(crate) fn with_options_of(&self, other: &Self) -> Self {
        Self {
            connection: self.connection.clone(),
            options: other.options.clone(),
        }
    }

    /// What all clients on the same connections share.
    #[cfg(feature = "informer")]
    pub(crate) fn shared(&self) -> &connection::Shared {
        &self.connection.shared
    }

    option_methods!();
}

/// How an answer of 429, 503 or 504 is dealt with is up to kube's client: this one does not try again by itself.
/// [`Client::max_retries`] changes that. Deadlines and limits are those of every client.
///
/// Connections are kube's, which has neither TCP keep-alive nor a limit on what is not acknowledged: one that dies without a
/// word is used on, and each request on it takes its whole [`timeout`](Client::timeout), until the operating system gives it
/// up after many minutes. Informers share these connections and the caller's runtime, and do not speak HTTP/2. A token that
/// is refused is not made again before its time. Where that matters, make the client from the same [`Config`] instead; kube's
/// client on its connections is [`Client::kube`].
impl From<kube::Client> for Client {
    fn from(kube: kube::Client) -> Self {
        Self {
            connection: Arc::new(Connection::of_kube(kube)),
            options: Options::default(),
        }
        .max_retries(0)
    }
}

/// The client tries requests again unless `default_retry` of the configuration is off. It has to be made in a runtime of tokio:
/// elsewhere this is [`ConnectError::NoRuntime`].
///
/// Credentials may change while the client is in use. A credential plugin (`exec`) runs once, in here, and again before its
/// token expires, and when its token is refused; a token in a file is read again after 50 s, and when it is refused; in a pod the
/// authorities that are trusted are read again about every minute. Certificates are read once, in here, also those that a plugin
/// makes: after a renewal make another client ([`valid_until`](kube::Client::valid_until) of [`Client::kube`] is the time of a
/// plugin's). When the old one has expired, servers refuse new connections, which is [`Error::Transport`] with the alert of TLS,
/// or answer 401, which is [`Error::Unauthorized`].
impl TryFrom<Config> for Client {
    type Error = ConnectError;

    fn try_from(config: Config) -> Result<Self, Self::Error> {
        let tries_again = config.default_retry;
        let client = Self {
            connection: Arc::new(Connection::of_config(config)?),
            options: Options::default(),
        };
        Ok(match tries_again {
            true => client,
            false => client.max_retries(0),
        })
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
