//! Versions of kinds, converted by a webhook that an API server calls: the one in the process, and the real one.

mod cluster;
mod dev;
mod kinds;
mod many;
mod rotation;
mod verbs;
