//! Keywords of `#[crd(...)]`: their schemas are those written by hand, a real API server takes them without a warning, and of
//! values those that are meant.

use crdkit::{render::render_schema, schema::Schema};
use serde_json::{Value, json};
use zoo::{Zoo, mutants, sorted};

mod bounds;
mod formats;
mod inside;
mod resources;
mod topology;
mod types;
mod values;
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
            }),+]
        }
    };
}

use forms;

fn all_forms() -> Vec<Form> {
    let forms = [
        bounds::forms(),
        formats::forms(),
        inside::forms(),
        resources::forms(),
        topology::forms(),
        types::forms(),
        values::forms(),
    ];
    forms.into_iter().flatten().collect()
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
async fn the_server_accepts_what_is_meant() {
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

/// Whatever the server lets in, the type reads.
#[tokio::test]
async fn mutants_that_pass_are_read() {
    // The server lets lists pass where text has a format.
    let forms = all_forms();
    let forms: Vec<_> = forms
        .into_iter()
        .filter(|form| form.name != "formats")
        .collect();
    let Some(zoo) = Zoo::of(forms.iter().map(|form| (form.name, *form.schema))).await else {
        return;
    };
    let mut wrong = Vec::new();
    let mut refused = 0;
    for form in &forms {
        let values = form.accepted.as_array().unwrap();
        let mut all: Vec<_> = values.iter().flat_map(|it| mutants(it, values)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        for value in &all {
            let verdict = zoo.create(form.name, value).await;
            refused += usize::from(!verdict.accepted);
            if verdict.accepted && (form.again)(value).is_none() {
                wrong.push(format!("{}: {value} passes, and is not read", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > forms.len(), "only {refused} are refused");
}
