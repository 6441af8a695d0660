use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::DynamicObject;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::{
    CustomResource, KubeSchema,
    client::{
        decode::{decoder::tests::json, without_managed_fields::WithoutManagedFields},
        limits::MAX_DEPTH,
    },
    informer::decode::{Decoder, ManagedFields, identity},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "example.com", version = "v1", kind = "Disk", namespaced, status = "DiskStatus")]
struct DiskSpec {
    size: u32,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct DiskStatus {
    phase: String,
}

fn disk() -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Disk",
        "metadata": {
            "annotations": { "a": "x\"y", "b": "z".repeat(100) },
            "creationTimestamp": "2026-01-02T03:04:05Z",
            "deletionGracePeriodSeconds": 0,
            "deletionTimestamp": "2026-01-02T03:04:05.25Z",
            "finalizers": ["f"],
            "generateName": "d-",
            "generation": 3,
            "labels": {},
            "managedFields": [{ "manager": "m", "operation": "Apply" }],
            "name": "d-1",
            "namespace": "prod",
            "ownerReferences": [
                { "apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": true },
                { "apiVersion": "v1", "kind": "Node", "name": "m", "uid": "v", "blockOwnerDeletion": false },
            ],
            "resourceVersion": "7",
            "uid": "0000",
        },
        "spec": { "size": 8, "tags": ["t"] },
        "status": { "phase": "Bound" },
    })
}

fn compact<K>(object: &Value) -> Compact<K> {
    serde_json::from_value(object.clone()).unwrap()
}

/// Decodes an object as an informer does.
fn informed<T: DeserializeOwned>(object: &str) -> Option<T> {
    let identity = identity(object).ok()?;
    Decoder::new(ManagedFields::Dropped, MAX_DEPTH).decode(object, &identity).ok()
}

#[test]
fn everything_except_managed_fields_is_stored() {
    let mut whole: Disk = serde_json::from_value(disk()).unwrap();
    whole.metadata.managed_fields = None;
    let text = disk().to_string();
    for compact in [compact::<Disk>(&disk()), informed(&text).unwrap()] {
        let full = compact.to_full().unwrap();
        assert_eq!(full.metadata, whole.metadata);
        assert_eq!((&full.spec, &full.status), (&whole.spec, &whole.status));
        assert_eq!(compact.spec().unwrap(), &whole.spec);
        assert_eq!(compact.status().unwrap(), whole.status.as_ref());
        assert_eq!(compact.creation_timestamp(), whole.metadata.creation_timestamp.as_ref());
        assert_eq!(compact.deletion_timestamp(), whole.metadata.deletion_timestamp.as_ref());
        same_to_stores(&compact, &whole);
    }
}

fn same_to_stores<K: CacheObject>(compact: &Compact<K::Kind>, whole: &K)
where
    K::Kind: Send + Sync,
{
    assert_eq!(compact.namespace(), whole.namespace());
    assert_eq!(compact.name(), whole.name());
    assert_eq!(compact.uid(), whole.uid());
    assert_eq!(compact.resource_version(), whole.resource_version());
    assert_eq!(compact.generation(), whole.generation());
    assert_eq!(compact.is_terminating(), whole.is_terminating());
    assert!(compact.labels().eq(whole.labels()));
    assert!(compact.annotations().eq(whole.annotations()));
    assert!(compact.finalizers().eq(whole.finalizers()));
    assert!(compact.owners().eq(whole.owners()));
}

#[test]
fn parts_have_their_defaults() {
    use crdkit::{CustomResource, KubeSchema};
    use serde::Serialize;

    #[derive(CustomResource, KubeSchema, Serialize, serde::Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Server", status = "ServerStatus")]
    struct ServerSpec {
        #[crd(default = 3)]
        replicas: i32,
    }
    #[derive(KubeSchema, Serialize, serde::Deserialize, Clone, Debug)]
    struct ServerStatus {
        #[crd(default = "Pending")]
        phase: Option<String>,
    }

    let object = json!({ "metadata": { "name": "a" }, "spec": {}, "status": {} });
    let compact = compact::<Server>(&object);
    assert_eq!(compact.spec().unwrap().replicas, 3);
    assert_eq!(compact.status().unwrap().unwrap().phase.as_deref(), Some("Pending"));
}

#[test]
fn parts_are_decoded_once() {
    let compact = compact::<Disk>(&disk());
    assert!(std::ptr::eq(compact.spec().unwrap(), compact.spec().unwrap()));
    let status = || compact.status().unwrap().unwrap();
    assert!(std::ptr::eq(status(), status()));
}

#[test]
fn the_status_may_be_missing() {
    let mut object = disk();
    object["status"] = Value::Null;
    assert_eq!(compact::<Disk>(&object).status().unwrap(), None);
    object.as_object_mut().unwrap().remove("status");
    assert_eq!(compact::<Disk>(&object).status().unwrap(), None);
}

#[test]
fn other_top_level_fields_are_stored() {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" },
        "data": { "b\n": "c" }, "immutable": true,
    });
    let whole: ConfigMap = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(compact::<ConfigMap>(&object).to_full().unwrap(), whole);
    let bare = compact::<ConfigMap>(&json!({ "metadata": { "name": "a" } }));
    assert_eq!(bare.to_full().unwrap().metadata.name.as_deref(), Some("a"));
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "example.com", version = "v1", kind = "Flat", no_spec)]
struct FlatFields {
    size: u32,
}

#[test]
fn specs_at_the_root_are_decoded() {
    let flat = compact::<Flat>(&json!({ "metadata": { "name": "a" }, "size": 8 }));
    assert_eq!(flat.spec().unwrap(), &FlatFields { size: 8 });
    let odd = compact::<Flat>(&json!({ "metadata": { "name": "a" }, "size": "8" }));
    assert!(odd.spec().is_err());
}

#[test]
fn errors_name_the_object_and_the_path() {
    let mut object = disk();
    object["spec"]["tags"] = json!(["t", 1]);
    object["status"] = json!([]);
    let compact = compact::<Disk>(&object);
    let error = compact.spec().unwrap_err();
    assert_eq!(error.path.as_deref(), Some("spec.tags[1]"));
    let beginning =
        "failed to decode the object `prod/d-1` at `spec.tags[1]`: invalid type: integer, expected a string";
    assert!(error.to_string().starts_with(beginning), "{error}");
    assert_eq!(compact.status().unwrap_err().path.as_deref(), Some("status"));
    assert_eq!(compact.to_full().unwrap_err().path.as_deref(), Some("spec.tags[1]"));
}

#[test]
fn non_objects_are_rejected() {
    let whole = disk().to_string();
    assert!(informed::<Compact<Disk>>(&whole).is_some());
    let spec = r#""size":8"#;
    for broken in [
        &whole[..whole.len() - 1],
        &whole.replace(spec, r#""size":08"#),
        &whole.replace(spec, r#""size" 8"#),
        &whole.replace("\"uid\":\"0000\"", "\"uid\":0"),
        &whole.replace("2026-01-02T03:04:05Z", "yesterday"),
        &format!("{whole},"),
    ] {
        assert!(informed::<Compact<Disk>>(broken).is_none(), "{broken}");
    }
    for odd in ["null", "[]", "{}", "\"a\"", r#"{"metadata":{"labels":{"a":1}}}"#] {
        assert!(serde_json::from_str::<Compact<Disk>>(odd).is_err(), "{odd}");
    }
}

#[test]
fn compact_objects_are_send_and_sync() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Compact<Disk>>();
}

/// Metadata that the API server may send, in any order and notation.
fn metadata() -> impl Strategy<Value = Value> {
    let text = || prop_oneof![Just(json!(null)), "[a-c\"é]{0,3}".prop_map(Value::from)];
    let map = || prop::option::of(prop::collection::btree_map("[a-d]", "[a-c]{0,80}", 0..4));
    let number = || prop::option::of(any::<i64>());
    let time = || prop::option::of(0..4_000_000_000i64);
    let owner = (text(), text(), any::<Option<bool>>()).prop_map(|(name, uid, controller)| {
        json!({ "apiVersion": "v1", "kind": "A", "name": name, "uid": uid, "controller": controller })
    });
    let owners = prop::option::of(prop::collection::vec(owner, 0..3));
    let texts = (text(), text(), text(), text(), text());
    let maps = (map(), map(), prop::option::of(prop::collection::vec("[a-c]", 0..3)));
    let numbers = (number(), number(), time(), time());
    (texts, maps, numbers, owners).prop_map(|(texts, maps, numbers, owners)| {
        let time = |seconds| k8s_openapi::jiff::Timestamp::from_second(seconds).unwrap().to_string();
        json!({
            "name": "a", "namespace": texts.0, "uid": texts.1, "resourceVersion": texts.2,
            "generateName": texts.3, "selfLink": texts.4,
            "labels": maps.0, "annotations": maps.1, "finalizers": maps.2,
            "generation": numbers.0, "deletionGracePeriodSeconds": numbers.1,
            "creationTimestamp": numbers.2.map(time), "deletionTimestamp": numbers.3.map(time),
            "ownerReferences": owners, "managedFields": [],
        })
    })
}

/// The expected object: as serde decodes it, and as serde decodes it if only the last one of repeated keys is present.
fn expected(object: &str) -> [Option<DynamicObject>; 2] {
    let whole = || {
        let mut deserializer = serde_json::Deserializer::from_str(object);
        let whole = DynamicObject::deserialize(WithoutManagedFields::object(&mut deserializer));
        deserializer.end().and(whole).ok()
    };
    let once = || {
        let mut object: Value = serde_json::from_str(object).ok()?;
        let metadata = object.get_mut("metadata")?.as_object_mut()?;
        metadata.remove("managedFields");
        serde_json::from_value(object).ok()
    };
    [whole(), once()]
}

fn same_as_serde(object: &str) -> Result<(), TestCaseError> {
    let expected = expected(object);
    for compact in [informed::<Compact<DynamicObject>>(object), serde_json::from_str(object).ok()] {
        let full = compact.as_ref().and_then(|compact| compact.to_full().ok());
        prop_assert!(expected.contains(&full), "{}\n{:?}\n{:?}", object, full, expected);
        if let (Some(compact), Some(full)) = (compact, full) {
            same_to_stores(&compact, &full);
        }
    }
    Ok(())
}

#[test]
fn managed_fields_of_any_type_are_dropped() {
    // Only serde_json supports the escape.
    for label in ["a", "\\n"] {
        same_as_serde(&format!(r#"{{"metadata":{{"managedFields":true,"name":"a","labels":{{"{label}":""}}}}}}"#))
            .unwrap();
    }
}

/// Nested lists or objects.
fn nested(depth: usize, objects: bool) -> String {
    let (open, close) = if objects { ("{\"a\":", "}") } else { ("[", "]") };
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn unknown_fields_may_be_deeply_nested() {
    for depth in [126, 127, 128, 1_000] {
        let deep = nested(depth, true);
        for managed_fields in ["[]", &deep] {
            let object = format!(
                r#"{{"apiVersion":"example.com/v1","kind":"Disk","metadata":{{"name":"a","x":{deep},"managedFields":{managed_fields}}},
                    "spec":{{"size":1,"x":{deep}}},"y":{deep}}}"#
            );
            let whole: Disk = informed(&object).unwrap();
            let compact: Compact<Disk> = informed(&object).unwrap();
            let full = compact.to_full().unwrap();
            assert_eq!((full.metadata, full.spec), (whole.metadata, whole.spec));
        }
        let elsewhere = format!(r#"{{"metadata":{{"name":"a","x":{deep},"managedFields":{deep}}}}}"#);
        assert!(serde_json::from_str::<Compact<Disk>>(&elsewhere).is_ok());
    }
}

proptest! {
    #[test]
    fn accepts_what_the_type_accepts(
        object in prop_oneof![json::kubernetes_object(), json::broken(json::kubernetes_object())],
        members in prop::collection::vec(
            (0..3_usize, prop_oneof![0..6_usize, 120..140_usize], any::<bool>()), 0..4,
        ),
    ) {
        let mut object = object;
        for (place, depth, objects) in members {
            let place = ["{", "\"metadata\":{", "\"spec\":{"][place];
            let member = format!("{place}\"x{depth}\":{},", nested(depth, objects));
            object = object.replacen(place, &member, 1);
        }
        if informed::<DynamicObject>(&object).is_some() {
            prop_assert!(informed::<Compact<DynamicObject>>(&object).is_some(), "{}", object);
        }
        if informed::<ConfigMap>(&object).is_some() {
            prop_assert!(informed::<Compact<ConfigMap>>(&object).is_some(), "{}", object);
        }
    }

    #[test]
    fn objects_survive_the_round_trip(
        metadata in metadata(),
        spec in json::value(),
        data in json::value(),
    ) {
        let types = r#""apiVersion":"v1","kind":"A""#;
        same_as_serde(&format!(r#"{{{types},"metadata":{metadata},"spec":{spec},"data":{data}}}"#))?;
    }

    #[test]
    fn unusual_objects_are_read_as_by_serde_json(
        object in prop_oneof![json::kubernetes_object(), json::broken(json::kubernetes_object())],
    ) {
        if identity(&object).is_ok() {
            same_as_serde(&object)?;
        }
    }
}
