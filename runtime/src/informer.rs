//! Informers: a copy of the objects of a kind in this process, kept up to date by a watch.
//!
//! A program that asks the API server again and again what there is learns of changes late, and loads the API server. An
//! informer reads all objects once and is told what happens to them from then on. Reading from it costs no request, and
//! whoever wants to know what changes is told.
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # use serde::{Deserialize, Serialize};
//! # /// Machines.
//! # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! # #[crd(group = "infra.example.com", version = "v1", kind = "VirtualMachine", namespaced)]
//! # pub struct VirtualMachineSpec { image: String }
//! use std::sync::Arc;
//!
//! use crdkit::informer::{Event, Index, Informers};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let informers = Informers::new(crdkit::Client::try_default().await?);
//! let by_image = Index::new("image", |vm: &VirtualMachine| [vm.spec.image.clone()]);
//! let vms = informers
//!     .of::<VirtualMachine>()
//!     .namespaces(["prod", "staging"]) // all, if none is named
//!     .labels("tier=web")
//!     .index(&by_image)
//!     .start();
//! vms.synced().await?;
//!
//! let vm: Option<Arc<VirtualMachine>> = vms.lister().namespace("prod").get("web");
//! let same: Vec<Arc<VirtualMachine>> = vms.lister().by(&by_image, "debian:13");
//!
//! let mut events = vms.subscribe(); // all that there is, then every change; at any time, any number
//! while let Some(event) = events.next().await {
//!     match event {
//!         Event::Added(vm) => println!("there is one of {}", vm.spec.image),
//!         Event::Updated { old, new } => println!("{} becomes {}", old.spec.image, new.spec.image),
//!         Event::Deleted(vm) => println!("one of {} is gone", vm.spec.image),
//!         Event::Synced => println!("those are all"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | part | what it is for |
//! |---|---|
//! | [`Informers`] | makes informers: one for each selection of objects, however many ask |
//! | [`InformerBuilder`] | says which objects, in which [form](Compact), with which [indexes](Index) and [times](Timeouts) |
//! | [`Informer`] | hands out what follows, and works until the last of them is dropped |
//! | [`Lister`], [`Snapshot`], [`Query`] | read objects: by name, namespace, label, owner or any [`Index`] |
//! | [`Subscription`], [`Lossless`] | tell what happens, as [events](Event), all or those that a [`Filter`] lets through |
//! | [`Work`], [`Queue`] | reconcile objects, each in turn, and again after failures |
//! | [`Health`], [`Problem`] | say how well it works, and what goes wrong |
//!
//! [`walk`] goes with one event from the API server's bytes to the reconciler: what each part costs, what can go wrong in it,
//! and what is promised. [`migration`] is for who comes from `kube::runtime`, client-go or controller-runtime.
//!
//! Counts and sizes are told to `tracing` with the target `crdkit::metrics` and at the level `TRACE`, in the form of which
//! layers such as that of `tracing-opentelemetry` make metrics.

mod builder;
mod cache;
mod cached;
mod compact;
mod current_problems;
mod decode;
mod error;
mod event;
mod events;
mod factory;
mod handle;
mod health;
#[doc(alias("EventRecorder", "Recorder", "leader election"))]
pub mod migration;
mod panics;
mod queue;
mod reflector;
mod reporter;
mod runner;
mod shared;
mod shutdown_signal;
mod store;
mod sync;
#[cfg(all(test, not(crdkit_loom)))]
mod tests;
pub(crate) mod threads;
mod timeouts;
mod unreadable;
pub mod walk;
mod work;

pub use builder::InformerBuilder;
pub use cached::{CacheObject, Owner};
pub use compact::{Compact, Unreadable};
pub use error::{Problem, Problems, WatchError};
pub use event::Event;
pub use events::{Filter, Lossless, Overflow, Subscription};
pub use factory::Informers;
pub use handle::{Informer, RefusedWatch, SyncError, WaitError};
pub use health::{Executor, Health, WatchHealth, WatchState};
pub use panics::PanicMessage;
pub use queue::{
    Action, Backoff, DurationStats, ObjectKey, OwnerScope, Queue, QueueMetrics, Undrained, WorkItem,
};
pub use shutdown_signal::shutdown_signal;
pub use store::{
    Frozen, Index, InvalidLabelQuery, LabelQuery, Lister, Live, NamespaceLister, Query, Snapshot,
};
pub use timeouts::Timeouts;
pub use unreadable::UnreadableObject;
pub use work::{RunError, UnsyncedWatch, Work};
