//! The verdicts of a real API server on the definitions of both derives, and on objects of each.

use crdkit_tests::{
    Request, Verdict,
    server::{Server, server},
    unique_group,
};
use serde_json::{Map, Value, json};

use crate::{
    enum_differences::{differences_of_enums, differences_of_optional_enums},
    schema_differences::{differences_of_values, undescribed},
    served_fields::mutants,
    shapes::{Shape, enums, optional_enums, values},
};

/// The shapes whose schema the server refuses, as kube-derive makes it.
const REFUSED: &[&str] =
    &["pair", "triple", "point", "number_map", "any", "anys", "raw", "tuple", "titled", "scalars", "flattened_both"];

/// The formats that kube-derive writes and the server does not recognize.
const UNKNOWN_FORMATS: &[&str] =
    &["int8", "int16", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint", "ip", "partial-time"];

/// A value for each shape of which the server makes something else for crdkit, and what a difference is good for.
const SHOWN: &[(&str, &str, &str)] = &[
    ("uint32", "4294967296", "it would be stored, and not be read"),
    ("set", r#"["a", "a"]"#, "an item would be lost"),
    ("optional_names", "[null]", "serde writes it"),
    ("optional_name_map", r#"{ "a": null }"#, "serde writes it"),
    ("duration", r#"{ "secs": 1, "nanos": 4294967296 }"#, "it would be stored, and not be read"),
    ("ip", r#""here""#, "it would be stored, and not be read"),
    ("ipv4", r#""::ffff:127.0.0.1""#, "it would be stored, and not be read"),
    ("socket", r#""here""#, "it would be stored, and not be read"),
    ("web", r#""/path""#, "it would be stored, and not be read"),
    ("id", r#""67e5504410b1-426f-9247-bb680e5fe0c8""#, "it would be stored, and not be read"),
    ("ruled", r#"{ "name": "a" }"#, "the rule is of what is absent"),
    ("span", r#""P1Y""#, "serde writes it"),
    ("port", "2147483648", "it would be stored, and not be read"),
    ("any_map", r#"{ "a": { "b": 1 } }"#, "it would be emptied"),
    ("outer", r#"{ "name": "a", "size": 1, "host": "b" }"#, "the host would be lost"),
];

const SHOWN_OF_ENUMS: &[(&str, &str, &str)] = &[
    ("other", r#""Newer""#, "serde reads it"),
    ("exact", r#"{ "first": "a", "other": 1 }"#, "it would be stored, and not be read"),
    ("maybe_external", r#"{ "name": "a", "Text": "b", "Number": 1 }"#, "one of them would be lost"),
    ("maybe_untagged", r#"{ "name": "a", "first": "b" }"#, "the field would be lost"),
];

const SHOWN_OF_OPTIONS: &[(&str, &str, &str)] = &[
    ("plain", "null", "serde writes it"),
    ("other", r#""Newer""#, "serde reads it"),
    ("exact", r#"{ "first": "a", "other": 1 }"#, "it would be stored, and not be read"),
];

/// What serde reads, and Kubernetes' own patterns and bounds do not let in.
const KUBERNETES: &[&str] = &["quantity", "condition", "conditions"];

/// What serde reads, and an attribute that kube-derive drops does not let in.
const REQUESTED: &[&str] = &["short_port", "address"];

/// Values that the server accepts and serde does not read: a structural schema does not restrict the keys of a map.
const LOOSER: &[(&str, &str)] = &[("number_map", r#"{"1":true,"unheardOf":true}"#)];

fn definition(group: &str, properties: Map<String, Value>) -> Value {
    let schema = json!({
        "type": "object", "properties": { "spec": { "type": "object", "properties": properties } },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("zoos.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": "Zoo", "plural": "zoos" },
            "scope": "Cluster",
            "versions": [
                { "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } },
            ],
        },
    })
}

/// Returns the server's verdict on one schema.
async fn verdict(server: Server, name: &str, schema: &Value) -> Verdict {
    let properties = Map::from_iter([(name.to_owned(), schema.clone())]);
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
    let crd = definition(&unique_group(), properties);
    server.raw(Request::post(path, crd)).await.into()
}

/// A kind that is served, with a field of each schema.
struct Served {
    server: Server,
    group: String,
}

impl Served {
    async fn with(server: Server, properties: Map<String, Value>) -> Self {
        let group = unique_group();
        server.install(&definition(&group, properties)).await.expect_accepted();
        Self { server, group }
    }

    /// What is stored of a value; the server's words if nothing is.
    async fn stored(&self, name: &str, value: &Value) -> Result<Value, String> {
        let group = &self.group;
        let object = json!({
            "apiVersion": format!("{group}/v1"), "kind": "Zoo", "metadata": { "name": "a" },
            "spec": { name: value },
        });
        let path = format!("/apis/{group}/v1/zoos?dryRun=All&fieldValidation=Strict");
        let verdict: Verdict = self.server.raw(Request::post(path, object)).await.into();
        let message = verdict.message;
        verdict.object.map(|object| object["spec"][name].clone()).ok_or(message)
    }
}

#[tokio::test]
async fn the_server_refuses_some_of_kube_derives_schemas_and_none_of_crdkits() {
    let Some(server) = server() else {
        return;
    };
    for shapes in [values(), enums(), optional_enums()] {
        for Shape { name, kube, crdkit, .. } in &shapes {
            let verdict = self::verdict(server, name, crdkit).await.expect_accepted();
            assert_eq!(verdict.warnings, Vec::<String>::new(), "{name}");
            let Ok(kube) = kube else { continue };
            let verdict = self::verdict(server, name, kube).await;
            assert_eq!(verdict.accepted, !REFUSED.contains(name), "{name}: {verdict}");
            let warns =
                UNKNOWN_FORMATS.iter().any(|format| kube.to_string().contains(&format!("\"format\":\"{format}\"")));
            assert_eq!(!verdict.warnings.is_empty(), warns && verdict.accepted, "{name}: {verdict}");
        }
    }
}

#[tokio::test]
async fn values_are_accepted_and_stored_the_same_or_better() {
    let names = differences_of_values().iter().map(|it| it.name).collect();
    compare(values(), names, SHOWN).await;
}

#[tokio::test]
async fn enums_are_accepted_and_stored_the_same_or_better() {
    let names = differences_of_enums().iter().map(|it| it.name).collect();
    compare(enums(), names, SHOWN_OF_ENUMS).await;
}

#[tokio::test]
async fn optional_enums_are_accepted_and_stored_the_same_or_better() {
    let names = differences_of_optional_enums().iter().map(|it| it.name).collect();
    compare(optional_enums(), names, SHOWN_OF_OPTIONS).await;
}

#[tokio::test]
async fn what_kube_derive_has_no_schema_for_is_judged_as_serde_does() {
    let Some(server) = server() else {
        return;
    };
    for shapes in [values(), enums(), optional_enums()] {
        let has_none = |it: &Shape| it.kube.is_err() || REFUSED.contains(&it.name);
        let shapes: Vec<_> = shapes.into_iter().filter(has_none).collect();
        let property = |it: &Shape| (it.name.to_owned(), it.crdkit.clone());
        let served = Served::with(server, shapes.iter().map(property).collect()).await;
        let (mut wrong, mut refused) = (Vec::new(), 0);
        for shape in &shapes {
            for value in all_values(shape) {
                let stored = served.stored(shape.name, &value).await;
                let reencoded = (shape.reencode)(&value);
                refused += usize::from(stored.is_err());
                let is_right = match &stored {
                    Ok(_) => reencoded.is_some() != is_looser(shape.name, &value),
                    Err(_) => reencoded.as_ref() != Some(&value),
                };
                if !is_right {
                    let name = shape.name;
                    wrong.push(format!("{name}: {value}: {stored:?}, serde {reencoded:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(refused > shapes.len(), "only {refused} are refused");
    }
}

/// The values of a shape, and mutants of them with one change each.
fn all_values(shape: &Shape) -> Vec<Value> {
    let mutants = shape.values.iter().flat_map(|it| mutants(it, &shape.values));
    mutants.chain(shape.values.clone()).collect()
}

fn is_looser(name: &str, value: &Value) -> bool {
    let text = value.to_string();
    LOOSER.contains(&(name, &text))
}

/// Compares what is made of objects where schemas differ: elsewhere it cannot differ.
async fn compare(shapes: Vec<Shape>, names: Vec<&str>, shown: &[(&str, &str, &str)]) {
    let Some(server) = server() else {
        return;
    };
    let differs = |shape: &Shape| names.contains(&shape.name) && !REFUSED.contains(&shape.name);
    let shapes: Vec<_> = shapes.into_iter().filter(differs).collect();
    let property = |shape: &Shape, schema: &Value| (shape.name.to_owned(), undescribed(schema));
    let kube_properties = shapes.iter().map(|it| property(it, it.kube.as_ref().unwrap()));
    let crdkit_properties = shapes.iter().map(|it| property(it, &it.crdkit));
    let kube = Served::with(server, kube_properties.collect()).await;
    let crdkit = Served::with(server, crdkit_properties.collect()).await;
    let (mut wrong, mut same) = (Vec::new(), 0);
    for shape in &shapes {
        let name = shape.name;
        let shown: Vec<Value> = shown
            .iter()
            .filter(|(shown, ..)| *shown == name)
            .map(|(_, text, _)| serde_json::from_str(text).unwrap())
            .collect();
        let mut all: Vec<_> = shape.values.iter().flat_map(|it| mutants(it, &shape.values)).collect();
        all.extend(shape.values.iter().chain(&shown).cloned());
        for value in &all {
            let theirs = kube.stored(name, value).await;
            let ours = crdkit.stored(name, value).await;
            if theirs.as_ref().ok() == ours.as_ref().ok() {
                same += 1;
                if shown.contains(value) {
                    wrong.push(format!("{name}: {value} makes no difference: {ours:?}"));
                }
                continue;
            }
            let reencoded = (shape.reencode)(value);
            let is_better = match &ours {
                Ok(_) if theirs.is_err() => reencoded.is_some(),
                Ok(ours) => reencoded.as_ref() == Some(ours),
                Err(_) => reencoded.as_ref() != Some(value),
            };
            let is_stricter = KUBERNETES.contains(&name) || REQUESTED.contains(&name);
            let is_wanted = is_better || is_stricter && ours.is_err();
            if !is_wanted {
                wrong.push(format!("{name}: {value}: kube-derive {theirs:?}, crdkit {ours:?}"));
            }
        }
        for value in &shape.values {
            let ours = crdkit.stored(name, value).await;
            // What may be left out and is null is dropped.
            let is_kept = ours.as_ref().is_ok_and(|ours| ours == value);
            if !is_kept && !value.is_null() {
                wrong.push(format!("{name}: {value} becomes {ours:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(same > shapes.len() * 2, "only {same} verdicts are the same");
}
