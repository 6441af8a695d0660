//! In-process caches of the objects of a kind, which watches keep up to date.
//!
//! A program that polls the API server sees changes late and loads the API server. An informer lists all objects once
//! and then watches them for changes. Reading from its cache costs no request, and any number of subscribers receive
//! its events.
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
//!     .namespaces(["prod", "staging"]) // without this line: all namespaces
//!     .labels("tier=web")
//!     .index(&by_image)
//!     .start();
//! vms.synced().await?;
//!
//! let vm: Option<Arc<VirtualMachine>> = vms.lister().namespace("prod").get("web");
//! let same: Vec<Arc<VirtualMachine>> = vms.lister().by(&by_image, "debian:13");
//!
//! let mut events = vms.subscribe(); // the current objects, then every change; subscribe at any time, as often as you like
//! while let Some(event) = events.next().await {
//!     match event {
//!         Event::Added(vm) => println!("added: {}", vm.spec.image),
//!         Event::Updated { old, new } => println!("updated: {} -> {}", old.spec.image, new.spec.image),
//!         Event::Deleted(vm) => println!("deleted: {}", vm.spec.image),
//!         Event::Synced => println!("initial list complete"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | type | purpose |
//! |---|---|
//! | [`Informers`] | creates informers and shares one informer between all callers with the same selection |
//! | [`InformerBuilder`] | selects the objects, their [form](Compact), the [indexes](Index) and the [timeouts](Timeouts) |
//! | [`Informer`] | hands out listers, subscriptions and queues; runs until the last of them is dropped |
//! | [`Lister`], [`Snapshot`], [`Query`] | read objects: by name, namespace, label, owner or any [`Index`] |
//! | [`Subscription`], [`Lossless`] | deliver [events](Event), optionally through a [`Filter`] |
//! | [`Reconciler`], [`Queue`] | reconcile objects, and retry them after failures |
//! | [`Health`], [`Problem`] | report the state of the watches and their errors |
//!
//! [`walk`] follows one event from the API server's bytes to the reconciler: the cost of each part, its failure modes,
//! and its guarantees. [`migration`] covers moving from `kube::runtime`, client-go or controller-runtime.
//!
//! Metrics are emitted through `tracing` with the target `crdkit::metrics` at the level `TRACE`, in the field format
//! that layers such as the one of `tracing-opentelemetry` turn into metrics.

mod builder;
mod cache;
mod cache_object;
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
mod one_line;
mod panics;
pub(crate) mod places;
pub(crate) mod queue;
mod reconciler;
mod reflector;
mod reporter;
mod runner;
mod running;
mod selection_filter;
mod selectors;
pub(crate) mod sharding;
mod shared;
mod shutdown_signal;
mod store;
mod stored_object;
mod sync;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
mod timeouts;
mod undecodable;
pub mod walk;

pub use builder::InformerBuilder;
pub use cache_object::{CacheObject, Owner};
pub use compact::{Compact, UndecodablePart};
pub use error::{Problem, Problems, WatchError};
pub use event::Event;
pub use events::{Filter, Lossless, Overflow, Subscription};
pub use factory::Informers;
pub use handle::{Informer, RefusedWatch, SyncError, WaitError};
pub use health::{Executor, Health, WatchHealth, WatchState};
pub(crate) use one_line::OneLine;
pub use panics::PanicMessage;
pub(crate) use queue::Attempt;
pub use queue::{Action, Backoff, DrainTimedOut, ObjectKey, Queue, QueueMetrics, StaticScope, WorkItem};
pub use reconciler::{Reconciler, RunError, UnsyncedWatch};
pub use shutdown_signal::shutdown_signal;
pub use store::{Frozen, Index, InvalidLabelQuery, LabelQuery, Lister, Live, NamespaceLister, Query, Snapshot};
pub use timeouts::Timeouts;
pub use undecodable::UndecodableObject;

pub use crate::metrics::durations::DurationStats;
