//! The OpenAPI documents.
//!
//! The paths and Kubernetes' own types are those of the real server: `openapi.json` is a template that
//! `cargo run -p crdkit-tests --bin server_data` writes. Built-in kinds have the same paths, and the schemas of the real server.
//! The document of version 2 is made of those of version 3.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::LazyLock,
};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    discovery::{Discovery, Served},
    kinds,
    resource::{Resource, Version},
};

mod schema;
pub(super) mod version2;

/// The contents of `openapi.json`.
#[derive(Deserialize)]
struct Template {
    info: Value,
    /// The parameters, which the paths refer to by their positions.
    parameters: Vec<Value>,
    namespaced: BTreeMap<String, Value>,
    cluster: BTreeMap<String, Value>,
    /// Kubernetes' own types.
    schemas: Map<String, Value>,
}

static TEMPLATE: LazyLock<Template> =
    LazyLock::new(|| serde_json::from_str(include_str!("openapi.json")).expect("the data is valid"));

/// Returns the document of `/openapi/v3`.
pub(super) fn index(discovery: &Discovery<'_>) -> Value {
    let groups = [""].into_iter().chain(discovery.groups());
    let versions = groups.flat_map(|group| discovery.versions(group).into_iter().map(move |version| (group, version)));
    let paths = versions.filter_map(|(group, version)| {
        let mut hasher = DefaultHasher::new();
        // Documents of built-in kinds never change.
        if discovery.resources(group, version).iter().any(|(resource, _)| resource.is_custom) {
            document(discovery, group, version)?.to_string().hash(&mut hasher);
        }
        let path = root(group, version);
        let url = format!("/openapi/v3/{path}?hash={:016X}", hasher.finish());
        Some((path, json!({ "serverRelativeURL": url })))
    });
    json!({ "paths": paths.collect::<Map<_, _>>() })
}

/// Returns the document of a version of a group.
pub(super) fn document(discovery: &Discovery<'_>, group: &str, version: &str) -> Option<Value> {
    let resources = discovery.resources(group, version);
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for served in &resources {
        paths.extend(Names::new(*served).paths());
        add_schemas(*served, &mut schemas);
    }
    let has_scale = resources.iter().any(|(_, version)| version.has_scale());
    let common = TEMPLATE.schemas.iter().filter(|(name, _)| has_scale || !name.starts_with("io.k8s.api.autoscaling."));
    schemas.extend(common.map(|(name, schema)| (name.clone(), schema.clone())));
    (!resources.is_empty()).then(
        || json!({ "openapi": "3.0.0", "info": TEMPLATE.info, "paths": paths, "components": { "schemas": schemas } }),
    )
}

/// Adds the schemas of a kind and of its lists.
fn add_schemas(served: Served<'_>, schemas: &mut Map<String, Value>) {
    let (resource, version) = served;
    if resource.is_custom {
        schemas.extend(schema::of_resource(served));
    } else {
        for kind in [&resource.names.kind, &resource.list_kind()] {
            kinds::add(&model(&resource.group, &version.spec.name, kind), schemas);
        }
    }
}

/// Returns the path of a version of a group, without a slash before it.
fn root(group: &str, version: &str) -> String {
    match group {
        "" => format!("api/{version}"),
        group => format!("apis/{group}/{version}"),
    }
}

/// The name of a type in a document: that of a built-in kind, or the group in reverse, the version and the kind.
fn model(group: &str, version: &str, kind: &str) -> String {
    if let Some(name) = kinds::name(group, version, kind) {
        return name.to_owned();
    }
    let group = match group {
        "" => "core",
        group => group,
    };
    let mut parts: Vec<_> = group.split('.').collect();
    parts.reverse();
    format!("{}.{version}.{kind}", parts.join("."))
}

/// The names in the paths of a resource.
struct Names<'r> {
    resource: &'r Resource,
    version: &'r Version,
    /// The placeholders of the template and their values.
    values: Vec<(&'static str, String)>,
}

impl<'r> Names<'r> {
    fn new((resource, version): Served<'r>) -> Self {
        let (group, version_name) = (resource.group.as_str(), version.spec.name.as_str());
        let kind = &resource.names.kind;
        let camel: String = group.split(['.', '-']).map(capitalize).collect();
        let mut chars = camel.chars();
        let tag = chars.next().map(|first| first.to_lowercase().chain(chars).collect::<String>()).unwrap_or_default();
        let values = vec![
            ("/apis/{groupVersion}", format!("/{}", root(group, version_name))),
            ("{listModel}", model(group, version_name, &resource.list_kind())),
            ("{model}", model(group, version_name, kind)),
            ("{operation}", format!("{camel}{}", capitalize(version_name))),
            ("{tag}", format!("{tag}_{version_name}")),
            ("{ a kind}", format!("{}{kind}", article(kind))),
            ("{group}", group.to_owned()),
            ("{version}", version_name.to_owned()),
            ("{plural}", resource.names.plural.clone()),
            ("{kind}", kind.clone()),
        ];
        Self { resource, version, values }
    }

    fn paths(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        let template = if self.resource.is_namespaced { &TEMPLATE.namespaced } else { &TEMPLATE.cluster };
        let is_served = |path: &str| match path.rsplit('/').next() {
            Some("status") => self.version.has_status(),
            Some("scale") => self.version.has_scale(),
            _ => true,
        };
        let served = template.iter().filter(move |(path, _)| is_served(path));
        served.filter_map(|(path, item)| Some((self.fill_text(path), self.with_verbs(self.fill(item))?)))
    }

    /// Returns a path with the operations that the resource has; `None` if it has none of them.
    fn with_verbs(&self, mut item: Value) -> Option<Value> {
        let members = item.as_object_mut()?;
        members.retain(|_, operation| {
            let verb = match operation["x-kubernetes-action"].as_str() {
                Some("post") => "create",
                Some("put") => "update",
                Some(action) => action,
                None => return true,
            };
            self.version.verbs.iter().any(|it| it == verb)
        });
        members.values().any(Value::is_object).then_some(item)
    }

    fn fill_text(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, (placeholder, value)| text.replace(placeholder, value))
    }

    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.fill_text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), self.fill_member(key, value))).collect()
            }
            other => other.clone(),
        }
    }

    fn fill_member(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::Array(positions) if key == "parameters" => {
                let parameters = positions.iter().filter_map(|position| usize::try_from(position.as_u64()?).ok());
                parameters.map(|position| self.fill(&TEMPLATE.parameters[position])).collect()
            }
            value => self.fill(value),
        }
    }
}

fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Returns the article of a kind between spaces. The server takes a kind that ends with an `s` for a plural.
fn article(kind: &str) -> &'static str {
    match kind.chars().next().map(|first| first.to_ascii_lowercase()) {
        _ if kind.ends_with('s') && !kind.ends_with("ss") => " ",
        Some('a' | 'e' | 'i' | 'o' | 'u') => " an ",
        _ => " a ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn names() {
        assert_eq!(model("infra.example.com", "v1", "Disk"), "com.example.infra.v1.Disk");
        for (kind, expected) in [("At", " an "), ("Disk", " a "), ("Settings", " "), ("Class", " a ")] {
            assert_eq!(article(kind), expected, "{kind}");
        }
    }

    #[test]
    fn no_placeholder_remains() {
        let resources = builtin::resources();
        let discovery = Discovery::new(resources.iter());
        for group in ["", "apps", "rbac.authorization.k8s.io"] {
            let text = document(&discovery, group, "v1").unwrap().to_string();
            for part in text.split('{').skip(1) {
                let name = part.split('}').next().unwrap_or_default();
                assert!(!TEMPLATE_NAMES.contains(&name), "{name}");
            }
        }
        let index = index(&discovery);
        assert!(index["paths"]["apis/autoscaling/v2"]["serverRelativeURL"].is_string());
        assert!(document(&discovery, "apps", "v9").is_none());
    }

    const TEMPLATE_NAMES: [&str; 9] =
        ["groupVersion", "listModel", "model", "operation", "tag", " a kind", "group", "version", "plural"];
}
