//! Samples of definitions, created on an API server.

use crdkit::{
    CustomResourceExt,
    client::dynamic::Unstructured,
    emit::{Sample, samples},
};
use crdkit_tests::unique_group;
use example_resources::{at::At, virtual_machine::VirtualMachine};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::{install::definition, served::client};

/// Returns the definition in a group of the test, without a conversion.
fn in_group(mut crd: CustomResourceDefinition, group: &str) -> CustomResourceDefinition {
    crd.metadata.name = Some(format!("{}.{group}", crd.spec.names.plural));
    crd.spec.group = group.to_owned();
    crd.spec.conversion = None;
    crd
}

/// A definition whose objects need a search.
fn demanding(group: &str) -> CustomResourceDefinition {
    let number = json!({ "type": "integer", "minimum": 1, "maximum": 99 });
    let text = json!({ "type": "string", "maxLength": 20 });
    let spec = json!({
        "type": "object", "required": ["range", "source", "names", "hosts"],
        "properties": {
            "range": {
                "type": "object", "required": ["low", "high"], "properties": { "low": number, "high": number },
                "x-kubernetes-validations": [{ "rule": "self.low * 2 <= self.high" }],
            },
            "source": {
                "type": "object", "properties": { "git": text, "http": text, "note": text },
                "oneOf": [{ "required": ["git"] }, { "required": ["http"] }],
            },
            "names": {
                "type": "array", "minItems": 3, "maxItems": 9, "x-kubernetes-list-type": "set",
                "items": { "type": "string", "pattern": "^[a-z]{3}-[0-9]$", "maxLength": 5 },
            },
            "hosts": { "type": "object", "minProperties": 2, "maxProperties": 5, "additionalProperties": { "type": "string", "format": "ipv4" } },
            "window": { "type": "string", "format": "date-time" },
            "size": { "x-kubernetes-int-or-string": true, "pattern": "^[0-9]+Gi$" },
            "template": { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
            "on": { "type": "boolean", "x-kubernetes-validations": [{ "rule": "!self" }] },
        },
    });
    definition(group, |crd| {
        let schema = json!({ "type": "object", "required": ["spec"], "properties": { "spec": spec } });
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    })
}

/// Whether a stored value has all of a sent one; the server adds defaults.
fn contains(stored: &Value, sent: &Value) -> bool {
    match (stored, sent) {
        (Value::Object(stored), Value::Object(sent)) => {
            sent.iter().all(|(name, value)| stored.get(name).is_some_and(|it| contains(it, value)))
        }
        (Value::Array(stored), Value::Array(sent)) => {
            stored.len() == sent.len() && stored.iter().zip(sent).all(|(stored, sent)| contains(stored, sent))
        }
        (stored, sent) => stored == sent,
    }
}

#[tokio::test]
async fn samples_are_accepted_as_they_are() {
    let Some(client) = client().await else {
        return;
    };
    for make in
        [|group: &str| in_group(At::crd(), group), |group: &str| in_group(VirtualMachine::crd(), group), demanding]
    {
        let group = unique_group();
        let crd = make(&group);
        client.install([crd.clone()]).await.unwrap();
        let resources = client.dynamic().resources(format!("{}.{group}", crd.spec.names.plural)).await.unwrap();
        let objects = resources.namespace("default").unwrap();
        for (at, sample) in samples(&crd).into_iter().enumerate() {
            let Sample { problems, mut object, .. } = sample;
            assert!(problems.is_empty(), "{problems:?}");
            object["metadata"]["name"] = json!(format!("sample{at}"));
            let sent: Unstructured = serde_json::from_value(object.clone()).unwrap();
            let stored = objects.create(&sent).await.unwrap_or_else(|error| panic!("{error}\n{object:#}"));
            let stored = &stored.fields["spec"];
            assert!(contains(stored, &object["spec"]), "{stored:#}\n{object:#}");
        }
    }
}
