//! Source text of CEL expressions.

mod keys;
mod names;

pub use keys::{key_pattern, key_pattern_rule};
pub(crate) use names::RESERVED;
pub(crate) use names::unescaped;
pub use names::{UnescapedName, escaped, is_identifier, is_nameable, is_unescaped};

/// The values of `reason` of a rule.
pub const REASONS: &[&str] = &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
