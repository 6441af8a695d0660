//! Typed clients: a resource's type determines which operations are available.
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
//! [`Client`] is a connection to a cluster. [`Resources`] is a handle to the objects of one kind in one [`scope`]. For
//! a namespaced kind, choose a namespace before you name an object; a cluster-scoped kind needs none.
#![doc = include_str!("client/limits.md")]
#![doc = include_str!("client/comparison.md")]

mod apply;
mod approval;
pub(crate) mod backoff_formula;
pub(crate) mod body;
mod call;
pub(crate) mod connection;
mod create;
pub(crate) mod deadline;
pub(crate) mod decode;
mod delete;
pub mod discovery;
pub mod dynamic;
pub(crate) mod endpoint;
pub(crate) mod error;
pub(crate) mod error_chain;
pub(crate) mod field_selector;
pub(crate) mod finalizers;
mod get;
pub(crate) mod group;
mod gvk;
pub mod install;
mod json_patch;
pub(crate) mod kubeconfig;
mod kubernetes;
mod last_read;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod managed_fields;
pub(crate) mod merge_patch;
mod metadata;
#[cfg(test)]
mod mock;
pub(crate) mod response_kind;
pub(crate) mod sealed;
#[macro_use]
mod options;
pub(crate) mod endless_list;
mod error_response;
pub(crate) mod handle;
mod owners;
mod patch;
pub(crate) mod plan;
mod pods;
mod read_only;
pub(crate) mod request;
pub(crate) mod request_counts;
mod request_future;
mod resources;
pub(crate) mod retry;
mod scale;
pub mod scheme;
pub mod scope;
pub mod selector;
mod send;
mod status;
pub mod storage_migration;
mod tokens;
mod update;
pub(crate) mod wait;
mod warnings;
pub(crate) mod watch;
pub(crate) mod write_hook;

pub use delete::{Delete, DeleteCollection, Deleted, Propagation};
pub use error::{
    ApplyError, ClientOperation, ConfigError, ConnectError, DeleteError, Error, EvictError, FieldConflict, JsonError,
    KubeError, Mismatch, OwnerError, PolicyRule, StatusCause, StatusError, TimeoutPhase, Undecodable, UpdateError,
    WaitUntilError, YamlError,
};
pub use finalizers::Finalizers;
pub use limits::{Limit, Limits};
pub use list::{List, ListRequest};
pub use metadata::MetadataClient;
pub use options::FieldValidation;
pub use owners::{
    OwnedScope, OwnerScope, owner_reference, owner_reference_dyn, set_controller_reference,
    set_controller_reference_dyn, set_owner_reference, set_owner_reference_dyn,
};
pub use patch::Patch;
pub use pods::{Evict, LogLines, LogRequest};
pub use read_only::ReadOnlyResources;
pub use request::Verb;
pub use request_future::RequestFuture;
pub use resources::{Object, Resources};
pub use scale::ScaleClient;
pub use status::StatusClient;
pub use update::{Mutation, OperationResult};
pub use wait::{Met, WaitUntil, WaitUntilDeleted};
pub use warnings::ServerWarning;
pub use watch::{Watch, WatchEvent, WatchRequest};

// Its documentation stands at the root only.
#[doc(no_inline)]
pub use crate::Client;
