//! Serde reads the values that the schema of an enum accepts, and the schema accepts the values that serde writes.

use super::all_forms;
use crate::served_fields::assert_schemas_agree_with_decoders;

/// Where a schema accepts what serde does not read, and why it cannot say more.
pub(crate) const LOOSER: &[(&str, &str)] = &[
    // The items of a tuple have one schema for all.
    ("mixed", "[0]"),
    ("fields", ".all[0][1]"),
    // An attribute allows any value, or any integer or string.
    ("any_mixture", "."),
    ("deciding", ".port"),
    ("any_content", ".c"),
];

#[test]
fn schemas_and_decoders_agree() {
    assert_schemas_agree_with_decoders(&all_forms(), LOOSER, |_| 30);
}
