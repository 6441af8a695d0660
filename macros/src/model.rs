//! What the input means: defaults filled in, rules across attributes held.

pub(crate) mod apply;
pub(crate) mod conditions;
pub(crate) mod crates;
pub(crate) mod decode;
pub(crate) mod group_version;
pub(crate) mod idents;
pub(crate) mod keyword;
pub(crate) mod plural;
pub(crate) mod resource;
pub(crate) mod schema;
pub(crate) mod source;
