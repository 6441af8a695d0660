//! API servers for the tests: a real Kubernetes API server, the one in the process, and one that injects faults.
//!
//! ```no_run
//! # async fn example(crd: serde_json::Value) {
//! use crdkit_tests::ControlPlane;
//!
//! let Some(plane) = ControlPlane::shared() else { return };
//! let verdict = plane.dry_run(&crd).await;
//! assert!(verdict.accepted, "{verdict}");
//! # }
//! ```

pub mod apiserver;
mod connection;
mod control_plane;
pub mod faults;
mod files;
mod forwarder;
mod install;
mod observed;
mod program;
mod request;
mod restore_order;
pub mod server;
pub mod server_data;
pub mod tls;
pub mod topology;
mod verdict;
mod webhook;

use std::hash::{BuildHasher, RandomState};

pub use control_plane::{ControlPlane, announce};
pub use crdkit_api_server::ControlPlaneBackup as Backup;
pub use crdkit_oracles::{case_count, number, seeds};
pub use files::{definitions_below, files_below, go_module};
pub use forwarder::Forwarder;
pub use observed::observed;
pub use program::{Program, find_kubectl};
pub use request::{Answer, PROTOBUF, Request, YAML};
pub use restore_order::RestoreOrder;
pub use verdict::{Cause, Verdict};
pub use webhook::{Webhook, WebhookAnswer};

/// An API group that no other test uses.
pub fn unique_group() -> String {
    let random = RandomState::new().hash_one(std::process::id());
    format!("t{random:016x}.example.com")
}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
