//! The items that most files of an operator use, for a glob import.
//!
//! ```
//! use crdkit::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! /// Runs a command once, at a time.
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! pub struct AtSpec {
//!     /// When to run.
//!     pub schedule: String,
//! }
//!
//! let at = At::new("example", AtSpec { schedule: "2030-01-31T12:00:00Z".into() });
//! assert_eq!(at.name(), "example");
//! assert_eq!(at.namespace(), None);
//! assert_eq!(At::kind(&()), "At");
//! assert_eq!(At::crd().spec.names.plural, "ats");
//! ```

pub use crdkit_macros::{Apply, CustomResource, KubeSchema, Resource};
pub use kube_core::{CustomResourceExt, Resource, ResourceExt};

#[cfg(feature = "client")]
pub use crate::client::handle::Client;
#[cfg(feature = "informer")]
pub use crate::informer::{Action, Event, Informer, Informers, Lister, ObjectKey, shutdown_signal};
pub use crate::{
    apply::traits::Apply,
    resource::{
        conditions::{HasConditions, NewCondition, set_condition},
        custom_resource::CustomResource,
        object_name::ObjectName,
    },
    schema::kube_schema::KubeSchema,
};
