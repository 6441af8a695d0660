//! Objects of each kind that the API server accepts.

use crdkit::__internal::{
    cel::CompiledRules,
    crd_accessors::schema,
    yaml::{order::Order, write},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion as Version, JSONSchemaProps as Props,
};
use serde_json::{Map, Value, json};

mod comments;
mod fits;
mod names;
mod search;

use self::search::Search;

/// An object that the API server accepts, with comments from the documentation of its type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The kind.
    pub kind: String,
    /// The version.
    pub version: String,
    /// Whether the object has all fields; otherwise it has only those that are required.
    pub is_full: bool,
    /// The object.
    pub object: Value,
    /// The fields for which no valid value was found.
    pub problems: Vec<SampleProblem>,
    yaml: String,
}

/// A field for which no valid value was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: no value was found that {reason}")]
#[non_exhaustive]
pub struct SampleProblem {
    /// The path, such as `.spec.schedule`; `.` for the object.
    pub path: String,
    /// What a value must satisfy.
    pub reason: String,
    /// Whether the field is required, so that the API server rejects the sample.
    pub is_required: bool,
}

impl Sample {
    /// Returns the object as YAML, with comments.
    pub fn to_yaml(&self) -> &str {
        &self.yaml
    }
}

/// Returns a minimal and a full object of each served version of a definition.
///
/// Each field has its `example`, or a value that its schema allows. CEL rules are checked too.
///
/// ```
/// use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
/// use crdkit_tools::samples;
/// use serde::{Deserialize, Serialize};
///
/// /// Runs a command, once.
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     /// When to run.
///     #[crd(example = "2030-01-31T12:00:00Z")]
///     pub schedule: String,
///     /// The number of attempts.
///     #[schemars(range(min = 1))]
///     pub attempts: Option<u8>,
/// }
///
/// let [minimal, full] = &samples(&At::crd())[..] else { panic!() };
/// assert_eq!(minimal.to_yaml(), "\
/// apiVersion: example.com/v1
/// kind: At
/// metadata:
///   name: example
///   namespace: default
/// spec:
///   ## When to run.
///   schedule: 2030-01-31T12:00:00Z
/// ".replace("2030-01-31T12:00:00Z", "\"2030-01-31T12:00:00Z\""));
/// assert_eq!(full.object["spec"]["attempts"], 1);
/// ```
pub fn samples(crd: &CustomResourceDefinition) -> Vec<Sample> {
    let served = crd.spec.versions.iter().filter(|version| version.served);
    served.flat_map(|version| [false, true].map(|is_full| sample(crd, version, is_full))).collect()
}

/// Returns the name of the file of a sample.
pub(crate) fn sample_file_name(crd: &CustomResourceDefinition, sample: &Sample) -> String {
    let form = if sample.is_full { "full" } else { "minimal" };
    format!("{}.{}-{}-{form}.yaml", crd.spec.names.plural, crd.spec.group, sample.version)
}

fn sample(crd: &CustomResourceDefinition, version: &Version, is_full: bool) -> Sample {
    let root = root(crd, version);
    let rules = CompiledRules::of(&root);
    let mut search = Search::new(is_full);
    let object = search.root(&root, rules.as_ref(), &base(crd, version, &root));
    let comments = comments::Documentation { root: &root, problems: &search.problems, is_full };
    let yaml = write::commented(&object, Order::Sorted, &comments);
    Sample {
        kind: crd.spec.names.kind.clone(),
        version: version.name.clone(),
        is_full,
        object,
        problems: search.problems,
        yaml,
    }
}

/// Returns the schema of whole objects, without what the server does not take from a request to create one.
fn root(crd: &CustomResourceDefinition, version: &Version) -> Props {
    let mut root = schema(version).cloned().unwrap_or_default();
    root.type_.get_or_insert_with(|| "object".to_owned());
    root.x_kubernetes_embedded_resource = Some(true);
    if crd.spec.preserve_unknown_fields == Some(true) {
        root.x_kubernetes_preserve_unknown_fields = Some(true);
    }
    let properties = root.properties.get_or_insert_default();
    if version.subresources.as_ref().is_some_and(|it| it.status.is_some()) {
        properties.remove("status");
    }
    root
}

/// Returns the fields that every object has.
fn base(crd: &CustomResourceDefinition, version: &Version, root: &Props) -> Map<String, Value> {
    let mut base = Map::new();
    base.insert("apiVersion".to_owned(), format!("{}/{}", crd.spec.group, version.name).into());
    base.insert("kind".to_owned(), crd.spec.names.kind.clone().into());
    let mut metadata = json!({ "name": names::name(root, &base) });
    if crd.spec.scope == "Namespaced" {
        metadata["namespace"] = json!("default");
    }
    base.insert("metadata".to_owned(), metadata);
    base
}

#[cfg(test)]
mod tests;
