use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    CustomResource, KubeSchema,
    json::decode::tests::{
        documents::{documents, odd},
        kubernetes::metadata,
        types::{Defaults, Plain, plain},
        *,
    },
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Cat", status = "CatStatus", decode)]
struct CatSpec {
    lives: u8,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(decode)]
struct CatStatus {
    asleep: Option<bool>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Dog", decode, decode_any_version)]
struct DogSpec {
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    all: Value,
}

/// Flattened fields, which serde decodes.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Flea", decode, no_spec)]
struct FleaSpec {
    size: u8,
}

fn cat() -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Cat",
        "metadata": metadata(),
        "spec": { "lives": 9, "names": ["Tom"] },
        "status": { "asleep": true },
    })
}

fn dog() -> Value {
    json!({ "apiVersion": "example.com/v2", "metadata": { "name": "d" }, "spec": { "a": 1 } })
}

#[test]
fn usual_objects_are_decoded() {
    let cat = assert_decodes::<Cat>(&cat().to_string());
    assert_eq!(cat.spec.lives, 9);
    assert_eq!(cat.status.unwrap().asleep, Some(true));
    assert_eq!(cat.metadata.name.as_deref(), Some("d-1"));
    let bare = r#"{"kind":null,"metadata":{},"spec":{"lives":1},"status":null,"more":[]}"#;
    assert!(assert_decodes::<Cat>(bare).status.is_none());
    assert_eq!(assert_decodes::<Dog>(&dog().to_string()).spec.all["a"], 1);
}

#[test]
fn objects_of_other_kinds_are_left_to_serde() {
    let mut cat = cat();
    cat["kind"] = json!("Dog");
    assert_left_to_serde::<Cat>(&cat.to_string());
    let error = serde_json::from_value::<Cat>(cat).unwrap_err().to_string();
    assert!(error.starts_with("the object is a Dog of example.com/v1, expected a Cat"), "{error}");
}

#[test]
fn other_deserializers_are_supported() {
    let cat = cat();
    let expected = format!("{:?}", assert_decodes::<Cat>(&cat.to_string()));
    let of_value: Cat = serde_json::from_value(cat.clone()).unwrap();
    let of_bytes: Cat = serde_json::from_slice(cat.to_string().as_bytes()).unwrap();
    let of_yaml: Cat = serde_saphyr::from_str(&serde_json::to_string_pretty(&cat).unwrap()).unwrap();
    let members = cat.as_object().unwrap().clone().into_iter();
    let of_map = serde::de::value::MapDeserializer::new(members);
    let of_map = Cat::deserialize(of_map).map_err(|error: serde_json::Error| error).unwrap();
    for other in [of_value, of_bytes, of_yaml, of_map] {
        assert_eq!(format!("{other:?}"), expected);
    }
    let flea: Flea = serde_json::from_value(json!({ "metadata": {}, "size": 1 })).unwrap();
    assert_eq!(flea.spec.size, 1);
}

#[test]
fn unusual_values_decode_as_in_serde() {
    for text in odd() {
        compare::<Cat>(&text);
        compare::<Dog>(&text);
        compare::<Cat>(&format!("{{\"metadata\":{{}},\"spec\":{{\"lives\":1}},\"kind\":{text}}}"));
        compare::<Cat>(&format!("{{\"metadata\":{{}},\"spec\":{{\"lives\":1}},\"status\":{text}}}"));
        compare::<Dog>(&format!("{{\"metadata\":{{}},\"spec\":{{}},\"apiVersion\":{text}}}"));
        compare::<Dog>(&format!("{{\"metadata\":{{}},\"spec\":{{}},\"status\":{text}}}"));
    }
    assert_decodes::<Plain>(&plain().to_string());
    compare::<Defaults>("{}");
}

proptest! {
    #[test]
    fn changed_objects_decode_as_in_serde(text in documents(cat())) {
        compare::<Cat>(&text);
    }

    #[test]
    fn changed_objects_of_any_version_decode_as_in_serde(text in documents(dog())) {
        compare::<Dog>(&text);
    }
}
