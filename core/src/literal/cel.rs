//! Source text of CEL expressions.

mod code;
mod keys;
mod names;

pub use code::{uses_old_self, without_comments};
pub use keys::{key_pattern, key_pattern_rule};
pub(crate) use names::RESERVED;
pub use names::{escaped, is_identifier, is_nameable, is_unescaped};

/// The values of `reason` of a rule.
pub const REASONS: &[&str] = &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
