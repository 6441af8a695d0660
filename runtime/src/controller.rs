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
//!     controller::{Action, Context, Controller, Error, ObjectEvent, ExitStatus, Manager, ServeOptions},
//!     informer::CacheObject,
//! };
//!
//! #[tokio::main]
//! async fn main() -> Result<ExitStatus, Error> {
//!     let client = crdkit::Client::try_default().await?.field_manager("vm-operator");
//!     let ended = Manager::new(client)
//!         .leader_election("vm-operator")
//!         .serve(ServeOptions::from_env()) // /healthz /readyz /metrics
//!         .add(
//!             Controller::of::<VirtualMachine>()
//!                 .owns::<Pod>()
//!                 .watches::<ConfigMap>(|config| config.owners_of_kind::<VirtualMachine>())
//!                 .finalizer("infra.example.com/machines", clean_up)
//!                 .concurrency(8)
//!                 .reconcile(reconcile),
//!         )
//!         .run() // until SIGTERM or SIGINT, and until running reconciliations are complete
//!         .await;
//!     Ok(ended.into()) // with an exit code that identifies the reason
//! }
//!
//! async fn reconcile(vm: Arc<VirtualMachine>, cx: Context<VirtualMachine>) -> Result<Action, Error> {
//!     cx.apply_owned(&vm, [machine(&vm)]).await?; // with owner and field manager; others are deleted
//!     let pods = cx.owned::<Pod>(&vm); // from the cache
//!     cx.event(&vm, ObjectEvent::normal("Started", "the machine runs")); // in the background
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
//! - The first reconciliations of a new leader, and of a replica that has acquired a shard, start after the caches contain what
//!   others wrote before: [what that costs](#a-new-leader).
//! - An error, a panic or a [timeout](ControllerBuilder::timeout) delays the next attempt for the object, and no other
//!   object. A [`terminal`] error is not retried.
//! - After a shutdown begins, no reconciliation starts, and running ones [complete](ControllerBuilder::drain_timeout).
//! - What a controller [applied](Context::apply_owned) and no run applies any more is deleted, also after a restart and by later versions
//!   of the program. Objects of others are kept.
//! - What owner references cannot reach is in an [inventory](ControllerBuilder::inventory) before it is applied and until it is gone, so
//!   that a crash orphans nothing, and is deleted before its owner.
//! - The status is written [once](Status::update) for each reconciliation, and not at all if nothing changed.
//! - An object with a [finalizer](ControllerBuilder::finalizer) is not reconciled before it has the finalizer, and not
//!   removed before its clean-up succeeded. It is cleaned up also if a [selection](ControllerBuilder::select) or a
//!   [filter](ControllerBuilder::filter) does not include it any longer.
//!
//! # Order
//!
//! Objects that changed are reconciled before those of an initial list or a resync. Within both, namespaces take turns, so that
//! one with many changes does not delay the others. Each fifth reconciliation is that of the object that has waited longest, so no
//! stream of changes, requeues and failures delays an object by [more than five times](crate::informer::Queue#order) FIFO order.
//!
//! Only [retries](ControllerBuilder::backoff) are delayed by a rate: each object after a delay that grows with its failures, and
//! all objects together by ten retries a second after a burst of 100, but [none longer](crate::informer::Backoff#the-limit-over-all-keys)
//! than 5 minutes. Changes and requeues are never delayed by a rate: [`concurrency`](ControllerBuilder::concurrency) limits them.
//!
//! # Namespaces
//!
//! [`Manager::namespaces`] limits all controllers, what they watch and the roles to some namespaces, and
//! [`ManagerHandle::set_namespaces`] changes these while the manager runs. [`Manager::namespaces_with_labels`] follows those with
//! certain labels.
//!
//! A controller of [several namespaces](crate::informer::InformerBuilder::namespaces) continues with the others if one is deleted,
//! forbidden or does not exist yet, also after a restart. It is [reported](ServeOptions), and its objects are reconciled once all
//! informers of the controller have listed it.
//!
//! So does a controller of one namespace, unless it is restarted meanwhile: then the manager does not start, because it cannot tell a
//! namespace that is lost from roles that were never applied.
//!
//! If a reconciliation cannot create an object because its namespace is being deleted, that is no failure: the object is
//! reconciled again when it is deleted with the namespace. If that is another namespace than its own, it is reconciled again after
//! 30 s; once that namespace is gone, it is a failure, as for one that never existed. A clean-up that needs such an object fails, because the namespace waits for it.
//!
//! # Several clusters
//!
//! [`Clusters`] runs the same controllers in other clusters too, each with a manager of its own, so that one that fails delays no other.
//!
//! # Loops
//!
//! A reconcile function that writes something else each time, such as the current time, causes its own next call. When the own
//! writes of an object's reconciliations have caused ten further ones in a row that change the same fields again, without a change by
//! anybody else, this is logged once as a warning with these fields, and [counted](ControllerMetrics::loops). If they create or delete
//! other objects each time, it takes a hundred. It is logged again only after the loop ended or the object, or one that it depends on,
//! was changed by somebody else. Writes after a delay that the function [requested](Action::requeue) are no loop.
//!
//! # Shards
//!
//! [`Manager::shards`] divides the objects of all controllers between replicas, for fleets that outgrow one process. There is no
//! leader. An object's shard is determined by the hash of its uid, which API servers compute as well: with the feature gate
//! `ShardedListAndWatch` (Kubernetes 1.36 and newer), they send each replica only its objects, so that network and memory of a
//! replica are in inverse proportion to the number of replicas. Other API servers send all objects, of which a replica decodes
//! and keeps only its own.
//!
//! - The objects that a controller [owns](ControllerBuilder::owns) are in the shard of their owner. They have other uids, so the API
//!   server sends all of them; a replica keeps those whose controller is in its shards, and those whose controller is of
//!   another kind or that have none.
//! - Objects that a controller [watches](ControllerBuilder::watches) or [reads](ControllerBuilder::reads) are not divided.
//!   Each replica has all of them, so select what it needs.
//! - The replicas have the same number of shards each, but for one. When a replica joins or leaves, shards move one by one: no
//!   reconciliation of the shard starts, running ones complete within 20 s, and then another replica may acquire it. When a
//!   replica crashes, others acquire its shards once its lease has expired, after 15 s.
//! - The [client of a context](Context::client) refuses to write with [`Error::NotLeader`](crate::client::Error::NotLeader) once the
//!   replica does not hold the shard, or cannot renew its lease: [what this guarantees](#fencing).
//! - After a replica has acquired a shard and listed its objects and what they own, it reconciles all of them.
//!
//! The leases of the group `vm-operator` are `vm-operator-member-…`, one for each replica, and `vm-operator-shard-0` and so on,
//! whose holders `kubectl get leases` shows. Only the first are renewed.
//!
//! # Fencing
//!
//! With [leader election](Manager::leader_election) or shards, a client writes until a deadline by the local monotonic clock: the
//! last renewal of the lease, as of the time when its request was sent, plus the renew deadline, 10 s. Others take over no
//! earlier than the lease duration after it, 15 s.
//!
//! - The deadline is checked immediately before a write is sent, retries included. A write that waits for a connection or for its
//!   response is cancelled at the deadline.
//! - So each write reaches the kernel's socket before the deadline, and the API server has 5 s to receive it before another
//!   process writes: with the defaults, at most one process writes at any time.
//! - The exception is a process that is stopped after the check and before the socket, by a signal or by its machine, for longer than
//!   those 5 s: after it continues, it sends that one request on each connection, and then refuses. So may a request that the network
//!   delays for longer. The API server does not know leases, and applies it. An [update](crate::client::Resources::update) or a
//!   [replacement](crate::client::Resources::replace) that arrives too late fails with a conflict if the new owner has written the object,
//!   because it has the resourceVersion; patches, applies, creations and deletions have none.
//! - The monotonic clock of Linux does not advance while the machine is suspended. A machine that wakes up later than the lease
//!   duration can write until its deadline, like a process that was stopped.
//!
//! - Leases that others delete, edit or restore from a backup change nothing of that: a process that has read a Lease before waits the
//!   lease duration out, from when it has seen the change, unless the holder has released it. The holder stops when it sees another
//!   holder, or at its deadline; it writes a Lease again that is gone or has no holder. A replica that cannot read the Leases of its
//!   shards for the renew deadline stops writing, too. The exception is a process that starts after a Lease was deleted: nothing shows it
//!   the holder, who stops at its next renewal. A wait for a holder that there may have been would delay each first start by the lease
//!   duration. client-go does not wait either.
//!
//! # A new leader
//!
//! The caches of a standby may lag behind what the last leader wrote, and would make a reconcile function create it again. So a
//! manager that becomes the leader, or acquires a shard, first requests the newest resourceVersion of each kind that a
//! controller caches, by a list of one object. A cache that has not reached it is brought up to date by a watch of three seconds,
//! which has a bookmark after one, also if nothing changes, or by a list, if that does not help. Kinds and namespaces that the API
//! server refuses are not waited for.
//!
//! # Owned objects
//!
//! | the owner is | and what it owns is | by |
//! |---|---|---|
//! | cluster-scoped | anywhere | owner references: [`owns`](ControllerBuilder::owns), [`apply_owned`](Context::apply_owned) |
//! | namespaced | in its namespace | the same |
//! | namespaced | in other namespaces, or cluster-scoped | an [inventory](InventoryStore) and a finalizer: [`inventory`](ControllerBuilder::inventory), [`owns_by_inventory`](ControllerBuilder::owns_by_inventory), [`apply_by_inventory`](Context::apply_by_inventory) |
//!
//! The garbage collector deletes what owner references lead to, after the owner. The controller deletes what an inventory has, before the
//! owner. [`Manager::plan`] shows what would be applied and deleted.
//!
//! # Permissions
//!
//! A manager has the roles of its program as data: [`Manager::rbac`]. At the start, it [checks](Manager#preflight) whether the cluster
//! serves the kinds and grants the permissions.
//!
//! # Traces
//!
//! Each reconciliation has a `tracing` span `reconcile` at the level `INFO` with the fields `controller`, `kind`, `namespace`, `name`,
//! `reconcile_id`, `trigger`, `attempt` and `result`. An attempt greater than 1 is a retry. The trigger is what added the object to the
//! queue:
//!
//! | `trigger` | |
//! |---|---|
//! | `change` | the object changed |
//! | `owned`, `watched` | an object that it owns or depends on changed, of the resource `trigger_resource` |
//! | `first_list`, `resync` | the object was listed at the start, or repeated by a resync |
//! | `requeue` | the function [requested](Action::requeue) it |
//! | `retry` | the last attempt failed |
//! | `added` | a [trigger](ControllerBuilder::trigger) added it |
//!
//! The result is known at the end: `success`, `requeue` and `requeue_after` (the function [requested](Action::requeue) another
//! reconciliation, at once or later), `error`, `terminal_error`, `panic`, or `postponed` until the cache has the controller's own writes.
//! `otel.status_code` is then `ERROR` if it failed, and the event `reconciliation failed` in the span has the error.
//!
//! The spans `HTTP` of the client's requests, at the level `DEBUG`, are children of the reconciliation that sends them. The program
//! [`telemetry`](https://github.com/crdkit/crdkit/tree/main/examples/telemetry) sends all of them as traces of OpenTelemetry, and
//! serves profiles.
//!
//! # Time
//!
//! [`Context::now`] is the time, and [`Context::requeue_at`] the action for a later one. The page `schedules` (feature `cron`) has a
//! controller that runs Jobs as CronJobs do, and tests in which days pass in seconds.
//!
//! # In production
//!
//! [`blocking`] lists what keeps the threads of a runtime and costs the lease. [`foreign_apis`] keeps the limit of another API over all
//! objects.
//!
//! # Coming from elsewhere
//!
//! [`kube_runtime`] and [`controller_runtime`] compare crdkit with kube-runtime's `Controller` and with controller-runtime. A
//! reconcile function that was written for kube-runtime runs with [`kube_reconciler`].

mod access;
mod apply_owned;
pub mod blocking;
mod builder;
mod caches;
mod client;
mod clusters;
mod condition_text;
mod context;
#[doc(alias("Go", "kubebuilder", "operator-sdk"))]
pub mod controller_runtime;
mod create_owned;
mod error;
mod events;
mod exit_status;
mod failures;
mod finalizers;
#[doc(alias("rate limit", "quota"))]
pub mod foreign_apis;
mod health;
mod inventory;
mod kind;
mod kube_reconciler;
pub mod kube_runtime;
mod leader_election;
mod manager;
pub(crate) mod metrics;
mod monitor;
mod namespace_end;
mod own_writes;
mod pause;
mod permissions;
mod plan;
mod preflight;
mod rbac;
mod reconcile_loops;
mod reconcile_requests;
mod references;
mod requirements;
#[cfg(feature = "cron")]
pub mod schedules;
mod serve;
mod shards;
mod signals;
mod span;
mod status;
mod status_fields;
mod steering;
mod tasks;
mod triggers;
mod worker;
mod write_fence;

pub use crate::informer::{Action, ObjectKey};
pub use access::Access;
pub use apply_owned::{APPLIED_BY_ANNOTATION, ApplyOwned, ApplyOwnedError, NotReady, Readiness};
pub use builder::{Controller, ControllerBuilder};
pub use clusters::Clusters;
pub use context::Context;
pub use error::{Error, RetryAfterError, TerminalError, retry_after, terminal};
pub use events::ObjectEvent;
pub use exit_status::ExitStatus;
pub use health::{HealthCheck, HealthReport};
pub use inventory::{INVENTORY_OF_ANNOTATION, InventoryStore};
pub use kind::{ReconciledKind, StaticKind};
pub use kube_reconciler::kube_reconciler;
pub use leader_election::LeaderElection;
pub use manager::{AddControllerError, Manager, ManagerError, ManagerHandle, PlanRequest, SettingsError};
pub use metrics::ControllerMetrics;
pub use plan::{Plan, PlanError, PlannedRun, PlannedWrite};
pub use preflight::{PreflightError, PreflightProblem};
pub use rbac::Rbac;
pub use references::Referred;
#[cfg(feature = "webhook")]
pub use serve::SecureMetrics;
pub use serve::{ServeAddresses, ServeError, ServeOptions};
pub use status::{Status, StatusUpdate};
pub use tasks::{Task, TaskContext};
pub use triggers::{TriggerItem, TriggeredKeys};
