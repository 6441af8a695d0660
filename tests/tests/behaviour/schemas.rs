//! Derived types as schemars and kube-derive see them.

use crdkit::{CustomResource, KubeSchema};
use kube::CustomResourceExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Ours {
    #[schemars(length(max = 3))]
    #[x_kube(validation = "self != ''")]
    text: Option<String>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "schemas.example.com", version = "v1", kind = "Thing")]
struct ThingSpec {
    ours: Ours,
}

/// A resource of kube-derive.
#[derive(kube::CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "schemas.example.com", version = "v1", kind = "Theirs")]
struct TheirSpec {
    ours: Ours,
    maybe: Option<Ours>,
}

#[test]
fn schemars_knows_derived_types() {
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Wrapper {
        ours: Vec<Ours>,
    }
    let schema = json!(schemars::schema_for!(Wrapper));
    let text = &schema["properties"]["ours"]["items"]["properties"]["text"];
    assert_eq!(text["maxLength"], 3, "{schema}");
}

#[test]
fn schemars_knows_roots() {
    let schema = json!(schemars::schema_for!(Thing));
    assert_eq!(schema["properties"]["spec"]["required"], json!(["ours"]));
    assert_eq!(schema["title"], "Thing");
}

#[test]
fn resources_of_kube_derive_hold_derived_types() {
    let crd = json!(Theirs::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let spec = &schema["properties"]["spec"];
    let text = json!({
        "type": "string",
        "nullable": true,
        "maxLength": 3,
        "x-kubernetes-validations": [{ "rule": "self != ''" }],
    });
    assert_eq!(spec["properties"]["ours"]["properties"]["text"], text);
    assert_eq!(spec["properties"]["maybe"]["properties"]["text"], text);
    assert_eq!(spec["properties"]["maybe"]["nullable"], true);
    assert_eq!(spec["required"], json!(["ours"]));
}

/// A spec whose schema schemars makes.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "schemas.example.com",
    version = "v1",
    kind = "Foreign",
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size")
)]
struct ForeignSpec {
    size: Option<u8>,
    /// One of two.
    mode: ForeignMode,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum ForeignMode {
    On,
    Off,
}

#[test]
fn resources_hold_specs_of_schemars() {
    let crd = json!(Foreign::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let expected = json!({
        "type": "object",
        "description": "A spec whose schema schemars makes.",
        "required": ["mode"],
        "properties": {
            "size": { "type": "integer", "nullable": true, "minimum": 0.0, "maximum": 255.0 },
            "mode": { "type": "string", "description": "One of two.", "enum": ["On", "Off"] },
        },
    });
    assert_eq!(schema["properties"]["spec"], expected);
}
