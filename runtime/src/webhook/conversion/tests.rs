//! Reviews as text and as values have the same response.

use std::collections::BTreeMap;

use proptest::{collection, prelude::*};
use serde_json::{Map, json};

use super::*;
use crate::convert::Hub;

mod v1 {
    use super::BTreeMap;
    use crate::{CustomResource, KubeSchema};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
    pub(crate) struct MachineSpec {
        pub(crate) memory: String,
        pub(crate) cores: u8,
        pub(crate) zone: Option<String>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub(crate) disks: Vec<Disk>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub(crate) networks: BTreeMap<String, Network>,
        pub(crate) mode: Mode,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) struct Disk {
        pub(crate) name: String,
        pub(crate) size: i64,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) struct Network {
        pub(crate) address: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) enum Mode {
        Running,
        Stopped,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) struct MachineStatus {
        pub(crate) phase: Option<String>,
    }
}

/// A version in which nothing gets lost.
mod v1beta1 {
    use super::{BTreeMap, v1};
    use crate::{CustomResource, KubeSchema, convert::Convert};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(
        group = "example.com",
        version = "v1beta1",
        kind = "Machine",
        namespaced,
        status = "v1::MachineStatus",
        storage = false
    )]
    #[convert(hub = v1::Machine)]
    pub(crate) struct MachineSpec {
        #[convert(to = "memory")]
        pub(crate) ram: String,
        pub(crate) cores: u8,
        pub(crate) zone: Option<String>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub(crate) disks: Vec<Disk>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub(crate) networks: BTreeMap<String, Network>,
        pub(crate) mode: Mode,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Disk)]
    pub(crate) struct Disk {
        pub(crate) name: String,
        #[convert(to = "size")]
        pub(crate) capacity: i64,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Network)]
    pub(crate) struct Network {
        #[convert(to = "address")]
        pub(crate) ip: String,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Mode)]
    pub(crate) enum Mode {
        #[convert(to = "Running")]
        On,
        #[convert(to = "Stopped")]
        Off,
    }
}

/// A version without a status, in which much gets lost.
mod v1alpha1 {
    use super::v1;
    use crate::{CustomResource, KubeSchema, convert::Convert};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
    #[convert(hub = v1::Machine, hub_default(mode = v1::Mode::Running))]
    pub(crate) struct MachineSpec {
        pub(crate) memory: String,
        #[convert(to = "cores", with = complement)]
        pub(crate) spare: u8,
        #[convert(dropped)]
        pub(crate) note: Option<String>,
    }

    mod complement {
        pub(crate) fn to_hub(spare: u8) -> u8 {
            u8::MAX - spare
        }

        pub(crate) fn from_hub(cores: u8) -> u8 {
            u8::MAX - cores
        }
    }
}

const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];

fn converter() -> Converter {
    Hub::<v1::Machine>::new().spoke::<v1beta1::Machine>().spoke::<v1alpha1::Machine>().converter()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,3}", "[\"\\\\/\n\u{0}é\u{1f600}]{0,3}"]
}

/// Any value, with few names.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..300).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..100_i32).prop_map(|number| json!(f64::from(number) / 4.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object(&["name", "size", "capacity", "address", "unknown"], inner),
        ]
    })
}

/// An object with some of these members.
fn object(names: &'static [&'static str], member: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let members = collection::vec((prop::sample::select(names), member), 0..4);
    members.prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Value>())
}

/// A list of objects with names, most of them of the right form.
fn disks() -> impl Strategy<Value = Value> {
    let disk = (text(), any::<i64>(), prop::option::of(value())).prop_map(|(name, size, unknown)| {
        let disk = json!({ "name": name, "size": size, "capacity": size });
        with(disk, unknown.map(|value| ("unknown".to_owned(), value)))
    });
    collection::vec(disk, 0..3).prop_map(Value::from)
}

fn spec() -> impl Strategy<Value = Value> {
    let mode = prop::sample::select(vec!["Running", "Stopped", "On", "Off", "Other"]);
    let members = (
        text(),
        0..300_u32,
        prop::option::of(text()),
        disks(),
        mode,
        object(&["zone", "note", "cores", "disks", "networks", "unknown"], value()),
    );
    members.prop_map(|(memory, cores, zone, disks, mode, others)| {
        let cores = if cores == 0 { json!("0") } else { json!(cores) };
        let spec = json!({
            "memory": memory, "ram": memory, "cores": cores, "spare": cores, "disks": disks, "mode": mode,
            "networks": { "a/b": { "address": "10.0.0.1", "ip": "10.0.0.1" } },
        });
        let zone = zone.map(|zone| ("zone".to_owned(), zone.into()));
        with(with(spec, zone), others.as_object().cloned().unwrap_or_default())
    })
}

/// Returns an object with further members.
fn with(mut object: Value, more: impl IntoIterator<Item = (String, Value)>) -> Value {
    if let Value::Object(members) = &mut object {
        members.extend(more);
    }
    object
}

fn metadata() -> impl Strategy<Value = Value> {
    let annotation = prop::sample::select(vec!["example.com/note", "conversion.crdkit.dev/kept"]);
    (text(), text(), prop::option::of((annotation, text()))).prop_map(|(name, label, annotation)| {
        let annotations: Map<_, _> = annotation.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect();
        json!({ "name": name, "namespace": "default", "labels": { "a": label }, "annotations": annotations })
    })
}

/// The same spec in each version, with declared fields only.
fn declared() -> impl Strategy<Value = [Value; 3]> {
    let parts = (text(), any::<u8>(), prop::option::of(text()), collection::vec(any::<i64>(), 0..3), any::<bool>());
    parts.prop_map(|(memory, cores, zone, sizes, is_on)| {
        let disks = |name: &str| -> Value {
            let disk = |(index, size)| json!({ "name": format!("disk-{index}"), name: size });
            sizes.iter().enumerate().map(disk).collect()
        };
        let v1 = json!({
            "memory": memory, "cores": cores, "zone": zone, "disks": disks("size"),
            "networks": { "a/b": { "address": memory } }, "mode": if is_on { "Running" } else { "Stopped" },
        });
        let v1beta1 = json!({
            "ram": memory, "cores": cores, "zone": zone, "disks": disks("capacity"),
            "networks": { "a/b": { "ip": memory } }, "mode": if is_on { "On" } else { "Off" },
        });
        [v1, v1beta1, json!({ "memory": memory, "spare": cores, "note": zone })]
    })
}

/// An object, which may have been converted before, and changed since.
fn machine() -> impl Strategy<Value = Value> {
    let version = || prop::sample::select(vec![0, 1, 2]);
    let status = object(&["phase", "unknown"], value());
    let specs = || prop_oneof![2 => declared(), 1 => spec().prop_map(|spec| [spec.clone(), spec.clone(), spec])];
    let parts = (version(), version(), metadata(), specs(), prop::option::of(status), prop::option::of(specs()));
    parts.prop_map(|(version, converted, metadata, specs, status, changed)| {
        let mut machine = json!({
            "apiVersion": format!("example.com/{}", VERSIONS[version]), "kind": "Machine", "metadata": metadata,
            "spec": specs[version],
        });
        if let Some(status) = status {
            machine["status"] = status;
        }
        let mut machine = converter().convert(machine.clone(), VERSIONS[converted]).unwrap_or(machine);
        if let Some(specs) = changed {
            machine["spec"] = specs[converted].clone();
        }
        machine
    })
}

fn review_of(version: &str, objects: &[Value]) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": { "uid": "a\"b", "desiredAPIVersion": format!("example.com/{version}"), "objects": objects },
    })
}

/// Replaces a value at any depth.
fn replace(value: &mut Value, steps: &[u8], replacement: Value) {
    let at = |count: usize| steps.first().filter(|_| count > 0).map(|step| usize::from(*step) % count);
    match value {
        Value::Object(members) => match at(members.len()).and_then(|at| members.values_mut().nth(at)) {
            Some(member) => replace(member, &steps[1..], replacement),
            None => *value = replacement,
        },
        Value::Array(items) => match at(items.len()) {
            Some(at) => replace(&mut items[at], &steps[1..], replacement),
            None => *value = replacement,
        },
        value => *value = replacement,
    }
}

/// Returns the response as text and as values.
fn responses(body: &[u8]) -> [Result<Value, HandlerError>; 2] {
    let converters = [converter()];
    [review, decoded_review].map(|review| {
        let response = review(&converters, body)?;
        Ok(serde_json::from_slice(&response).expect("the response is JSON"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_objects_have_the_same_response(
        version in prop::sample::select(vec!["v1", "v1beta1", "v1alpha1", "v2"]),
        objects in collection::vec(machine(), 0..4),
        is_pretty in any::<bool>(),
    ) {
        let review = review_of(version, &objects);
        let body = if is_pretty { format!("{review:#}") } else { review.to_string() };
        let [text, values] = responses(body.as_bytes());
        prop_assert_eq!(text, values);
    }

    #[test]
    fn malformed_reviews_have_the_same_response(
        object in machine(),
        steps in collection::vec(any::<u8>(), 0..6),
        replacement in value(),
        changes in collection::vec((any::<prop::sample::Index>(), prop::sample::select(&b"{}[]\",:\\ \0\xff-1a"[..])), 0..3),
    ) {
        let mut review = review_of("v1", &[object]);
        replace(&mut review, &steps, replacement);
        let mut body = review.to_string().into_bytes();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        let [text, values] = responses(&body);
        prop_assert_eq!(text, values);
    }
}

/// Otherwise the random objects would compare decoding with itself.
#[test]
fn objects_are_copied() {
    let spec = json!({
        "ram": "1Gi", "cores": 2, "zone": null, "disks": [{ "name": "a", "capacity": 1 }],
        "networks": { "a": { "ip": "10.0.0.1" } }, "mode": "On",
    });
    let object = json!({
        "apiVersion": "example.com/v1beta1", "kind": "Machine", "metadata": { "name": "web" },
        "spec": spec, "status": { "phase": "x" },
    });
    // The spaces remain where the text is copied.
    let body = review_of("v1", &[object]).to_string().replace(r#""name":"web""#, r#""name" : "web""#);
    let response = String::from_utf8(review(&[converter()], body.as_bytes()).unwrap()).unwrap();
    assert!(response.contains(r#"{"name" : "web"}"#) && response.contains(r#""mode":"Running""#), "{response}");
}

#[test]
fn a_status_that_a_version_does_not_have_is_kept() {
    // Nothing is lost of a spec that is null.
    let object = json!({
        "apiVersion": "example.com/v1alpha1", "kind": "Machine", "metadata": { "name": "web" },
        "spec": null, "status": { "phase": "x" },
    });
    let [text, values] = responses(review_of("v1", &[object]).to_string().as_bytes());
    assert!(text.as_ref().unwrap().to_string().contains(crate::convert::CONVERSION_DATA_ANNOTATION));
    assert_eq!(text, values);
}
