mod emitted;
pub(crate) mod json;

use k8s_openapi::api::core::v1::ConfigMap;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::*;
use crate::client::{
    decode::{identity::identity, page_text::PageText},
    limits::MAX_DEPTH,
    watch::line::{Bookmark, line},
};

fn decode<T: DeserializeOwned>(object: &str, keep: bool) -> Result<T, Failure> {
    let identity = identity(object).unwrap();
    let managed_fields = if keep { ManagedFields::Retained } else { ManagedFields::Dropped };
    Decoder::new(managed_fields, MAX_DEPTH).decode(object, &identity)
}

fn config() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "a",
            "namespace": "prod",
            "managedFields": [{ "manager": "m", "operation": "Apply", "fieldsV1": { "k:{\"a\":1}": {} } }],
            "uid": "u",
        },
        "data": { "managedFields": "not metadata" },
    })
}

#[test]
fn managed_fields_are_dropped_by_default() {
    let object = config().to_string();
    let whole: ConfigMap = serde_json::from_str(&object).unwrap();
    assert_eq!(decode::<ConfigMap>(&object, true).unwrap(), whole);
    let mut trimmed = whole;
    trimmed.metadata.managed_fields = None;
    assert_eq!(decode::<ConfigMap>(&object, false).unwrap(), trimmed);
}

#[test]
fn types_without_api_version_and_kind_are_decoded() {
    let object = r#"{"metadata":{"name":"a"},"data":{"b":"c"}}"#;
    assert_eq!(decode::<ConfigMap>(object, false).unwrap().data.unwrap()["b"], "c");
}

#[test]
fn errors_refer_to_the_received_text() {
    let mut object = config();
    object["data"]["size"] = json!(1);
    // After the omitted fields.
    let object =
        serde_json::to_string_pretty(&object).unwrap().replacen("\"apiVersion\"", "\"zero\": 0, \"apiVersion\"", 1);
    let failure = decode::<ConfigMap>(&object, false).unwrap_err();
    assert_eq!(failure.name.as_deref(), Some("a"));
    assert_eq!(failure.namespace.as_deref(), Some("prod"));
    assert_eq!(failure.path.as_deref(), Some("data.size"));
    let whole = serde_json::from_str::<ConfigMap>(&object).unwrap_err();
    assert_eq!((failure.source.line(), failure.source.column()), (whole.line(), whole.column()));
}

#[test]
fn omitted_fields_must_be_valid() {
    let object = |managed_fields: &str| format!(r#"{{"metadata":{{"managedFields":{managed_fields},"name":"a"}}}}"#);
    for valid in ["[]", "null", "1", r#"[{"a":"\ud83d"}]"#, r#"["k:{\"a\":[]}"]"#, "[-1.5e+3]"] {
        assert!(decode::<Value>(&object(valid), false).is_ok(), "{valid}");
    }
    for invalid in
        ["[}", "[1 2]", "[nul]", r#"{"a"}"#, r#"{"a":1,}"#, "[01]", "[.5]", "[1.]", "[\"\n\"]", r#"["\x"]"#, "[{]}"]
    {
        let object = object(invalid);
        if let Ok(identity) = identity(&object) {
            let decoded = Decoder::new(ManagedFields::Dropped, MAX_DEPTH).decode::<Value>(&object, &identity);
            assert!(decoded.is_err(), "{invalid}");
        }
    }
}

#[test]
fn values_may_be_nested_as_deeply_as_serde_json_allows() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [1, 126, 127, 128, 300] {
        let is_valid = is_valid(&nested(depth));
        assert_eq!(is_valid, serde_json::from_str::<Value>(&nested(depth)).is_ok(), "{depth}");
        assert_eq!(is_valid, depth < 128);
    }
}

#[test]
fn nesting_depth_is_limited() {
    let object = |levels: usize| {
        let (begin, end) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(r#"{{"metadata":{{"name":"a","managedFields":[]}},"data":{begin}{end}}}"#)
    };
    let decode = |allowed, levels| {
        let object = object(levels);
        let identity = identity(&object).unwrap();
        let mut decoder = Decoder::new(ManagedFields::Dropped, allowed);
        decoder.decode::<Value>(&object, &identity).map(drop)
    };
    for allowed in [5, 126, 127] {
        decode(allowed, allowed).unwrap();
        let failure = decode(allowed, allowed + 1).unwrap_err();
        assert_eq!(failure.name.as_deref(), Some("a"));
        let message = format!("an object is nested more than {allowed} deep; ");
        assert!(failure.source.to_string().starts_with(&message), "{failure:?}");
    }
}

#[test]
fn types_that_request_the_text_receive_it() {
    #[derive(Debug, PartialEq)]
    struct Whole(String);

    impl<'de> serde::Deserialize<'de> for Whole {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_newtype_struct(crate::serde::object_text::OBJECT_TEXT, WholeVisitor)
        }
    }

    struct WholeVisitor;

    impl<'de> serde::de::Visitor<'de> for WholeVisitor {
        type Value = Whole;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Whole, E> {
            Ok(Whole(text.to_owned()))
        }

        fn visit_newtype_struct<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Whole, D::Error> {
            let value = <Value as serde::Deserialize>::deserialize(deserializer)?;
            Ok(Whole(format!("decoded {value}")))
        }
    }

    let object = r#"{"metadata":{"managedFields":[],"name":"a"}}"#;
    let text = |text: &str| Whole(text.to_owned());
    assert_eq!(decode::<Whole>(object, true).unwrap(), text(object));
    assert_eq!(decode::<Whole>(object, false).unwrap(), text(r#"{"metadata":{"name":"a"}}"#));
    let plain = r#"decoded {"metadata":{"name":"a"}}"#;
    assert_eq!(serde_json::from_str::<Whole>(r#"{"metadata":{"name":"a"}}"#).unwrap(), text(plain));
}

fn same_as_serde(object: &str) -> Result<(), TestCaseError> {
    let Ok(identity) = identity(object) else {
        return Ok(());
    };
    let decoded = Decoder::new(ManagedFields::Dropped, MAX_DEPTH).decode::<Value>(object, &identity);
    let expected = read_trimmed::<Value>(object);
    prop_assert_eq!(decoded.is_ok(), expected.is_ok(), "{}", object);
    if let (Ok(decoded), Ok(expected)) = (decoded, expected) {
        let metadata = &expected["metadata"];
        prop_assert_eq!(&decoded, &expected);
        prop_assert_eq!(metadata["name"].as_str(), Some(&*identity.name));
        prop_assert_eq!(metadata["namespace"].as_str(), identity.namespace.as_deref());
        prop_assert_eq!(metadata["uid"].as_str(), identity.uid.as_deref());
        let version = metadata["resourceVersion"].as_str().unwrap_or_default();
        prop_assert_eq!(version, &*identity.resource_version);
    }
    Ok(())
}

proptest! {
    #[test]
    fn objects_are_decoded_as_by_serde_json(object in json::kubernetes_object()) {
        let mut whole: Value = serde_json::from_str(&object).unwrap();
        if let Some(metadata) = whole["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        same_as_serde(&object)?;
        if identity(&object).is_ok() {
            prop_assert_eq!(decode::<Value>(&object, false).unwrap(), whole);
        }
    }

    #[test]
    fn broken_objects_are_rejected_as_by_serde_json(
        object in json::broken(json::kubernetes_object()),
    ) {
        same_as_serde(&object)?;
    }

    #[test]
    fn values_are_validated_as_by_serde_json(json in json::value(), broken in json::broken(json::value())) {
        prop_assert!(is_valid(&json));
        prop_assert_eq!(is_valid(&broken), serde_json::from_str::<IgnoredAny>(&broken).is_ok(), "{}", broken);
    }

    #[test]
    fn lists_are_split_as_by_serde_json(items in prop::collection::vec(json::kubernetes_object(), 0..4)) {
        let list = format!(r#"{{"items":[{}],"metadata":{{"resourceVersion":"1"}}}}"#, items.join(", "));
        prop_assert_eq!(PageText::read(&list).unwrap().items.unwrap(), items);
    }

    #[test]
    fn bytes_never_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), text in "[{}\\[\\]\",:\\\\a0 ]{0,80}") {
        let _ = line(&bytes);
        for text in [String::from_utf8_lossy(&bytes).into_owned(), text] {
            let _ = (line(text.as_bytes()), PageText::read(&text), identity(&text), Bookmark::read(&text), is_valid(&text));
            let in_metadata = format!(r#"{{"metadata":{text}}}"#);
            same_as_serde(&in_metadata)?;
            let _ = PageText::read(&format!(r#"{{"items":{text}}}"#));
        }
    }
}
