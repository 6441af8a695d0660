//! The kind `string` of `import.example.com`.
//!
//! Differences from the imported definition:
//!
//! - `v1-x` is served: no version is served: the server responds to every request with 404
//! - `required: status` of `v1-x` is left out: `status` is required, but with the status subresource the server removes it from each new object, and then rejects the object: make it optional
//! - type: the scale subresource is left out: the scale subresource requires an integer, but `.spec.replicas` is a string
//! - v1-x: the column `Gone` is left out: `.type[?(@` is not a valid path: a filter is not closed: write `)]`
//! - type: the column `Gone` is left out: the column `Gone` shows a field that does not exist: there is no `.spec.gone`
//! - type: the column `Replicas` is left out: a column of the type `integer` cannot show the value at `.spec.replicas`, which is a string: use `string`
//! - v1-x: there is no status subresource: write a type for `.status`
//! - type: `.spec` is required
//! - type: there is no `.status`: write a type for it

/// Version `v1-x`.
pub mod v1_x {
    use std::collections::BTreeMap;

    use crdkit::{
        CustomResource, KubeSchema,
        serde::{Deserialize, Serialize},
    };

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "import.example.com", version = "v1-x", kind = "string", root = "StringResource", plural = "strings", list_kind = "StringList")]
    #[crd(no_spec, nullable = false, derive = "PartialEq")]
    #[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
    #[crd(printcolumn(name = "Type", type_ = "string", json_path = ".type"))]
    pub struct StringResourceFields {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub r#type: Option<String>,
        #[crd(preserve_unknown_fields)]
        #[serde(flatten)]
        pub other_fields: BTreeMap<String, serde_json::Value>,
    }
}

/// Version `type`.
pub mod r#type {
    use crdkit::{
        CustomResource, KubeSchema,
        serde::{Deserialize, Serialize},
    };

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "import.example.com", version = "type", kind = "string", root = "StringResource", plural = "strings", list_kind = "StringList")]
    #[crd(served = false, storage = false, nullable = false, derive = "PartialEq")]
    pub struct StringResourceSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub replicas: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub values: Option<Vec<String>>,
    }
}
