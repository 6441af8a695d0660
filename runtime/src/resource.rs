//! What the type of a resource has: its definition, conditions and subresources, the kind of its list, and the lookup of its schema.

pub mod conditions;
pub(crate) mod custom_resource;
pub mod definition;
pub(crate) mod foreign;
pub mod inventory;
pub(crate) mod list_kind;
pub(crate) mod object_name;
pub(crate) mod probe;
pub mod status;
pub mod subresource;
pub(crate) mod version_mark;
