//! An API server in the process.

mod resource;
