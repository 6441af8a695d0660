//! What several tests use.

use crdkit::{KubeSchema, emit::Crds, render::render_schema};
use k8s_openapi::{
    api::batch::v1::JobTemplateSpec, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use serde_json::{Value, json};

pub(crate) fn crd(kind: &str, plural: &str) -> CustomResourceDefinition {
    serde_json::from_value(json!({
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "names": { "kind": kind, "plural": plural },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    }))
    .unwrap()
}

pub(crate) fn crds() -> Crds {
    Crds::new().add_crd("v1::At", crd("At", "ats"))
}

#[derive(KubeSchema, serde::Serialize, serde::Deserialize)]
struct WithJob {
    #[crd(embed = "full")]
    job: JobTemplateSpec,
}

/// The schema of a `JobTemplateSpec`.
pub(crate) fn job_template() -> Value {
    let props = render_schema(WithJob::SCHEMA_REF).unwrap();
    json!(props.properties.unwrap()["job"])
}
