//! What the user wrote. Each value is valid by construction.

pub(crate) mod apply;
pub(crate) mod bound;
pub(crate) mod crates;
pub(crate) mod decode;
pub(crate) mod default;
pub(crate) mod docs;
pub(crate) mod field;
pub(crate) mod field_path;
pub(crate) mod formats;
pub(crate) mod inherit;
pub(crate) mod items;
mod json;
pub(crate) mod json_path;
pub(crate) mod keywords;
pub(crate) mod merge_strategy;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod printer_column;
pub(crate) mod regex;
pub(crate) mod relations;
pub(crate) mod resource;
pub(crate) mod root_attribute;
pub(crate) mod rule;
pub(crate) mod scale;
pub(crate) mod schema_override;
mod schema_patch;
pub(crate) mod schema_size;
pub(crate) mod schemars;
pub(crate) mod selector;
pub(crate) mod serde;
pub(crate) mod text;
pub(crate) mod topology;
pub(crate) mod type_attrs;
pub(crate) mod validation;
pub(crate) mod variant;

pub(crate) use darling::error::Accumulator as Errors;
