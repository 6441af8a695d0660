//! Types of every shape: their schemas are the expected ones, and a real API server accepts the schemas without a warning and the
//! values that serde reads.

use serde_json::{Value, json};

use crate::served_fields::{
    Form, ServedFields, assert_declared_verdicts, assert_expected_schemas, assert_out_of_range_values_are_refused,
    assert_schemas_agree_with_decoders, assert_server_agrees_with_serde, assert_server_agrees_with_validator,
    counts_of_preserved_unknown_fields,
};

mod lists;
mod maps;
mod numbers;
mod pointers;
mod serde_attributes;
mod structs;
mod texts;

fn all_forms() -> Vec<Form> {
    let forms = [
        lists::forms(),
        maps::forms(),
        numbers::forms(),
        pointers::forms(),
        serde_attributes::forms(),
        structs::forms(),
        texts::forms(),
    ];
    forms.into_iter().flatten().collect()
}

/// What a schema cannot say, with the path of a value that serde does not read.
const LOOSER: &[(&str, &str)] = &[
    // The keys of a map have no schema.
    ("by_number", ".b"),
    // What is an address of version 6 is beyond a short pattern.
    ("socket", "."),
    ("socket_v6", "."),
    // The server has no format for these.
    ("zoned", "."),
    ("time_of_day", "."),
    ("moment", "."),
    ("week", "."),
    ("naive_time", "."),
    ("naive_moment", "."),
    // The server takes more texts for durations than jiff reads.
    ("signed", "."),
    ("span", "."),
    // The items of a tuple have one schema for all.
    ("mixed_tuple", "[0]"),
    // A type that contains itself is any value where it does.
    ("tree", ".children"),
    ("step", ".plan"),
];

fn is_looser(form: &Form, value: &Value) -> bool {
    form.is_passed_by(value) || LOOSER.iter().any(|(name, _)| *name == form.name)
}

#[test]
fn schemas_are_as_they_are_written_here() {
    assert_expected_schemas(&all_forms());
}

/// Unknown fields are kept only where the type requires it.
#[test]
fn nothing_is_preserved_unasked() {
    let expected = [
        // A flattened map.
        ("flattened_map", 1),
        // `Value` and `RawValue`.
        ("any", 1),
        ("anys", 1),
        ("any_map", 1),
        ("any_by_name", 2),
        ("any_fields", 6),
        ("raw", 2),
        // By `#[crd(preserve_unknown_fields)]`.
        ("tree", 1),
        ("step", 1),
    ];
    assert_eq!(counts_of_preserved_unknown_fields(&all_forms()), expected);
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    assert_declared_verdicts(&all_forms()).await;
}

#[tokio::test]
async fn null_is_stored_where_anything_may_be() {
    let forms = maps::forms();
    let Some(served) = ServedFields::with(&forms).await else {
        return;
    };
    for (name, value) in [
        ("any", json!(null)),
        ("anys", json!([null, { "a": null }])),
        ("any_map", json!({ "a": null, "b": [null] })),
        ("any_by_name", json!({ "cpu": null })),
        ("flattened_map", json!({ "name": "a", "b": null })),
    ] {
        assert_eq!(served.stored(name, &value).await, value, "{name}");
    }
}

#[tokio::test]
async fn mutants_are_refused_by_both_or_by_neither() {
    assert_server_agrees_with_serde(&all_forms(), is_looser, &[]).await;
}

#[tokio::test]
async fn what_is_just_outside_is_refused() {
    assert_out_of_range_values_are_refused(&all_forms()).await;
}

/// The forms with texts of which the judge in process does not know all.
const UNKNOWN: &[&str] = &["web", "id", "signed", "span"];

#[tokio::test]
async fn random_documents_are_judged_as_expected() {
    assert_server_agrees_with_validator(&all_forms(), UNKNOWN).await;
}

#[test]
fn schemas_and_decoders_agree() {
    assert_schemas_agree_with_decoders(&all_forms(), LOOSER, minimum);
}

/// How many percent of the documents are accepted and refused: any value is hardly ever refused.
fn minimum(form: &Form) -> usize {
    if form.refused().is_empty() { 0 } else { 30 }
}
