//! An API server in the process.

mod builtin;
mod json_path;
mod negotiation;
mod object_meta;
mod object_name;
mod resource;
mod selector;
mod table;
mod time;
