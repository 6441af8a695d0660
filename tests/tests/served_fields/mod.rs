//! A kind with a field of each schema, on an API server that validates values against them.

use crdkit::{
    definition::{Definition, DerivedRoot, RootSchema},
    schema::{Field, Schema},
};
use crdkit_tests::{
    Request, Verdict,
    server::{Server, server},
    unique_group,
};
use serde_json::{Value, json};

mod form;
mod out_of_range;

pub(crate) use form::{
    Form, assert_accepted_values_are_read, assert_declared_verdicts, assert_expected_schemas,
    assert_out_of_range_values_are_refused, assert_schemas_agree_with_decoders, assert_server_agrees_with_serde,
    assert_server_agrees_with_validator, counts_of_preserved_unknown_fields, forms, reencode,
};

/// A kind that is served, with a field of each of several types.
pub(crate) struct ServedFields {
    server: Server,
    group: &'static str,
}

impl ServedFields {
    /// Installs a kind with the forms as fields, under their names. `None` if there is no server.
    pub(crate) async fn with(forms: &[Form]) -> Option<Self> {
        Self::of(forms.iter().map(|form| (form.name, *form.schema))).await
    }

    pub(crate) async fn of(schemas: impl Iterator<Item = (&'static str, Schema)>) -> Option<Self> {
        let server = server()?;
        let field = |(name, schema)| Field::new(name, Box::leak(Box::new(schema))).optional();
        let spec = Schema::object(schemas.map(field).collect::<Vec<_>>().leak());
        let root = RootSchema::Derived(DerivedRoot::new(Box::leak(Box::new(spec))));
        let group = unique_group().leak();
        let definition = Definition::new(group, "v1", "Zoo", "zoos", "zoo", "ZooList", root);
        let crd = json!(definition.render().unwrap());
        let verdict = server.install(&crd).await.expect_accepted();
        assert_eq!(verdict.warnings, Vec::<String>::new());
        Some(Self { server, group })
    }

    pub(crate) async fn create(&self, field: &str, value: &Value) -> Verdict {
        self.send(field, value, "Strict").await
    }

    /// Returns a value as the server has stored it.
    #[allow(dead_code)]
    pub(crate) async fn stored(&self, field: &str, value: &Value) -> Value {
        let path = format!("/apis/{}/v1/zoos", self.group);
        let name = field.replace('_', "-");
        let object = self.object(&name, field, value);
        let created = self.server.raw(Request::post(&path, object)).await;
        assert!(created.is_success(), "{field}: {}", created.body);
        let read = self.server.raw(Request::get(format!("{path}/{name}"))).await;
        read.body["spec"][field].clone()
    }

    fn object(&self, name: &str, field: &str, value: &Value) -> Value {
        json!({
            "apiVersion": format!("{}/v1", self.group), "kind": "Zoo", "metadata": { "name": name },
            "spec": { field: value },
        })
    }

    /// Returns the verdict of the server on a value, with this validation of unknown fields.
    async fn send(&self, field: &str, value: &Value, validation: &str) -> Verdict {
        let group = self.group;
        let object = self.object("a", field, value);
        let path = format!("/apis/{group}/v1/zoos?dryRun=All&fieldValidation={validation}");
        self.server.raw(Request::post(path, object)).await.into()
    }
}

/// A schema with whole numbers as integers, and with its required fields in order.
pub(crate) fn sorted(schema: Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(members.into_iter().map(sorted_member).collect()),
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 => Value::from(float as i64),
            _ => Value::Number(number),
        },
        value => value,
    }
}

fn sorted_member((name, value): (String, Value)) -> (String, Value) {
    let mut value = sorted(value);
    if let ("required", Value::Array(names)) = (name.as_str(), &mut value) {
        names.sort_by_key(Value::to_string);
    }
    (name, value)
}

/// Whether two values are the same; numbers may have gone through text.
fn are_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let is_in_other =
                |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| are_same(value, other));
            one.len() == other.len() && one.iter().all(is_in_other)
        }
        (Value::Array(one), Value::Array(other)) => {
            let pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.into_iter().all(|(one, other)| are_same(one, other))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= one.abs() * f64::EPSILON
        }
        _ => one == other,
    }
}

/// Values that replace another one.
fn unrelated_values() -> [Value; 6] {
    [json!(-1), json!(0.5), json!("a"), json!(true), json!({}), json!([])]
}

/// Returns the value with one change each, of itself or of a part.
pub(crate) fn mutants(value: &Value, others: &[Value]) -> Vec<Value> {
    let mut mutants = unrelated_values().to_vec();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let with = |member| {
                    let mut members = members.clone();
                    members.insert(name.clone(), member);
                    Value::Object(members)
                };
                mutants.extend(self::mutants(member, &[]).into_iter().map(with));
                let mut without = members.clone();
                without.remove(name);
                mutants.push(Value::Object(without));
            }
            let stranger = (out_of_range::UNDECLARED.to_owned(), json!(true));
            mutants.push(Value::Object(members.clone().into_iter().chain([stranger]).collect()));
            for (name, member) in others.iter().filter_map(Value::as_object).flatten() {
                let mut more = members.clone();
                more.insert(name.clone(), member.clone());
                mutants.push(Value::Object(more));
            }
        }
        Value::Array(items) => {
            let more = items.iter().chain(items).chain([&Value::Null]).cloned();
            mutants.push(more.collect());
            mutants.extend(items.first().map(|first| json!([first])));
        }
        _ => {}
    }
    mutants
}
