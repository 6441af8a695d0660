//! Types with the schemas that they are to have, and values that they have and have not.

use crdkit::{render::render_schema, schema::Schema, testing::RoundtripTest};
use serde_json::{Value, json};

use super::{Zoo, are_same, beyond::beyond, mutants, sorted};

/// The number of random documents of each form that are sent to the server.
const DOCUMENTS: usize = 40;

/// A type, what its schema is, and values that it has and has not.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) schema: &'static Schema,
    pub(crate) expected: Value,
    pub(crate) accepted: Value,
    pub(crate) refused: Value,
    /// Reads a value and writes it again; none if serde refuses it.
    pub(crate) again: fn(&Value) -> Option<Value>,
    pub(crate) roundtrip: fn() -> RoundtripTest,
}

/// The forms of types, by `forms()`.
#[allow(unused_macros)]
macro_rules! forms {
    ($($name:ident: $type:ty = $expected:tt, accepts $accepted:tt, refuses $refused:tt;)+) => {
        pub(crate) fn forms() -> Vec<$crate::zoo::Form> {
            vec![$($crate::zoo::Form {
                name: stringify!($name),
                schema: <$type as crdkit::KubeSchema>::SCHEMA_REF,
                expected: serde_json::json!($expected),
                accepted: serde_json::json!($accepted),
                refused: serde_json::json!($refused),
                again: |value| {
                    let value: $type = serde::Deserialize::deserialize(value).ok()?;
                    Some(serde_json::json!(value))
                },
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

    /// What becomes of the accepted values by one change each.
    pub(crate) fn mutants(&self) -> Vec<Value> {
        let values = self.accepted();
        let mut all: Vec<_> = values.iter().flat_map(|it| mutants(it, values)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        all
    }

    /// What is just outside of the schema, made of the accepted values.
    fn beyond(&self) -> Vec<Value> {
        let values = self.accepted().iter();
        let mut all: Vec<_> = values.flat_map(|it| beyond(&self.expected, it)).collect();
        all.sort_by_key(Value::to_string);
        all.dedup();
        all
    }

    /// Whether not all of its texts are known to the one who judges in process.
    fn is_unknown_to_the_judge(&self) -> bool {
        let unchecked = (self.roundtrip)().documents(0).run().unchecked;
        unchecked.iter().any(|what| !what.contains("of CEL"))
    }

    /// Whether the server does not look at a value: a list in place of text that has a format.
    pub(crate) fn is_passed_by(&self, value: &Value) -> bool {
        let is_text_of_a_format = self.expected["type"] == "string" && !self.expected["format"].is_null();
        is_text_of_a_format && value.is_array()
    }

    /// Whether the judge in process refuses what the server does not look at.
    fn is_left_to_the_server(value: &Value) -> bool {
        value.to_string().contains(r#""metadata":null"#)
    }

    fn rendered(&self) -> String {
        json!(render_schema(self.schema).unwrap()).to_string()
    }

    async fn is_judged_as_expected(&self, zoo: &Zoo, wrong: &mut Vec<String>) {
        let has_rules = self.rendered().contains("x-kubernetes-validations");
        for case in (self.roundtrip)().documents(DOCUMENTS).cases() {
            if case.document.is_null()
                || has_rules && case.stored.is_some()
                || Self::is_left_to_the_server(&case.document)
            {
                continue;
            }
            let verdict = zoo.send(self.name, &case.document, "Ignore").await;
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

    async fn accepts_what_is_meant(&self, zoo: &Zoo, wrong: &mut Vec<String>) {
        let name = self.name;
        for value in self.accepted() {
            let again = (self.again)(value);
            if again.as_ref() != Some(value) {
                wrong.push(format!("{name}: serde makes {again:?} of {value}"));
            }
            let verdict = zoo.create(name, value).await;
            let stored = verdict.object.as_ref().map(|object| &object["spec"][name]);
            if stored != Some(value) {
                wrong.push(format!("{name}: {value} becomes {stored:?}: {verdict}"));
            }
        }
        for value in self.refused() {
            if zoo.create(name, value).await.accepted {
                wrong.push(format!("{name}: {value} is accepted"));
            }
        }
    }
}

/// The schemas of all forms are those written by hand.
pub(crate) fn are_as_written<'a>(forms: impl IntoIterator<Item = &'a Form>) {
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

/// The server takes all schemas without a warning, and of values those that are meant, as serde writes them.
pub(crate) async fn accept_what_is_meant(forms: &[Form]) {
    let Some(zoo) = Zoo::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in forms {
        form.accepts_what_is_meant(&zoo, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever the server lets in, the types read.
pub(crate) async fn read_what_passes(forms: &[Form]) {
    let Some(zoo) = Zoo::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    let mut refused = 0;
    for form in forms {
        for value in form.mutants() {
            let verdict = zoo.create(form.name, &value).await;
            refused += usize::from(!verdict.accepted);
            let stored = verdict.object.as_ref().map(|it| &it["spec"][form.name]);
            if stored.is_some_and(|stored| (form.again)(stored).is_none()) {
                wrong.push(format!("{}: {value} passes, and is not read", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > forms.len(), "only {refused} are refused");
}

/// Whatever the server lets in, the types read, but for what is looser; whatever it does not, they do not keep as it is, but
/// for the stricter ones.
pub(crate) async fn are_judged_alike(forms: &[Form], is_looser: impl Fn(&Form, &Value) -> bool, stricter: &[&str]) {
    let Some(zoo) = Zoo::with(forms).await else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut found = Vec::new();
    for form in forms {
        let name = form.name;
        for value in &form.mutants() {
            let verdict = zoo.create(name, value).await;
            let again = (form.again)(value);
            match verdict.accepted {
                true => accepted += 1,
                false => refused += 1,
            }
            if verdict.accepted && again.is_none() && !is_looser(form, value) {
                wrong.push(format!("{name}: {value} passes, and is not read"));
            }
            if !verdict.accepted && again.as_ref() == Some(value) {
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

/// The server refuses what is just outside of a schema.
pub(crate) async fn refuse_what_is_beyond(forms: &[Form]) {
    let Some(zoo) = Zoo::with(forms).await else {
        return;
    };
    let (mut refused, mut wrong) = (0, Vec::new());
    for form in forms {
        for value in form.beyond() {
            match zoo.create(form.name, &value).await.accepted {
                true => wrong.push(format!("{}: {value} is accepted", form.name)),
                false => refused += 1,
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > forms.len(), "only {refused} are refused");
}

/// Random documents, and their verdicts: the server agrees with the judge in the process, which does not have all messages
/// of these forms.
pub(crate) async fn are_judged_as_expected(forms: &[Form], unknown: &[&str]) {
    let (left_out, judged): (Vec<_>, Vec<_>) = forms.iter().partition(|form| form.is_unknown_to_the_judge());
    let left_out: Vec<_> = left_out.iter().map(|form| form.name).collect();
    assert_eq!(left_out, unknown);
    let Some(zoo) = Zoo::with(forms).await else {
        return;
    };
    let mut wrong = Vec::new();
    for form in judged {
        form.is_judged_as_expected(&zoo, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Schemas and decoders agree, but for what is looser, with the path of a value that serde does not read; each form accepts
/// and refuses at least this percentage of the documents.
pub(crate) fn agree(forms: &[Form], looser: &[(&str, &str)], percent: impl Fn(&Form) -> usize) {
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

/// How often each of the forms keeps unknown fields, for those that do at all.
pub(crate) fn preserved(forms: &[Form]) -> Vec<(&'static str, usize)> {
    let count = |form: &Form| form.rendered().matches("preserve-unknown-fields").count();
    let counted = forms.iter().map(|form| (form.name, count(form)));
    counted.filter(|(_, count)| *count > 0).collect()
}
