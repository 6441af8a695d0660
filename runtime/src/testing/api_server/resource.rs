//! The resources that the server serves.

use crdkit_core::schema::SchemaProps;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinitionNames, CustomResourceDefinitionVersion, JSONSchemaProps,
};
use serde_json::{Value, json};

use super::failure::Failure;
use crate::{admission::prune_and_default, props::read, validate::default::run::has_rules};

/// A group resource: all versions of the objects of one kind.
pub(super) struct Resource {
    /// The group; empty for the core group.
    pub(super) group: String,
    pub(super) names: CustomResourceDefinitionNames,
    pub(super) is_namespaced: bool,
    /// The served versions, in the order of discovery.
    pub(super) versions: Vec<Version>,
    /// Whether a CustomResourceDefinition defines the resource.
    pub(super) is_custom: bool,
}

/// A served version of a resource.
pub(super) struct Version {
    /// The name, the subresources, the printer columns and the selectable fields.
    pub(super) spec: CustomResourceDefinitionVersion,
    /// `None` for built-in kinds.
    pub(super) schema: Option<Schema>,
    /// The verbs of the resource, such as `get`.
    pub(super) verbs: Vec<String>,
}

/// The schema of a version, in the forms that the server uses.
pub(super) struct Schema {
    pub(super) props: SchemaProps<'static>,
    /// The document that OpenAPI publishes.
    pub(super) json: Value,
    /// The schema as CEL rules see it; `None` if it has no rules.
    pub(super) rules: Option<JSONSchemaProps>,
}

impl Schema {
    pub(super) fn new(props: &JSONSchemaProps) -> Self {
        let rules = has_rules(props).then(|| {
            // The root has metadata, as embedded resources have.
            JSONSchemaProps { x_kubernetes_embedded_resource: Some(true), ..props.clone() }
        });
        Self { props: read::schema(props).into_owned(), json: json!(props), rules }
    }
}

impl Resource {
    pub(super) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.spec.name == name)
    }

    /// Returns an object in another version. Without a conversion webhook, only `apiVersion` differs.
    pub(super) fn convert(&self, mut object: Value, version: usize) -> Result<Value, Failure> {
        let version = &self.versions[version];
        let api_version = self.api_version(&version.spec.name);
        if object["apiVersion"] != api_version.as_str() {
            object["apiVersion"] = api_version.into();
            if let Some(schema) = &version.schema {
                let metadata = object["metadata"].take();
                prune_and_default(&schema.props, &mut object);
                object["metadata"] = metadata;
            }
        }
        Ok(object)
    }

    /// Returns the index of the version in which objects are stored.
    pub(super) fn storage(&self) -> usize {
        self.versions.iter().position(|version| version.spec.storage).unwrap_or_default()
    }

    /// Returns `group/version`, or `version` in the core group.
    pub(super) fn api_version(&self, version: &str) -> String {
        match self.group.as_str() {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        }
    }

    /// Returns `plural.group`, or `plural` in the core group.
    pub(super) fn qualified(&self) -> String {
        match self.group.as_str() {
            "" => self.names.plural.clone(),
            group => format!("{}.{group}", self.names.plural),
        }
    }
}
