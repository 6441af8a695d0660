//! What the input means: with defaults, and validated across attributes.

pub(crate) mod apply;
pub(crate) mod checked;
pub(crate) mod conditions;
pub(crate) mod convert;
pub(crate) mod crates;
pub(crate) mod group_version;
pub(crate) mod idents;
pub(crate) mod keyword;
pub(crate) mod plural;
pub(crate) mod resource;
pub(crate) mod schema;
pub(crate) mod schema_source;
