//! An API server in the process.

mod managed_fields;
mod resource;
