//! Types with their expected schemas, and values that the schemas must accept and refuse.

use crdkit::{render::render_schema, schema::Schema, testing::RoundtripTest};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{ServedFields, are_same, mutants, out_of_range::out_of_range, sorted};

/// The number of random documents of each form that are sent to the server.
const DOCUMENTS: usize = 40;

/// A type with its expected schema, and values that the schema must accept and refuse.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) schema: &'static Schema,
    pub(crate) expected: Value,
    pub(crate) accepted: Value,
    pub(crate) refused: Value,
    /// The function [`reencode`] of the type.
    pub(crate) reencode: fn(&Value) -> Option<Value>,
    pub(crate) roundtrip: fn() -> RoundtripTest,
}

/// Deserializes a value and serializes it; `None` if serde refuses it.
pub(crate) fn reencode<T: Serialize + DeserializeOwned>(value: &Value) -> Option<Value> {
    let value = T::deserialize(value).ok()?;
    Some(json!(value))
}

/// The forms of types, by `forms()`.
#[allow(unused_macros)]
macro_rules! forms {
    ($($name:ident: $type:ty = $expected:tt, accepts $accepted:tt, refuses $refused:tt;)+) => {
        pub(crate) fn forms() -> Vec<$crate::served_fields::Form> {
            vec![$($crate::served_fields::Form {
                name: stringify!($name),
                schema: <$type as crdkit::KubeSchema>::SCHEMA_REF,
                expected: serde_json::json!($expected),
                accepted: serde_json::json!($accepted),
                refused: serde_json::json!($refused),
                reencode: $crate::served_fields::reencode::<$type>,
                roundtrip: crdkit::testing::RoundtripTest::of_type::<$type>,
            }),+]
        }
    };
}
#[allow(unused_imports)]
pub(crate) use forms;

impl Form {
    pub(crate) fn accepted(&self) -> &[Value] {
        self.accepted.as_array().unwrap()
    }

    pub(crate) fn refused(&self) -> &[Value] {
        self.refused.as_array().unwrap()
    }

    /// Returns the accepted values with one change each.
    pub(crate) fn mutants(&self) -> Vec<Value> {
        let values = self.accepted();
        let mut all: Vec<_> = values.iter().flat_map(|it| mutants(it, values)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        all
    }

    /// Returns values just outside of the schema, made of the accepted values.
    fn out_of_range(&self) -> Vec<Value> {
        let values = self.accepted().iter();
        let mut all: Vec<_> = values.flat_map(|it| out_of_range(&self.expected, it)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        all
    }

    /// Whether the validator in the process leaves a part of the schema unchecked.
    fn has_unchecked_parts(&self) -> bool {
        let unchecked = (self.roundtrip)().documents(0).run().unchecked;
        unchecked.iter().any(|what| !what.contains("of CEL"))
    }

    /// Whether the server skips a value: a list in place of text that has a format.
    pub(crate) fn is_passed_by(&self, value: &Value) -> bool {
        let is_text_of_a_format = self.expected["type"] == "string" && !self.expected["format"].is_null();
        is_text_of_a_format && value.is_array()
    }

    /// Whether the validator in the process refuses a value that the server skips.
    fn is_left_to_the_server(value: &Value) -> bool {
        value.to_string().contains(r#""metadata":null"#)
    }

    fn rendered(&self) -> String {
        json!(render_schema(self.schema).unwrap()).to_string()
    }

    async fn check_random_documents(&self, served: &ServedFields, wrong: &mut Vec<String>) {
        let has_rules = self.rendered().contains("x-kubernetes-validations");
        for case in (self.roundtrip)().documents(DOCUMENTS).cases() {
            if case.document.is_null()
                || has_rules && case.stored.is_some()
                || Self::is_left_to_the_server(&case.document)
            {
                continue;
            }
            let verdict = served.send(self.name, &case.document, "Ignore").await;
            let stored = verdict.object.as_ref().map(|it| &it["spec"][self.name]);
            let is_kept = match (stored, &case.stored) {
                (Some(stored), Some(kept)) => are_same(stored, kept),
                (stored, kept) => stored.is_none() && kept.is_none(),
            };
            if !is_kept {
                wrong.push(format!("{}: {case:?}, but {verdict}", self.name));
            }
        }
    }

    async fn check_declared_verdicts(&self, served: &ServedFields, wrong: &mut Vec<String>) {
        let name = self.name;
        for value in self.accepted() {
            let reencoded = (self.reencode)(value);
            if reencoded.as_ref() != Some(value) {
                wrong.push(format!("{name}: serde reads and writes {value} as {reencoded:?}"));
            }
            let verdict = served.create(name, value).await;
            let stored = verdict.object.as_ref().map(|object| &object["spec"][name]);
            if stored != Some(value) {
                wrong.push(format!("{name}: {value} becomes {stored:?}: {verdict}"));
            }
        }
        for value in self.refused() {
            if served.create(name, value).await.accepted {
                wrong.push(format!("{name}: {value} is accepted"));
            }
        }
    }
}

/// Asserts that the schemas of all forms are the expected ones.
pub(crate) fn assert_expected_schemas<'a>(forms: impl IntoIterator<Item = &'a Form>) {
    let mut wrong = Vec::new();
    for form in forms {
        let rendered = render_schema(form.schema).map(|props| sorted(json!(props)));
        if rendered.as_ref() != Ok(&sorted(form.expected.clone())) {
            let rendered = rendered.map_or_else(|error| error.to_string(), |it| it.to_string());
            wrong.push(format!("{}: {rendered}", form.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asserts that the server accepts all schemas without a warning, stores the accepted values as serde writes them, and refuses
/// the others.
pub(crate) async fn assert_declared_verdicts(forms: &[Form]) {
    let Some(served) = ServedFields::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in forms {
        form.check_declared_verdicts(&served, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asserts that the types can read every mutant that the server accepts.
pub(crate) async fn assert_accepted_values_are_read(forms: &[Form]) {
    let Some(served) = ServedFields::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    let mut refused = 0;
    for form in forms {
        for value in form.mutants() {
            let verdict = served.create(form.name, &value).await;
            refused += usize::from(!verdict.accepted);
            let stored = verdict.object.as_ref().map(|it| &it["spec"][form.name]);
            if stored.is_some_and(|stored| (form.reencode)(stored).is_none()) {
                wrong.push(format!("{}: {value} passes, and is not read", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > forms.len(), "only {refused} are refused");
}

/// Asserts that the server and serde accept the same mutants, except for looser forms, of which serde accepts less, and stricter
/// ones, of which it accepts more.
pub(crate) async fn assert_server_agrees_with_serde(
    forms: &[Form],
    is_looser: impl Fn(&Form, &Value) -> bool,
    stricter: &[&str],
) {
    let Some(served) = ServedFields::with(forms).await else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut found = Vec::new();
    for form in forms {
        let name = form.name;
        for value in &form.mutants() {
            let verdict = served.create(name, value).await;
            let reencoded = (form.reencode)(value);
            if verdict.accepted {
                accepted += 1;
            } else {
                refused += 1;
            }
            if verdict.accepted && reencoded.is_none() && !is_looser(form, value) {
                wrong.push(format!("{name}: {value} passes, and is not read"));
            }
            if !verdict.accepted && reencoded.as_ref() == Some(value) {
                if !stricter.contains(&name) {
                    wrong.push(format!("{name}: {value} is read: {verdict}"));
                }
                found.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    found.dedup();
    assert_eq!(found, stricter);
    assert!(accepted > forms.len() && refused > forms.len() * 3, "{accepted} accepted, {refused} refused");
}

/// Asserts that the server refuses values just outside of a schema.
pub(crate) async fn assert_out_of_range_values_are_refused(forms: &[Form]) {
    let Some(served) = ServedFields::with(forms).await else {
        return;
    };
    let (mut refused, mut wrong) = (0, Vec::new());
    for form in forms {
        for value in form.out_of_range() {
            if served.create(form.name, &value).await.accepted {
                wrong.push(format!("{}: {value} is accepted", form.name));
            } else {
                refused += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > forms.len(), "only {refused} are refused");
}

/// Asserts that the server and the validator in the process have the same verdicts on random documents. `unknown` are the forms
/// of which the validator leaves a part unchecked.
pub(crate) async fn assert_server_agrees_with_validator(forms: &[Form], unknown: &[&str]) {
    let (left_out, judged): (Vec<_>, Vec<_>) = forms.iter().partition(|form| form.has_unchecked_parts());
    let left_out: Vec<_> = left_out.iter().map(|form| form.name).collect();
    assert_eq!(left_out, unknown);
    let Some(served) = ServedFields::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in judged {
        form.check_random_documents(&served, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asserts that schemas and decoders accept the same documents, except for looser forms, each with the path of a value that serde
/// does not read. Each form accepts and refuses at least this percentage of the documents.
pub(crate) fn assert_schemas_agree_with_decoders(
    forms: &[Form],
    looser: &[(&str, &str)],
    percent: impl Fn(&Form) -> usize,
) {
    let mut found = Vec::new();
    for form in forms {
        let report = (form.roundtrip)().min_percent(percent(form)).run();
        match report.failure {
            Some(disagreement) => found.push((form.name, disagreement.path)),
            None => assert!(report.is_good(), "{}: {report}", form.name),
        }
    }
    found.sort();
    let found: Vec<_> = found.iter().map(|(name, path)| (*name, path.as_str())).collect();
    let mut expected = looser.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// Returns the forms that preserve unknown fields, with the number of places.
pub(crate) fn counts_of_preserved_unknown_fields(forms: &[Form]) -> Vec<(&'static str, usize)> {
    let count = |form: &Form| form.rendered().matches("preserve-unknown-fields").count();
    let counted = forms.iter().map(|form| (form.name, count(form)));
    counted.filter(|(_, count)| *count > 0).collect()
}
