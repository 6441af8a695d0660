use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    CustomResource, KubeSchema,
    serde::{
        Deserialize, Serialize,
        json::tests::{
            documents::{documents, odd},
            kubernetes::metadata,
            types::{Defaults, Plain, plain},
            *,
        },
        object_text,
        root::{NoStatus, Parts, RootShape, TypeMeta, parts},
    },
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Cat", status = "CatStatus")]
struct CatSpec {
    lives: u8,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct CatStatus {
    asleep: Option<bool>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Dog", decode_any_version)]
struct DogSpec {
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    all: Value,
}

/// Flattened fields, which serde decodes.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Flea", no_spec)]
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

/// Decodes a cat without serde.
fn read_cat(text: &str) -> Option<Parts<CatSpec, CatStatus>> {
    const CAT: TypeMeta = TypeMeta { api_version: "example.com/v1", kind: "Cat" };
    static SHAPE: RootShape = RootShape::new::<Cat>(Some(CAT), "a Cat of example.com/v1");
    read_by(text, |source| parts(source, &SHAPE))
}

/// Decodes a dog without serde.
fn read_dog(text: &str) -> Option<Parts<DogSpec, NoStatus>> {
    static SHAPE: RootShape = RootShape::new::<Dog>(None, "a custom resource");
    read_by(text, |source| parts(source, &SHAPE))
}

/// Decodes a text as clients do, and as serde_json.
#[track_caller]
fn compare_object<K: DeserializeOwned + Debug>(text: &str) {
    let of_text = object_text::read::<K>(text).map_err(|error| error.to_string());
    let of_serde = serde_json::from_str::<K>(text).map_err(|error| error.to_string());
    assert_eq!(format!("{of_text:?}"), format!("{of_serde:?}"), "{text}");
}

#[test]
fn usual_objects_are_decoded() {
    let cat = read_cat(&cat().to_string()).unwrap();
    assert_eq!(cat.spec.lives, 9);
    assert_eq!(cat.status.unwrap().asleep, Some(true));
    assert_eq!(cat.metadata.name.as_deref(), Some("d-1"));
    let bare = r#"{"kind":null,"metadata":{},"spec":{"lives":1},"status":null,"more":[]}"#;
    assert!(read_cat(bare).unwrap().status.is_none());
    assert_eq!(read_dog(&dog().to_string()).unwrap().spec.all["a"], 1);
}

#[test]
fn objects_of_other_kinds_are_left_to_serde() {
    let mut cat = cat();
    cat["kind"] = json!("Dog");
    assert!(read_cat(&cat.to_string()).is_none());
    compare_object::<Cat>(&cat.to_string());
    let error = serde_json::from_value::<Cat>(cat).unwrap_err().to_string();
    assert!(error.starts_with("the object is a Dog of example.com/v1, expected a Cat"), "{error}");
}

#[test]
fn other_deserializers_are_supported() {
    let cat = cat();
    let expected = format!("{:?}", object_text::read::<Cat>(&cat.to_string()).unwrap());
    let of_value: Cat = serde_json::from_value(cat.clone()).unwrap();
    let of_bytes: Cat = serde_json::from_slice(cat.to_string().as_bytes()).unwrap();
    let of_yaml: Cat = serde_saphyr::from_str(&serde_json::to_string_pretty(&cat).unwrap()).unwrap();
    let members = cat.as_object().unwrap().clone().into_iter();
    let of_map = serde::de::value::MapDeserializer::new(members);
    let of_map = <Cat as Deserialize>::deserialize(of_map).map_err(|error: serde_json::Error| error).unwrap();
    for other in [of_value, of_bytes, of_yaml, of_map] {
        assert_eq!(format!("{other:?}"), expected);
    }
    let flea: Flea = serde_json::from_value(json!({ "metadata": {}, "size": 1 })).unwrap();
    assert_eq!(flea.spec.size, 1);
}

#[test]
fn unusual_values_decode_as_in_serde() {
    for text in odd() {
        compare_object::<Cat>(&text);
        compare_object::<Dog>(&text);
        compare_object::<Cat>(&format!("{{\"metadata\":{{}},\"spec\":{{\"lives\":1}},\"kind\":{text}}}"));
        compare_object::<Cat>(&format!("{{\"metadata\":{{}},\"spec\":{{\"lives\":1}},\"status\":{text}}}"));
        compare_object::<Dog>(&format!("{{\"metadata\":{{}},\"spec\":{{}},\"apiVersion\":{text}}}"));
        compare_object::<Dog>(&format!("{{\"metadata\":{{}},\"spec\":{{}},\"status\":{text}}}"));
    }
    assert_decodes::<Plain>(&plain().to_string());
    compare::<Defaults>("{}");
}

proptest! {
    #[test]
    fn changed_objects_decode_as_in_serde(text in documents(cat())) {
        compare_object::<Cat>(&text);
    }

    #[test]
    fn changed_objects_of_any_version_decode_as_in_serde(text in documents(dog())) {
        compare_object::<Dog>(&text);
    }
}
