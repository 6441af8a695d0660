//! Keywords of `#[crd(...)]`: their schemas are the expected ones, and a real API server accepts the schemas without a warning and
//! the expected values.

use crate::served_fields::{
    Form, assert_accepted_values_are_read, assert_declared_verdicts, assert_expected_schemas,
    assert_out_of_range_values_are_refused, assert_schemas_agree_with_decoders, assert_server_agrees_with_validator,
    counts_of_preserved_unknown_fields,
};

mod bounds;
mod formats;
mod inside;
mod merging;
mod resources;
mod topology;
mod types;
mod values;
mod variants;

fn all_forms() -> Vec<Form> {
    let forms = [
        bounds::forms(),
        formats::forms(),
        inside::forms(),
        merging::forms(),
        resources::forms(),
        topology::forms(),
        types::forms(),
        values::forms(),
        variants::forms(),
    ];
    forms.into_iter().flatten().collect()
}

#[test]
fn schemas_are_as_they_are_written_here() {
    assert_expected_schemas(&all_forms());
}

/// Unknown fields are kept only where an attribute or a `Value` requires it.
#[test]
fn nothing_is_preserved_unasked() {
    let expected = [("forms_inside", 1), ("templates", 3), ("nulls", 1)];
    assert_eq!(counts_of_preserved_unknown_fields(&all_forms()), expected);
}

#[tokio::test]
async fn the_server_accepts_what_is_meant() {
    assert_declared_verdicts(&all_forms()).await;
}

#[tokio::test]
async fn mutants_that_pass_are_read() {
    // The server lets lists pass where text has a format.
    let forms: Vec<_> = all_forms().into_iter().filter(|form| !form.name.contains("formats")).collect();
    assert_accepted_values_are_read(&forms).await;
}

#[tokio::test]
async fn what_is_just_outside_is_refused() {
    assert_out_of_range_values_are_refused(&all_forms()).await;
}

/// The forms with texts of which the judge in process does not know all.
const UNKNOWN: &[&str] = &["both_formats", "formats"];

#[tokio::test]
async fn random_documents_are_judged_as_expected() {
    assert_server_agrees_with_validator(&all_forms(), UNKNOWN).await;
}

/// Where an attribute makes the schema accept what serde does not read, each with the path.
const LOOSER: &[(&str, &str)] = &[
    // Any text that fits, where the type is an integer.
    ("texts", ".share"),
    ("types", ".share"),
    // A null is one of its members, and is not written again.
    ("internal", "."),
    // Null, where the type has none.
    ("nulls", ".values."),
];

#[test]
fn schemas_and_decoders_agree() {
    assert_schemas_agree_with_decoders(&all_forms(), LOOSER, |_| 30);
}
