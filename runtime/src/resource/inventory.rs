//! The inventory of an object, as a field of its status: the objects that it owns where owner references cannot reach.
//!
//! A controller maintains it with `InventoryStore::status`.
//!
//! ```
//! use crdkit::{CustomResource, KubeSchema, inventory::Inventory};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
//! struct AppSpec {}
//!
//! #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
//! struct AppStatus {
//!     #[serde(default, skip_serializing_if = "Inventory::is_empty")]
//!     inventory: Inventory,
//! }
//! ```

use serde::{Deserialize, Serialize};

use crate::KubeSchema;

/// The objects that an object owns, besides those that its owner references reach.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias("ResourceInventory"))]
pub struct Inventory {
    /// The objects, sorted by group, kind, namespace and name. It may have objects that do not exist yet, or any longer.
    #[crd(list_type = "atomic")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<InventoryEntry>,
}

impl Inventory {
    /// Returns whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// An object in an inventory.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct InventoryEntry {
    /// The API group; empty for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The version in which it was applied.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The namespace, unless it is cluster-scoped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}
