//! Errors of operations that consist of requests, and of their inputs.

use k8s_openapi::{
    api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};

use super::*;
use crate::{
    client::{
        discovery::{ResourceArg, UnavailableGroup},
        dynamic::Unstructured,
        install::DataLoss,
        scheme::Scheme,
        selector::Labels,
        storage_migration::FailedObject,
    },
    crd::validate::validate,
};

pub(super) fn discovery() -> Vec<DiscoveryError> {
    let resource = || Box::new(ResourceArg::from("vm"));
    let unavailable = || {
        vec![UnavailableGroup {
            group: "a".into(),
            version: "v1".into(),
            reason: status_error(503, "ServiceUnavailable").into_error().to_string(),
        }]
    };
    vec![
        DiscoveryError::Unknown { resource: resource(), nearest: None, unavailable: unavailable() },
        DiscoveryError::NotServed { resource: resource(), versions: vec![] },
        DiscoveryError::Ambiguous { resource: resource(), candidates: vec![] },
        DiscoveryError::UnknownCategory { category: "all".into(), unavailable: unavailable() },
        DiscoveryError::Request(Error::Decode(Box::new(undecodable()))),
    ]
}

pub(super) fn installing() -> Vec<InstallError> {
    let crd = || "vms.example.com".to_owned();
    let violations = crate::crd::validate::validate(&CustomResourceDefinition::default());
    let refused = violations.into_iter().map(|violation| (crd(), violation));
    vec![
        InstallError::Refused(refused.collect()),
        InstallError::DataLoss(vec![
            DataLoss::Plural { crd: crd(), old: crd() },
            DataLoss::Unverified {
                crd: crd(),
                version: "v1".into(),
                changes: vec![],
                reason: status_error(403, "Forbidden").into_error().to_string(),
            },
        ]),
        InstallError::Refused(
            validate(&CustomResourceDefinition::default()).into_iter().map(|violation| (crd(), violation)).collect(),
        ),
        InstallError::NamesConflict {
            crd: crd(),
            reason: "ShortNamesConflict".into(),
            message: "\"vm\" is already in use".into(),
        },
        InstallError::NotServed {
            crd: crd(),
            obstacle: status_error(404, "NotFound").into_error().to_string(),
            limit: Duration::ZERO,
        },
        InstallError::Duplicate { crd: crd() },
        InstallError::MissingName { kind: "Vm".into() },
        InstallError::Encode { crd: crd(), source: json_error::<u8>(json!(SECRET)) },
        InstallError::Apply(ApplyError::Request(status_error(422, "Invalid").into_error())),
        InstallError::Delete(DeleteError::Request(status_error(409, "Conflict").into_error())),
        InstallError::Migration(StorageMigrationError::Changed { crd: crd() }),
        InstallError::Request(status_error(500, "").into_error()),
    ]
}

pub(super) fn migrating() -> Vec<StorageMigrationError> {
    let crd = || "vms.example.com".to_owned();
    let error = || status_error(422, "Invalid").into_error();
    vec![
        StorageMigrationError::NoDefinition { crd: crd() },
        StorageMigrationError::NotServed { crd: crd() },
        StorageMigrationError::Objects {
            crd: crd(),
            failed: vec![FailedObject { object: "default/web".into(), error: error() }],
        },
        StorageMigrationError::Controller { name: crd(), message: "0/1 not yet migrated".into() },
        StorageMigrationError::Changed { crd: crd() },
        StorageMigrationError::Request(error()),
    ]
}

pub(super) fn paths() -> Vec<PathError> {
    let object: Unstructured = serde_json::from_value(json!({
        "spec": { "password": SECRET, "list": [SECRET] },
    }))
    .unwrap();
    vec![
        object.get_str("spec..a").unwrap_err(),
        object.get_str("spec.list[3]").unwrap_err(),
        object.get_i64("spec.password").unwrap_err(),
        object.get_as::<u8>("spec.password").unwrap_err(),
        object.get_str("metadata.name").unwrap_err(),
    ]
}

pub(super) fn scopes() -> Vec<ScopeError> {
    let resource = || "vms.example.com".to_owned();
    vec![ScopeError::Namespaced { resource: resource() }, ScopeError::Cluster { resource: resource() }]
}

pub(super) fn schemes() -> Vec<DecodeError> {
    let scheme = Scheme::new().register::<ConfigMap>().unwrap();
    let config =
        |data: &str| format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{data}}}"#);
    let secret = format!(r#"{{"apiVersion":"v1","kind":"Secret","data":{{"a":"{SECRET}"}}}}"#);
    let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{secret}]}}"#);
    let empty = r#"{"apiVersion":"v1","kind":"List","items":[]}"#;
    let of_json = |json: &str| scheme.decode(json.as_bytes()).unwrap_err();
    let of_yaml = |yaml: &str| scheme.decode_yaml(yaml).unwrap_err();
    vec![
        of_json(&format!("\"{SECRET}\"")),
        of_json(&format!("{{\"a\": {SECRET}")),
        of_json(&format!(r#"{{"kind":["{SECRET}"]}}"#)),
        of_yaml(&format!("a: {SECRET}\nb: [")),
        of_yaml(&format!("token: {SECRET}\ntoken: {SECRET}")),
        of_yaml(&format!("a: !!int {SECRET}")),
        of_yaml(&format!("? {SECRET}\n\t: a")),
        of_json(&format!(r#"{{"data":"{SECRET}"}}"#)),
        of_json(&secret),
        of_json(&list),
        of_json(&config(&format!("\"{SECRET}\""))),
        of_json(empty),
    ]
}

pub(super) fn labels() -> Vec<InvalidLabel> {
    let none: [&str; 0] = [];
    let value = format!("{SECRET} !");
    vec![
        Labels::new().exists("a b").unwrap_err(),
        Labels::new().equal("a", &value).unwrap_err(),
        Labels::new().one_of("a", none).unwrap_err(),
        InvalidLabel::UnexpectedValues("a".into()),
        InvalidLabel::Operator { key: "a".into(), operator: "Like".into() },
    ]
}
