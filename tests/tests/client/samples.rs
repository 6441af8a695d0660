//! Samples of definitions, created on an API server.

use std::collections::BTreeSet;

use crdkit::{CustomResourceExt, client::dynamic::Unstructured, webhook::WebhookClient};
use crdkit_tests::unique_group;
use crdkit_tools::{Sample, samples};
use example_resources::{at::At, virtual_machine::versions};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::GroupVersionKind;
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

/// The definition of a kind with all of its versions.
fn all_versions(group: &str) -> CustomResourceDefinition {
    let conversion = WebhookClient::service("default", "unused").conversion();
    in_group(versions().versions(conversion).merge().unwrap().crd, group)
}

#[tokio::test]
async fn samples_of_all_versions_are_accepted_as_they_are() {
    let Some(client) = client().await else {
        return;
    };
    for make in [|group: &str| in_group(At::crd(), group), all_versions, demanding] {
        let group = unique_group();
        let crd = make(&group);
        client.install([crd.clone()]).await.unwrap();
        let served: BTreeSet<_> =
            crd.spec.versions.iter().filter(|version| version.served).map(|it| &it.name).collect();
        let samples = samples(&crd);
        assert_eq!(samples.iter().map(|sample| &sample.version).collect::<BTreeSet<_>>(), served);
        for (at, sample) in samples.into_iter().enumerate() {
            let Sample { problems, mut object, version, .. } = sample;
            assert!(problems.is_empty(), "{problems:?}");
            object["metadata"]["name"] = json!(format!("sample{at}"));
            let sent: Unstructured = serde_json::from_value(object.clone()).unwrap();
            let kind = GroupVersionKind::gvk(&group, &version, &crd.spec.names.kind);
            let objects = client.dynamic().resources(kind).await.unwrap().namespace("default").unwrap();
            let stored = objects.create(&sent).await.unwrap_or_else(|error| panic!("{error}\n{object:#}"));
            let stored = &stored.fields["spec"];
            // Without a conversion, other versions lose the fields that the stored one does not have.
            let is_stored = crd.spec.versions.iter().any(|it| it.storage && it.name == version);
            assert!(!is_stored || contains(stored, &object["spec"]), "{stored:#}\n{object:#}");
        }
    }
}
