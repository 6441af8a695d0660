//! Controllers: reconcile functions, and a manager that runs them.
//!
//! A controller brings the cluster to the state that the objects of a kind describe. You write the function that does so
//! for one object. The rest is the controller's: it watches the object and what it owns, calls the function when something
//! changes, retries failures, applies owned objects, writes the status, and cleans up before a deletion.
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema, k8s_openapi::api::core::v1::{ConfigMap, Pod}};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "infra.example.com", version = "v1", kind = "VirtualMachine", namespaced, status = "VirtualMachineStatus")]
//! # pub struct VirtualMachineSpec { image: String }
//! # #[derive(KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug, Default)]
//! # pub struct VirtualMachineStatus { phase: String }
//! # fn machine(_: &VirtualMachine) -> Pod { Pod::default() }
//! use std::sync::Arc;
//!
//! use crdkit::{
//!     controller::{Action, Context, Controller, Error, Event, Manager},
//!     informer::CacheObject,
//! };
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let client = crdkit::Client::try_default().await?.field_manager("vm-operator");
//!     Manager::new(client)
//!         .leader_election("vm-operator")
//!         .add(
//!             Controller::of::<VirtualMachine>()
//!                 .owns::<Pod>()
//!                 .watches::<ConfigMap>(|config| config.owners_of_kind::<VirtualMachine>())
//!                 .finalizer("infra.example.com/machines", clean_up)
//!                 .concurrency(8)
//!                 .reconcile(reconcile),
//!         )
//!         .run() // until SIGTERM or SIGINT
//!         .await?;
//!     Ok(())
//! }
//!
//! async fn reconcile(vm: Arc<VirtualMachine>, cx: Context<VirtualMachine>) -> Result<Action, Error> {
//!     cx.apply_owned(&vm, [machine(&vm)]).await?; // with owner and field manager; others are deleted
//!     let pods = cx.owned::<Pod>(&vm); // from the cache
//!     cx.event(&vm, Event::normal("Started", "the machine runs")); // in the background
//!     cx.status(&vm).update(|status| status.phase = format!("{} machines", pods.len()));
//!     Ok(Action::Done)
//! }
//!
//! async fn clean_up(vm: Arc<VirtualMachine>, _: Context<VirtualMachine>) -> Result<Action, Error> {
//!     println!("releasing the disks of {}", vm.name());
//!     Ok(Action::Done)
//! }
//! ```
//!
//! # Guarantees
//!
//! - At most one reconciliation of an object runs at a time, and each change is followed by one that sees it.
//! - A reconciliation starts after the caches contain what the earlier ones of the same object
//!   [wrote](ControllerBuilder::own_writes_timeout), so that it does not create what exists.
//! - An error, a panic or a [timeout](ControllerBuilder::timeout) delays the next attempt for the object, and no other
//!   object. A [`terminal`] error is not retried.
//! - The status is written [once](Status::update) for each reconciliation, and not at all if nothing changed.
//! - An object with a [finalizer](ControllerBuilder::finalizer) is not reconciled before it has the finalizer, and not
//!   removed before its clean-up succeeded.

mod apply_owned;
mod builder;
mod caches;
mod context;
mod error;
mod events;
mod fence;
mod finalizers;
mod kind;
mod leader_election;
mod manager;
mod metrics;
mod own_writes;
mod status;
mod worker;

pub use crate::informer::{Action, ObjectKey};
pub use apply_owned::{ApplyOwned, ApplyOwnedError};
pub use builder::{Controller, ControllerBuilder};
pub use context::Context;
pub use error::{Error, TerminalError, terminal};
pub use events::Event;
pub use kind::StaticKind;
pub use leader_election::LeaderElection;
pub use manager::{Manager, ManagerError, ManagerHandle};
pub use metrics::ControllerMetrics;
pub use status::{Status, StatusUpdate};
