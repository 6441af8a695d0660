//! The OpenAPI document of a custom resource, as a template.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use crate::{ControlPlane, Request};

const GROUP: &str = "templategroup.example.com";
const VERSION: &str = "v7";
/// What the document has in place of the names of a resource. Longer texts come first.
const PLACEHOLDERS: [(&str, &str); 9] = [
    ("com.example.templategroup.v7.TemplateListing", "{listModel}"),
    ("com.example.templategroup.v7.TemplateKind", "{model}"),
    ("TemplategroupExampleComV7", "{operation}"),
    ("templategroupExampleCom_v7", "{tag}"),
    ("templategroup.example.com/v7", "{groupVersion}"),
    ("templategroup.example.com", "{group}"),
    ("templateplurals", "{plural}"),
    (" a TemplateKind", "{ a kind}"),
    ("TemplateKind", "{kind}"),
];

/// The file with the template.
pub fn path() -> PathBuf {
    super::data_file("openapi.json")
}

/// The template: the paths of resources that are namespaced and those that are not, with all subresources, in which numbers
/// stand for the parameters of a list, and the schemas of Kubernetes' own types.
///
/// # Errors
///
/// If the API server has no such documents.
pub async fn template(plane: &ControlPlane) -> Result<String> {
    let mut parameters = Vec::new();
    let mut template = Map::new();
    for (name, scope) in [("namespaced", "Namespaced"), ("cluster", "Cluster")] {
        let mut document = document(plane, scope).await?;
        let paths = document["paths"].take();
        template.insert(name.to_owned(), share_parameters(paths, &mut parameters));
        template.insert("info".to_owned(), document["info"].take());
        let schemas = document["components"]["schemas"].as_object_mut().context("a document has schemas")?;
        schemas.retain(|name, _| name.starts_with("io.k8s."));
        template.insert("schemas".to_owned(), document["components"]["schemas"].take());
    }
    template.insert("parameters".to_owned(), parameters.into());
    let mut text = serde_json::to_string(&template)?;
    for (name, placeholder) in PLACEHOLDERS {
        text = text.replace(name, placeholder);
    }
    let text = text.replace(r#""version":"v7""#, r#""version":"{version}""#);
    ensure!(!text.contains("emplate") && !text.contains("v7"), "a name has no placeholder");
    Ok(format!("{text}\n"))
}

/// Installs a definition, reads its document, and removes the definition.
async fn document(plane: &ControlPlane, scope: &str) -> Result<Value> {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let name = format!("templateplurals.{GROUP}");
    let verdict = plane.install(&definition(&name, scope)).await;
    ensure!(verdict.accepted, "{verdict}");
    let path = format!("/openapi/v3/apis/{GROUP}/{VERSION}");
    let document = loop {
        let answer = plane.raw(Request::get(path.as_str())).await;
        if answer.is_success() {
            break answer.body;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    plane.raw(Request::delete(format!("{DEFINITIONS}/{name}"))).await;
    while plane.raw(Request::get(format!("{DEFINITIONS}/{name}"))).await.is_success()
        || plane.raw(Request::get(path.as_str())).await.is_success()
    {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    Ok(document)
}

fn definition(name: &str, scope: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": name },
        "spec": {
            "group": GROUP,
            "names": { "plural": "templateplurals", "kind": "TemplateKind", "listKind": "TemplateListing" },
            "scope": scope,
            "versions": [{
                "name": VERSION,
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
                "subresources": {
                    "status": {},
                    "scale": { "specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a" },
                },
            }],
        },
    })
}

/// Replaces parameters by their positions in a list.
fn share_parameters(value: Value, shared: &mut Vec<Value>) -> Value {
    match value {
        Value::Object(members) => {
            let share = |(key, value): (String, Value)| match value {
                Value::Array(parameters) if key == "parameters" => {
                    let positions = parameters.into_iter().map(|parameter| position(parameter, shared));
                    (key, positions.map(Value::from).collect())
                }
                value => (key, share_parameters(value, shared)),
            };
            members.into_iter().map(share).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

fn position(parameter: Value, shared: &mut Vec<Value>) -> usize {
    shared.iter().position(|other| *other == parameter).unwrap_or_else(|| {
        shared.push(parameter);
        shared.len() - 1
    })
}
