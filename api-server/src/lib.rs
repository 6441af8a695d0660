#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod apply;
mod authorization;
mod builtin;
mod clock;
mod components;
#[cfg(all(feature = "control-plane", unix))]
mod control_plane;
mod controllers;
mod conversion;
mod decode;
mod defaults;
mod definitions;
mod delete;
mod discovery;
mod documents;
mod draft;
mod failure;
mod faults;
mod go_types;
mod health;
mod hooks;
mod http_service;
mod internal;
mod journal;
mod json_path;
mod json_text;
mod kinds;
mod lifecycle;
mod list;
mod managed_fields;
mod metadata;
mod metadata_validation;
mod negotiation;
mod new_cluster;
mod object_name;
mod objects;
mod observed_requests;
mod open_watches;
mod openapi;
mod options;
mod patch;
mod port;
#[cfg(feature = "program")]
#[doc(hidden)]
pub mod program;
mod projection;
#[cfg(feature = "protobuf")]
mod protobuf;
mod read;
mod request;
mod resolve;
mod resource;
mod resources;
mod response;
mod route;
mod scale;
mod selection;
mod selector;
mod server;
mod snapshot;
mod stages;
mod state;
mod store;
mod strategy;
mod subresources;
mod table;
mod time;
mod tokens;
mod types;
mod user;
mod validation;
mod value;
mod verbs;
mod wait;
mod watch;
mod webhook_calls;
mod websocket;
mod write;

#[cfg(any(doc, doctest))]
pub mod guide {
    //! How to test an operator, from a single function to a real API server.
    //!
    #![doc = include_str!("guide.md")]
    //!
    //! ```no_run
    //! # #[cfg(all(feature = "control-plane", unix))]
    //! # mod end_to_end {
    //! # /*
    //! #[tokio::test]
    //! # */
    // A test of this repository runs it.
    #![doc = include_str!("end_to_end.rs")]
    //! # }
    //! ```
    //!
    //! What the API server in the process does differently is [listed](crate::ApiServer#differences-from-a-cluster).
}

#[cfg(all(feature = "control-plane", unix))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "control-plane", unix))))]
pub use control_plane::{ControlPlane, ControlPlaneBackup, ControlPlaneBuilder, ControlPlaneError};
#[cfg(feature = "controllers")]
#[cfg_attr(docsrs, doc(cfg(feature = "controllers")))]
pub use controllers::PodState;
pub use faults::{Fault, FaultBuilder, Faults};
pub use http_service::ApiServerService;
pub use journal::{Journal, JournalEntry, ObjectChange, ObjectChangeKind};
pub use lifecycle::Backup;
pub use observed_requests::{ReceivedRequest, RequestVerb, Requests};
pub use open_watches::Watches;
pub use port::ServerHandle;
pub use server::ApiServer;
pub use snapshot::ServerSnapshot;
pub use wait::wait_until;
