//! What the schema of an enum accepts, serde reads, and what serde writes, the schema accepts.

use super::all_forms;
use crate::zoo::agree;

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
    agree(&all_forms(), LOOSER, |_| 30);
}
