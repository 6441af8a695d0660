//! `key_pattern` of maps.

use std::collections::BTreeMap;

use crdkit::{CustomResource, CustomResourceExt, KubeSchema, testing::RoundtripTest};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "keys.example.com", version = "v1", kind = "Keyed", cel)]
struct KeyedSpec {
    #[crd(key_pattern = r"^[a-z][a-z0-9]{0,3}(\.'b')?$")]
    #[serde(deserialize_with = "known")]
    labels: BTreeMap<String, String>,
    #[crd(values(key_pattern = "^x"), max_properties = 4)]
    nested: BTreeMap<String, BTreeMap<String, bool>>,
}

/// Relies on the pattern.
fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let labels = BTreeMap::<String, String>::deserialize(deserializer)?;
    if labels.keys().all(|key| key.starts_with(|c: char| c.is_ascii_lowercase())) {
        Ok(labels)
    } else {
        Err(serde::de::Error::custom("a key does not start with a letter"))
    }
}

fn spec() -> Value {
    let version = json!(Keyed::crd().spec.versions[0]);
    version["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

#[test]
fn rules_of_keys_are_written() {
    let properties = &spec()["properties"];
    let rules = json!([{
        "rule": r"self.all(key, key.matches('^[a-z][a-z0-9]{0,3}(\\.\'b\')?$'))",
        "message": r"keys must match `^[a-z][a-z0-9]{0,3}(\.'b')?$`",
    }]);
    assert_eq!(properties["labels"]["x-kubernetes-validations"], rules);
    let nested = &properties["nested"]["additionalProperties"]["x-kubernetes-validations"];
    assert_eq!(nested[0]["rule"], "self.all(key, key.matches('^x'))");
}

fn keyed(label: &str, nested: &str) -> Keyed {
    let labels = BTreeMap::from([(label.to_owned(), String::new())]);
    let nested = BTreeMap::from([("any".to_owned(), BTreeMap::from([(nested.to_owned(), true)]))]);
    Keyed::new("a", KeyedSpec { labels, nested })
}

#[test]
fn rules_of_keys_are_run_in_process() {
    assert!(keyed("ab.'b'", "x1").validate_cel().is_ok());
    let error = keyed("A", "x1").validate_cel().unwrap_err().to_string();
    assert!(error.contains("keys must match `^[a-z]"), "{error}");
    let error = keyed("a", "y").validate_cel().unwrap_err().to_string();
    assert!(error.contains("keys must match `^x`"), "{error}");
}

#[test]
fn random_documents_have_such_keys() {
    let report = RoundtripTest::of_resource::<Keyed>().run();
    assert!(report.is_good(), "{report}");
    let cases = RoundtripTest::of_resource::<Keyed>().cases();
    let stored: Vec<_> = cases.into_iter().filter_map(|case| case.stored).collect();
    let labels = stored.iter().filter_map(|object| object["spec"]["labels"].as_object());
    let keys: Vec<_> = labels.flat_map(|labels| labels.keys()).collect();
    assert!(keys.len() > 10, "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with(|c: char| c.is_ascii_lowercase())), "{keys:?}");
}
