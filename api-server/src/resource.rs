//! The resources that the server serves.

use std::sync::LazyLock;

use crdkit::__internal::{
    admission::{coerce_converted, prune_and_default, prune_and_default_merged},
    cel::CompiledRules,
    crd_accessors::read,
};
use crdkit_core::{Node, schema::SchemaProps, walk};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinitionNames, CustomResourceDefinitionVersion, JSONSchemaProps,
};
use serde_json::{Value, json};

use super::{
    conversion::Conversion,
    managed_fields::Topology,
    store::{Key, SchemaId, Stored},
    value::text,
    webhook_calls::{Stop, WebhookCalls},
};

mod failures;

/// A group resource: all versions of the objects of one kind.
pub(super) struct Resource {
    /// The group; empty for the core group.
    pub(super) group: String,
    pub(super) names: CustomResourceDefinitionNames,
    pub(super) is_namespaced: bool,
    /// The versions that are served or stored, in the order of the definition.
    pub(super) versions: Vec<Version>,
    /// Whether a CustomResourceDefinition defines the resource.
    pub(super) is_custom: bool,
    pub(super) conversion: Conversion,
    /// Identifies the schemas of all versions.
    pub(super) schema: SchemaId,
    /// Whether the definition is being deleted, so that no objects can be created.
    pub(super) is_terminating: bool,
}

/// A version of a resource that is served or stored.
pub(super) struct Version {
    /// The name, the subresources, the printer columns and the selectable fields.
    pub(super) spec: CustomResourceDefinitionVersion,
    /// `None` for built-in kinds.
    pub(super) schema: Option<Schema>,
    /// How objects are merged. Most requests do not need it.
    pub(super) topology: LazyLock<Topology, Box<dyn FnOnce() -> Topology + Send>>,
    /// The verbs of the resource, such as `get`.
    pub(super) verbs: Vec<String>,
}

/// The schema of a version, in the forms that the server uses.
pub(super) struct Schema {
    pub(super) props: SchemaProps<'static>,
    /// The document that OpenAPI publishes.
    pub(super) json: Value,
    /// The CEL rules; `None` if there are none.
    pub(super) rules: Option<CompiledRules>,
    /// Whether a value in an object is a resource too.
    embeds_resources: bool,
}

impl Schema {
    pub(super) fn new(props: &JSONSchemaProps) -> Self {
        // The root has metadata, as embedded resources have.
        let rules = CompiledRules::of(&JSONSchemaProps { x_kubernetes_embedded_resource: Some(true), ..props.clone() });
        let (props, json) = (read::schema(props).into_owned(), json!(props));
        let mut embeds_resources = false;
        walk(&Node::root(&props), &mut |node| embeds_resources |= node.schema.embedded_resource);
        Self { props, json, rules, embeds_resources }
    }
}

impl Schema {
    /// Drops unknown fields of an object, and sets defaults. Returns the paths of the unknown fields.
    pub(super) fn prune_and_default(&self, object: &mut Value) -> Vec<String> {
        without_implied_fields(object, |object| prune_and_default(&self.props, object))
    }

    /// Drops unknown fields of an object that was converted, and nulls of fields that are not nullable and have no default.
    fn coerce_converted(&self, object: &mut Value) {
        without_implied_fields(object, |object| coerce_converted(&self.props, object));
    }

    /// Drops unknown fields of an object that server-side apply has merged, and sets defaults.
    pub(super) fn prune_and_default_merged(&self, object: &mut Value) {
        without_implied_fields(object, |object| prune_and_default_merged(&self.props, object));
    }

    /// Does to a merged object what [`Self::prune_and_default`] does besides [`Self::prune_and_default_merged`].
    pub(super) fn complete_merged(&self, object: &mut Value) {
        if self.embeds_resources || has_nulls(object) {
            self.prune_and_default(object);
        }
    }
}

fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_nulls),
        Value::Object(members) => members.values().any(has_nulls),
        _ => false,
    }
}

/// Processes an object without the fields that schemas do not describe.
fn without_implied_fields<T>(object: &mut Value, process: impl FnOnce(&mut Value) -> T) -> T {
    const IMPLIED: [&str; 3] = ["apiVersion", "kind", "metadata"];
    let implied = IMPLIED.map(|name| object.as_object_mut().and_then(|members| members.remove(name)));
    let result = process(object);
    for (name, value) in IMPLIED.into_iter().zip(implied) {
        if let Some(value) = value {
            object[name] = value;
        }
    }
    result
}

impl Resource {
    pub(super) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.spec.name == name)
    }

    /// Returns the index of a version in which requests can be.
    pub(super) fn served_version(&self, name: &str) -> Option<usize> {
        self.versions.iter().position(|version| version.spec.name == name && version.spec.served)
    }

    /// Reads a stored object in a version. One that was written under another schema is pruned, and has the defaults of the version
    /// in which it was written.
    pub(super) fn decode(&self, external: &WebhookCalls, stored: &Stored, version: usize) -> Result<Value, Stop> {
        let mut object = stored.value();
        if stored.schema != self.schema
            && let Some((_, written)) = self.by_api_version(text(&object, "apiVersion"))
            && let Some(schema) = &written.schema
        {
            schema.prune_and_default(&mut object);
        }
        self.convert(external, object, version)
    }

    /// Returns whether [`Self::decode`] changes nothing.
    pub(super) fn is_current(&self, stored: &Stored, version: usize) -> bool {
        stored.schema == self.schema && stored.is_in(&self.api_version(&self.versions[version].spec.name))
    }

    /// Returns an object in another version, without the fields and the nulls that the version does not have.
    pub(super) fn convert(&self, external: &WebhookCalls, object: Value, version: usize) -> Result<Value, Stop> {
        let version = &self.versions[version];
        let api_version = self.api_version(&version.spec.name);
        let mut object = object;
        if object["apiVersion"] != api_version.as_str() {
            object = self.conversion.convert(external, object, &api_version)?;
            if let Some(schema) = &version.schema {
                schema.coerce_converted(&mut object);
            }
        }
        Ok(object)
    }

    /// Returns whether objects are stored as they are in requests of a version.
    pub(super) fn stores(&self, version: usize) -> bool {
        self.storage() == version && !self.is_stored_in_core()
    }

    /// Returns an object of a request as it is stored.
    pub(super) fn to_storage(&self, external: &WebhookCalls, object: Value) -> Result<Value, Stop> {
        if self.is_stored_in_core() {
            return self.conversion.convert(external, object, "v1");
        }
        self.convert(external, object, self.storage())
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

    /// Returns the path of an object in the server's storage. The servers of definitions, custom resources and APIServices store
    /// below the group, kube-apiserver's own does not.
    pub(super) fn path_of(&self, key: &Key) -> String {
        let has_group = self.is_custom || matches!(&*self.group, "apiextensions.k8s.io" | "apiregistration.k8s.io");
        let group = if has_group { &*self.group } else { "" };
        let segments = [group, &self.names.plural, &key.namespace, &key.name];
        segments.into_iter().filter(|it| !it.is_empty()).map(|it| format!("/{it}")).collect()
    }

    /// Returns the name of the collection with the objects: that of the resource, unless another one has them too.
    pub(super) fn collection(&self) -> String {
        if self.is_stored_in_core() { self.names.plural.clone() } else { self.qualified() }
    }

    /// Returns `plural.group`, or `plural` in the core group.
    pub(super) fn qualified(&self) -> String {
        match self.group.as_str() {
            "" => self.names.plural.clone(),
            group => format!("{}.{group}", self.names.plural),
        }
    }
}

impl Resource {
    pub(super) fn by_api_version(&self, api_version: &str) -> Option<(usize, &Version)> {
        let name = match self.group.as_str() {
            "" => api_version,
            group => api_version.strip_prefix(group)?.strip_prefix('/')?,
        };
        self.versions.iter().enumerate().find(|(_, version)| version.spec.name == name)
    }
}

impl Version {
    /// Returns whether the status is a subresource.
    pub(super) fn has_status(&self) -> bool {
        self.spec.subresources.as_ref().is_some_and(|it| it.status.is_some())
    }

    pub(super) fn has_scale(&self) -> bool {
        self.spec.subresources.as_ref().is_some_and(|it| it.scale.is_some())
    }
}
