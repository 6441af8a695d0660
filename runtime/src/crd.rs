//! Definitions as the API server has them: rendered from types, merged, validated and compared; and what the server does with values.

pub(crate) mod admission_registration;
pub(crate) mod cel;
pub mod compare;
pub(crate) mod crd_accessors;
pub(crate) mod definition_size;
#[cfg(any(feature = "testing", test, doc))]
pub(crate) mod generate;
pub(crate) mod json_schema;
pub mod merge;
pub(crate) mod object_processing;
pub mod render;
pub(crate) mod structural;
pub mod validate;
