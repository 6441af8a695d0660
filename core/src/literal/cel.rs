//! Expressions in CEL, as texts.

mod code;
mod names;

pub use code::{uses_old_self, without_comments};
pub(crate) use names::RESERVED;
pub use names::{escaped, is_nameable, is_unescaped};

/// The reasons that the server knows for a rule that fails.
pub const REASONS: &[&str] = &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
