use k8s_openapi::api::core::v1::{ComponentStatus, ConfigMap};
use kube_core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};

use super::*;

fn configs() -> ExpectedTypes {
    ExpectedTypes::of::<ConfigMap>(&())
}

fn dynamic(group: &str, kind: &str) -> ExpectedTypes {
    let kind = GroupVersionKind::gvk(group, "v1", kind);
    ExpectedTypes::of::<DynamicObject>(&ApiResource::from_gvk(&kind))
}

fn list<'a>(api_version: &'a str, kind: &'a str) -> ListHeader<'a> {
    ListHeader { api_version: Some(api_version), kind: Some(kind), resource_version: Some("7"), has_items: true }
}

fn message(mismatch: Result<(), Mismatch>) -> String {
    mismatch.unwrap_err().to_string()
}

#[test]
fn types_of_objects_are_checked() {
    for json in [
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}"#,
        r#"{ "apiVersion": "v1", "kind": "ConfigMap" }"#,
        r#"{"metadata":{"name":"a"},"data":{},"kind":"ConfigMap","apiVersion":"v1"}"#,
        r#"{"\u006bind":"Config\u004dap","apiVersion":"v1"}"#,
    ] {
        assert!(configs().check_text(json).is_ok(), "{json}");
    }
    for json in [
        "{}",
        "[]",
        "3",
        "null",
        r#"["v1","ConfigMap"]"#,
        r#"{"kind":"ConfigMap"}"#,
        r#"{"apiVersion":"v1"}"#,
        r#"{"kind":"Secret","apiVersion":"v1","data":{}}"#,
        r#"{"kind":"ConfigMap","apiVersion":"v2","data":{}}"#,
        r#"{"kind":3,"apiVersion":"v1"}"#,
        r#"{"kind":null,"apiVersion":"v1"}"#,
        r#"{"status":"ok"}"#,
        "",
        "ok",
        "<html>",
    ] {
        let error = configs().check_text(json).unwrap_err();
        assert!(matches!(error, NotExpected::Mismatch(_)), "{json}");
    }
    let cut_off = configs().check_text(r#"{"kind":"ConfigMap""#);
    assert!(matches!(cut_off, Err(NotExpected::Malformed(_))));
}

#[test]
fn lists_are_of_the_list_kind() {
    let none = Vec::new;
    assert_eq!(configs().check_list(list("v1", "ConfigMapList"), none), Ok(()));
    let header = list("v1", "ConfigMapList");
    for odd in [
        ListHeader::default(),
        list("v1", "Status"),
        list("v1", "SecretList"),
        list("v2", "ConfigMapList"),
        ListHeader { has_items: false, ..header },
        ListHeader { resource_version: None, ..header },
        ListHeader { resource_version: Some(""), ..header },
        ListHeader { kind: None, ..header },
        ListHeader { api_version: None, ..header },
    ] {
        assert!(configs().check_list(odd, none).is_err(), "{odd:?}");
    }
}

#[test]
fn lists_of_another_kind_need_items_with_types() {
    let geese = dynamic("example.com", "Goose");
    let item = r#"{"apiVersion":"example.com/v1","kind":"Goose","metadata":{}}"#;
    let other = r#"{"apiVersion":"example.com/v1","kind":"Duck","metadata":{}}"#;
    let gaggle = list("example.com/v1", "Gaggle");
    assert_eq!(geese.check_list(gaggle, || vec![item, item]), Ok(()));
    for items in [vec![], vec![item, other], vec!["{}"]] {
        let error = message(geese.check_list(gaggle, || items));
        assert!(error.contains("`.list_kind(...)`"), "{error}");
    }
    let named = geese.with_list_kind("Gaggle");
    assert_eq!(named.check_list(gaggle, Vec::new), Ok(()));
    let error = named.check_list(list("example.com/v1", "GooseList"), Vec::new);
    assert!(error.is_err());
}

#[test]
fn metadata_has_a_kind_of_its_own() {
    let metadata = ExpectedTypes::of::<PartialObjectMeta<ConfigMap>>(&());
    let named = metadata.with_list_kind("Gaggle");
    let header = list("meta.k8s.io/v1", "PartialObjectMetadataList");
    assert_eq!(named.check_list(header, Vec::new), Ok(()));
    let object = r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}}"#;
    assert!(metadata.check_text(object).is_ok());
}

#[test]
fn virtual_kinds_have_no_version() {
    let pods = dynamic("metrics.k8s.io", "PodMetrics");
    let header = ListHeader { resource_version: None, ..list("metrics.k8s.io/v1", "PodMetricsList") };
    assert_eq!(pods.check_list(header, Vec::new), Ok(()));
    let components = ExpectedTypes::of::<ComponentStatus>(&());
    let header = ListHeader { resource_version: None, ..list("v1", "ComponentStatusList") };
    assert_eq!(components.check_list(header, Vec::new), Ok(()));
}

#[test]
fn messages_contain_types_and_nothing_else() {
    let error = message(configs().check_object(Some("v1"), Some("Status")));
    let expected = "expected `ConfigMap` of `v1`, but the response is `Status` of `v1`; a proxy or another service may \
                    have responded instead of the API server";
    assert_eq!(error, expected);
    let error = message(configs().check_object(None, Some("a secret: \n")));
    assert!(error.contains("is `(not a name)` without `apiVersion`;"), "{error}");
    let header = ListHeader { has_items: false, ..list("v1", "ConfigMapList") };
    let error = message(configs().check_list(header, Vec::new));
    let start = "expected `ConfigMapList` of `v1`, but the response is `ConfigMapList` of `v1` without `items`;";
    assert!(error.starts_with(start), "{error}");
}
