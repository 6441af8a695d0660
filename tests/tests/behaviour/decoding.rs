//! Which JSON a root type reads.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "decoding.example.com", version = "v1", kind = "Cat", status = "CatStatus")]
struct CatSpec {
    lives: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct CatStatus {
    asleep: bool,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "decoding.example.com", version = "v1", kind = "AnyCat", decode_any_version)]
struct AnyCatSpec {
    lives: u8,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "decoding.example.com", version = "v1", kind = "FlatCat", no_spec, status = "CatStatus")]
struct FlatCatSpec {
    lives: u8,
}

fn object(api_version: &str, kind: &str) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {},
        "spec": { "lives": 9 },
        "lives": 9,
    })
}

fn error<T: for<'de> Deserialize<'de>>(object: Value) -> String {
    let from_value = serde_json::from_value::<T>(object.clone());
    let from_text = serde_json::from_str::<T>(&object.to_string());
    let error = from_value.err().expect("an error").to_string();
    // The text has a place as well.
    let text = from_text.err().expect("an error").to_string();
    assert!(text.starts_with(&error), "{text}, {error}");
    error
}

fn without(member: &str) -> Value {
    let mut object = object("decoding.example.com/v1", "Cat");
    object.as_object_mut().unwrap().remove(member);
    object
}

#[test]
fn another_type_is_an_error_that_names_it() {
    for (api_version, kind) in
        [("decoding.example.com/v2", "Cat"), ("v1", "Cat"), ("decoding.example.com/v1", "Dog"), ("", "")]
    {
        let cat = error::<Cat>(object(api_version, kind));
        let expected = format!("the object is a {kind} of {api_version}, expected a Cat of decoding.example.com/v1");
        assert_eq!(cat, expected);
        let flat = error::<FlatCat>(object(api_version, kind));
        assert!(flat.starts_with(&format!("the object is a {kind} of {api_version}")));
    }
}

#[test]
fn another_type_is_reported_before_its_spec_is_read() {
    let mut dog = object("decoding.example.com/v1", "Dog");
    dog["spec"] = json!({ "breed": "collie" });
    assert!(error::<Cat>(dog).contains("is a Dog"));
}

#[test]
fn a_type_that_is_not_stated_is_the_right_one() {
    for member in ["apiVersion", "kind"] {
        let cat: Cat = serde_json::from_value(without(member)).unwrap();
        assert_eq!(cat.spec.lives, 9);
    }
    let cat: Cat = serde_json::from_value(json!({ "metadata": {}, "spec": { "lives": 1 } })).unwrap();
    assert_eq!(cat.spec.lives, 1);
    let flat: FlatCat = serde_json::from_value(json!({ "metadata": {}, "lives": 1 })).unwrap();
    assert_eq!(flat.spec.lives, 1);
}

#[test]
fn any_version_is_decoded_on_request() {
    for (api_version, kind) in [("decoding.example.com/v2", "AnyCat"), ("v1", "Dog")] {
        let cat: AnyCat = serde_json::from_value(object(api_version, kind)).unwrap();
        assert_eq!(cat.spec.lives, 9);
        assert_eq!(json!(cat)["kind"], "AnyCat");
    }
}

#[test]
fn metadata_and_spec_must_be_there() {
    assert_eq!(error::<Cat>(without("metadata")), "missing field `metadata`");
    assert_eq!(error::<Cat>(without("spec")), "missing field `spec`");
}

#[test]
fn a_status_may_be_missing_or_null() {
    for status in [None, Some(json!(null))] {
        let mut object = without("");
        if let Some(status) = status {
            object["status"] = status;
        }
        let cat: Cat = serde_json::from_value(object).unwrap();
        assert!(cat.status.is_none());
    }
    let mut asleep = without("");
    asleep["status"] = json!({ "asleep": true });
    let cat: Cat = serde_json::from_value(asleep.clone()).unwrap();
    assert!(cat.status.unwrap().asleep);
    asleep["status"] = json!({ "asleep": 1 });
    assert!(error::<Cat>(asleep).contains("expected a boolean"));
}

#[test]
fn a_status_that_is_not_declared_is_ignored() {
    let mut object = object("decoding.example.com/v1", "AnyCat");
    object["status"] = json!({ "anything": [1] });
    serde_json::from_value::<AnyCat>(object).unwrap();
}

#[test]
fn unknown_fields_are_ignored() {
    let mut object = without("");
    object["unknown"] = json!({ "deep": true });
    serde_json::from_value::<Cat>(object).unwrap();
}

#[test]
fn duplicate_fields_are_errors() {
    for (member, value) in [
        ("apiVersion", r#""decoding.example.com/v1""#),
        ("kind", r#""Cat""#),
        ("metadata", "{}"),
        ("spec", r#"{"lives":1}"#),
        ("status", "null"),
    ] {
        let text = format!(r#"{{"metadata":{{}},"spec":{{"lives":1}},"{member}":{value},"{member}":{value}}}"#);
        let error = serde_json::from_str::<Cat>(&text).unwrap_err().to_string();
        let expected = format!("duplicate field `{member}`");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn something_else_than_an_object_is_an_error_that_names_the_type() {
    let error = error::<Cat>(json!([1]));
    assert!(error.contains("expected a Cat of decoding.example.com/v1"), "{error}");
}

#[test]
fn what_is_written_is_read() {
    let cat: FlatCat = serde_json::from_value(json!(FlatCat::new("a", FlatCatSpec { lives: 3 }))).unwrap();
    assert_eq!(cat.spec.lives, 3);
    assert_eq!(cat.metadata.name.as_deref(), Some("a"));
}
