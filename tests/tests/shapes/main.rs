//! Types of every shape: their schemas are those written by hand, a real API server takes them without a warning, and of values
//! those that serde reads.

use serde_json::Value;
use zoo::{Form, Zoo, accept_what_is_meant, are_as_written, are_judged_as_expected};

mod lists;
mod maps;
mod numbers;
mod pointers;
mod serde_attributes;
mod structs;
mod texts;
#[allow(unused_imports, dead_code)]
#[path = "../zoo/mod.rs"]
mod zoo;

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
    are_as_written(&all_forms());
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    accept_what_is_meant(&all_forms()).await;
}

/// Whatever the server lets in, the type reads; whatever it does not, the type does not keep as it is.
#[tokio::test]
async fn mutants_are_refused_by_both_or_by_neither() {
    let forms = all_forms();
    let Some(zoo) = Zoo::with(&forms).await else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for form in &forms {
        for value in &form.mutants() {
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

#[tokio::test]
async fn random_documents_are_judged_as_expected() {
    are_judged_as_expected(&all_forms()).await;
}

#[test]
fn schemas_and_decoders_agree() {
    let mut looser = Vec::new();
    for form in all_forms() {
        let report = (form.agreement)().at_least(minimum(&form)).run();
        match &report.disagreement {
            Some(found) => looser.push((form.name, found.path.clone())),
            None => assert!(report.is_good(), "{}: {report}", form.name),
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

/// How many percent of the documents are accepted and refused: any value is hardly ever refused.
fn minimum(form: &Form) -> usize {
    match form.refused().is_empty() {
        true => 0,
        false => 10,
    }
}
