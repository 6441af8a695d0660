//! What conversion functions do with values, for tests of conversions.

use serde_json::Value;

use super::{conversion::With, path::ValuePath};

/// A call of a function of `with` or `try_with`.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCall {
    /// The path of the value, such as `spec.disks[0].size`.
    pub(crate) path: String,
    /// The path of all such values, such as `.spec.disks[].size`.
    pub(crate) pattern: String,
    pub(crate) value: Value,
    /// The message, if the function rejects the value.
    pub(crate) rejection: Option<String>,
    with: With,
}

impl FunctionCall {
    pub(super) fn new(with: &With, value: &Value, result: &Result<Value, String>, place: ValuePath<'_>) -> Self {
        Self {
            path: place.text(),
            pattern: place.pattern(),
            value: value.clone(),
            rejection: result.as_ref().err().cloned(),
            with: *with,
        }
    }

    /// Returns the value of the spoke and the one that both functions return for it, if they differ.
    pub(crate) fn not_inverse(&self) -> Option<(Value, Value)> {
        let value = (self.with.canonical)(&self.value).ok()?;
        let back = (self.with.from_hub)(&(self.with.to_hub)(&value).ok()?).ok()?;
        (back != value).then_some((value, back))
    }
}
