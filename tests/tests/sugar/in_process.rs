//! The rules that attributes create, evaluated without a server.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "process.example.com", version = "v1", kind = "Processed", plural = "processed", cel)]
#[crd(one_of("config_map", "secret", "in"))]
pub(crate) struct ProcessedSpec {
    config_map: Option<String>,
    secret: Option<String>,
    r#in: Option<String>,
    #[crd(requires = "tls-key")]
    port: Option<u16>,
    #[serde(rename = "tls-key")]
    key: Option<String>,
    #[crd(immutable)]
    storage_class: Option<String>,
    #[crd(immutable)]
    size: i64,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(cel, at_most_one_of("min", "max"))]
struct Range {
    min: Option<i64>,
    max: Option<i64>,
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn valid() -> ProcessedSpec {
    ProcessedSpec { config_map: some("a"), storage_class: some("b"), ..ProcessedSpec::default() }
}

#[track_caller]
fn check(changed: ProcessedSpec, message: &str) {
    let [old, new] = [valid(), changed].map(|spec| Processed::new("a", spec));
    let found = match new.validate_cel_update(&old) {
        Ok(()) => String::new(),
        Err(errors) => errors.to_string(),
    };
    assert!(found.contains(message), "{found}");
    assert_eq!(found.is_empty(), message.is_empty(), "{found}");
}

#[test]
fn what_is_none_is_not_set() {
    check(valid(), "");
    check(ProcessedSpec { config_map: None, r#in: some("a"), port: Some(1), key: some("c"), ..valid() }, "");
    check(ProcessedSpec { config_map: None, ..valid() }, "exactly one of `config_map`, `secret` and `in` must be set");
    check(ProcessedSpec { r#in: some("a"), ..valid() }, "exactly one of `config_map`, `secret` and `in` must be set");
    check(ProcessedSpec { port: Some(1), ..valid() }, "must be set if `port` is set");
}

#[test]
fn what_cannot_change() {
    check(ProcessedSpec { size: 1, ..valid() }, "field is immutable");
    check(ProcessedSpec { storage_class: some("c"), ..valid() }, "field is immutable");
    check(ProcessedSpec { storage_class: None, ..valid() }, "field is immutable once it is set");
}

#[test]
fn rules_of_a_type() {
    assert!(Range::validate_cel(&json!({ "min": 1, "max": null }), None).is_ok());
    let errors = Range::validate_cel(&json!({ "min": 1, "max": 2 }), None).unwrap_err();
    assert!(errors.to_string().contains("at most one of `min` and `max`"), "{errors}");
}
