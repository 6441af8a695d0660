//! What the schema of an enum accepts, serde reads, and what serde writes, the schema accepts.

use crate::all_forms;

/// Where a schema accepts what serde does not read, and why it cannot say more.
pub(crate) const LOOSER: &[(&str, &str)] = &[
    // The items of a tuple have one schema for all.
    ("mixed", "[0]"),
    ("fields", ".all[0][1]"),
    // An attribute asks for any value, or for any integer or string.
    ("any_mixture", "."),
    ("deciding", ".port"),
    ("any_content", ".c"),
];

#[test]
fn schemas_and_decoders_agree() {
    let mut looser = Vec::new();
    for form in all_forms() {
        let report = (form.agreement)().run();
        match &report.disagreement {
            Some(disagreement) => looser.push((form.name, disagreement.path.clone())),
            None => assert!(report.is_good(), "{}: {report}", form.name),
        }
    }
    let looser: Vec<_> = looser
        .iter()
        .map(|(name, path)| (*name, path.as_str()))
        .collect();
    assert_eq!(looser, LOOSER);
}
