//! Types of every shape: their schemas are those written by hand, a real API server takes them without a warning, and of values
//! those that serde reads.

use crdkit::{render::render_schema, schema::Schema, testing::Agreement};
use serde_json::{Value, json};
use zoo::{Zoo, mutants, sorted};

mod lists;
mod maps;
mod numbers;
mod pointers;
mod structs;
mod texts;
#[path = "../zoo/mod.rs"]
mod zoo;

/// A type, what its schema is, and values that it has and has not.
struct Form {
    name: &'static str,
    schema: &'static Schema,
    expected: Value,
    accepted: Value,
    refused: Value,
    /// Reads a value and writes it again; none if serde refuses it.
    again: fn(&Value) -> Option<Value>,
    agreement: fn() -> Agreement,
}

macro_rules! forms {
    ($($name:ident: $type:ty = $expected:tt, accepts $accepted:tt, refuses $refused:tt;)+) => {
        pub(crate) fn forms() -> Vec<crate::Form> {
            vec![$(crate::Form {
                name: stringify!($name),
                schema: <$type as crdkit::KubeSchema>::PLACE,
                expected: serde_json::json!($expected),
                accepted: serde_json::json!($accepted),
                refused: serde_json::json!($refused),
                again: |value| {
                    let value: $type = serde::Deserialize::deserialize(value).ok()?;
                    Some(serde_json::json!(value))
                },
                agreement: || crdkit::testing::Agreement::of_type::<$type>(),
            }),+]
        }
    };
}

use forms;

fn all_forms() -> Vec<Form> {
    let forms = [
        lists::forms(),
        maps::forms(),
        numbers::forms(),
        pointers::forms(),
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
    ("signed", "."),
    ("span", "."),
    ("naive_time", "."),
    ("naive_moment", "."),
    // The items of a tuple have one schema for all.
    ("mixed_tuple", "[0]"),
    // A type that contains itself is any value where it does.
    ("tree", ".children"),
    ("step", ".plan"),
];

fn is_looser(form: &Form, value: &Value) -> bool {
    // The server lets an empty list pass where text has a format.
    let is_text_of_a_format =
        form.expected["type"] == "string" && !form.expected["format"].is_null();
    is_text_of_a_format && *value == json!([]) || LOOSER.iter().any(|(name, _)| *name == form.name)
}

#[test]
fn schemas_are_as_they_are_written_here() {
    let mut wrong = Vec::new();
    for form in all_forms() {
        let rendered = render_schema(form.schema).map(|props| sorted(json!(props)));
        if rendered.as_ref() != Ok(&sorted(form.expected)) {
            let rendered = rendered
                .map(|it| it.to_string())
                .unwrap_or_else(|error| error.to_string());
            wrong.push(format!("{}: {rendered}", form.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    let forms = all_forms();
    let Some(zoo) = Zoo::of(forms.iter().map(|form| (form.name, *form.schema))).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in &forms {
        for value in form.accepted.as_array().unwrap() {
            let again = (form.again)(value);
            if again.as_ref() != Some(value) {
                wrong.push(format!("{}: serde makes {again:?} of {value}", form.name));
            }
            let verdict = zoo.create(form.name, value).await;
            let stored = verdict
                .object
                .as_ref()
                .map(|object| &object["spec"][form.name]);
            if stored != Some(value) {
                wrong.push(format!(
                    "{}: {value} becomes {stored:?}: {verdict}",
                    form.name
                ));
            }
        }
        for value in form.refused.as_array().unwrap() {
            if zoo.create(form.name, value).await.accepted {
                wrong.push(format!("{}: {value} is accepted", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever the server lets in, the type reads; whatever it does not, the type does not keep as it is.
#[tokio::test]
async fn mutants_are_refused_by_both_or_by_neither() {
    let forms = all_forms();
    let Some(zoo) = Zoo::of(forms.iter().map(|form| (form.name, *form.schema))).await else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for form in &forms {
        let values = form.accepted.as_array().unwrap();
        let mut all: Vec<_> = values.iter().flat_map(|it| mutants(it, values)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        for value in &all {
            let verdict = zoo.create(form.name, value).await;
            let again = (form.again)(value);
            let kept = again.as_ref() == Some(value);
            match verdict.accepted {
                true => accepted += 1,
                false => refused += 1,
            }
            if verdict.accepted && again.is_none() && !is_looser(form, value) {
                wrong.push(format!("{}: {value} passes, and is not read", form.name));
            }
            if !verdict.accepted && kept {
                wrong.push(format!("{}: {value} is read: {verdict}", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        accepted > forms.len() && refused > forms.len() * 3,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn schemas_and_decoders_agree() {
    let mut looser = Vec::new();
    for form in all_forms() {
        // Some accept nearly anything.
        let report = (form.agreement)().at_least(1).run();
        match &report.disagreement {
            Some(found) => looser.push((form.name, found.path.clone())),
            None => assert!(report.disagreement.is_none(), "{}: {report}", form.name),
        }
    }
    looser.sort();
    let found: Vec<_> = looser
        .iter()
        .map(|(name, path)| (*name, path.as_str()))
        .collect();
    let mut expected = LOOSER.to_vec();
    expected.sort();
    assert_eq!(found, expected);
}
