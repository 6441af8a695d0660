//! Versions of kinds, converted by a webhook that an API server calls: the one in the process, and the real one.

pub(crate) mod cluster;
mod failures;
pub(crate) mod kinds;
mod many;
mod reviews;
mod verbs;
