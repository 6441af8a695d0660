//! A custom resource, from its definition to its table.

pub mod output;
pub mod steps;
mod table;
