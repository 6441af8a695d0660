//! The built-in resources.
//!
//! `builtin.jsonl` lists those whose objects the server stores, and those that it answers: reviews of users and permissions, bindings,
//! and the status of components. It is copied from the real server by `cargo run -p crdkit-tests --bin server_data`. Subresources other
//! than `status` and `scale` are those of `subresources.rs`.

use std::sync::{Arc, LazyLock};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionVersion,
    CustomResourceSubresourceScale, CustomResourceSubresourceStatus, CustomResourceSubresources,
};
use serde::Deserialize;

use super::{
    conversion::Conversion,
    managed_fields::Topology,
    object_name::NameRule,
    resource::{Resource, Version},
    store::SchemaId,
    table,
};

const LINES: &str = include_str!("builtin.jsonl");
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A line of the file: a version of a resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    group: String,
    version: String,
    plural: String,
    singular: String,
    kind: String,
    #[serde(default)]
    namespaced: bool,
    #[serde(default)]
    short_names: Option<Vec<String>>,
    #[serde(default)]
    categories: Option<Vec<String>>,
    #[serde(default)]
    verbs: Option<Vec<String>>,
    #[serde(default)]
    status: bool,
    #[serde(default)]
    scale: bool,
    #[serde(default)]
    names: NameRule,
    columns: Vec<Column>,
}

/// A column of a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum Column {
    /// A column that most tables have.
    Common(String),
    Specific(SpecificColumn),
}

#[derive(Deserialize)]
struct SpecificColumn {
    name: String,
    #[serde(rename = "type")]
    type_: String,
    #[serde(default)]
    format: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    priority: i32,
}

/// Returns the built-in resources, in the order of discovery.
pub(super) fn resources() -> Vec<Resource> {
    let mut resources: Vec<Resource> = Vec::new();
    for line in lines() {
        let is_same = |resource: &Resource| resource.group == line.group && resource.names.plural == line.plural;
        match resources.iter().position(is_same) {
            Some(at) => resources[at].versions.push(line.into_version()),
            None => resources.push(line.into_resource()),
        }
    }
    resources
}

/// Returns the built-in resources, which all servers share.
pub(super) fn shared() -> &'static [Arc<Resource>] {
    static SHARED: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(|| resources().into_iter().map(Arc::new).collect());
    &SHARED
}

/// Returns the groups of built-in resources, in the order of discovery.
pub(super) fn groups() -> &'static [String] {
    static GROUPS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut groups: Vec<_> = lines().map(|line| line.group).collect();
        groups.dedup();
        groups
    });
    &GROUPS
}

/// Returns whether a kind is built in.
pub(super) fn has_kind(api_version: &str, kind: &str) -> bool {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    shared().iter().any(|resource| {
        resource.group == group
            && resource.names.kind == kind
            && resource.versions.iter().any(|it| it.spec.name == version)
    })
}

/// Returns which names the objects of a built-in kind can have.
pub(super) fn name_rule(group: &str, plural: &str) -> NameRule {
    /// The kinds whose names are not subdomains, which are few.
    static RULES: LazyLock<Vec<(String, String, NameRule)>> = LazyLock::new(|| {
        let others = lines().filter(|line| line.names != NameRule::Subdomain);
        others.map(|line| (line.group, line.plural, line.names)).collect()
    });
    let found = RULES.iter().find(|(of_group, of_plural, _)| of_group == group && of_plural == plural);
    found.map(|(_, _, rule)| *rule).unwrap_or_default()
}

fn lines() -> impl Iterator<Item = Line> {
    LINES.lines().map(|line| serde_json::from_str(line).expect("the data is valid"))
}

/// What the server says of the kinds that are deprecated.
const DEPRECATIONS: [(&str, &str); 2] = [
    ("ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"),
    ("Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
];

impl Line {
    fn into_resource(self) -> Resource {
        Resource {
            group: self.group.clone(),
            names: CustomResourceDefinitionNames {
                categories: self.categories.clone(),
                kind: self.kind.clone(),
                list_kind: Some(format!("{}List", self.kind)),
                plural: self.plural.clone(),
                short_names: self.short_names.clone(),
                singular: Some(self.singular.clone()),
            },
            is_namespaced: self.namespaced,
            is_custom: false,
            conversion: if self.kind == "Event" { Conversion::Events } else { Conversion::None },
            schema: SchemaId::default(),
            is_terminating: false,
            versions: vec![self.into_version()],
        }
    }

    fn into_version(self) -> Version {
        let scale = self.scale.then(|| CustomResourceSubresourceScale {
            spec_replicas_path: ".spec.replicas".to_owned(),
            status_replicas_path: ".status.replicas".to_owned(),
            ..Default::default()
        });
        let subresources = (self.status || self.scale).then(|| CustomResourceSubresources {
            scale,
            status: self.status.then_some(CustomResourceSubresourceStatus(serde_json::json!({}))),
        });
        let deprecation = DEPRECATIONS.iter().find(|(kind, _)| *kind == self.kind).map(|(_, warning)| *warning);
        let columns = self.columns.into_iter().map(Column::into_definition).collect();
        let (group, version, kind) = (self.group.clone(), self.version.clone(), self.kind.clone());
        let topology = move || Topology::of_kind(&group, &version, &kind).unwrap_or_else(Topology::deduced);
        Version {
            spec: CustomResourceDefinitionVersion {
                name: self.version,
                served: true,
                storage: true,
                subresources,
                additional_printer_columns: Some(columns),
                deprecated: deprecation.map(|_| true),
                deprecation_warning: deprecation.map(str::to_owned),
                ..Default::default()
            },
            schema: None,
            topology: LazyLock::new(Box::new(topology)),
            verbs: self.verbs.unwrap_or_else(|| VERBS.map(str::to_owned).to_vec()),
        }
    }
}

impl Column {
    fn into_definition(self) -> CustomResourceColumnDefinition {
        let column = match self {
            Self::Common(name) if name == "Name" => return table::name_column(),
            Self::Common(name) => return CustomResourceColumnDefinition { name, ..table::age_column("string") },
            Self::Specific(column) => column,
        };
        let optional = |text: String| (!text.is_empty()).then_some(text);
        CustomResourceColumnDefinition {
            description: optional(column.description),
            format: optional(column.format),
            json_path: String::new(),
            name: column.name,
            priority: (column.priority != 0).then_some(column.priority),
            type_: column.type_,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(group: &str, plural: &str) -> Resource {
        let mut resources = resources().into_iter();
        resources.find(|resource| resource.group == group && resource.names.plural == plural).unwrap()
    }

    #[test]
    fn names_and_versions() {
        let scalers = find("autoscaling", "horizontalpodautoscalers");
        let versions: Vec<_> = scalers.versions.iter().map(|version| version.spec.name.as_str()).collect();
        assert_eq!(versions, ["v2", "v1"]);
        let namespaces = find("", "namespaces");
        assert!(!namespaces.is_namespaced);
        assert!(!namespaces.versions[0].verbs.iter().any(|verb| verb == "deletecollection"));
        let deployments = find("apps", "deployments");
        assert_eq!(deployments.names.short_names.as_deref(), Some(&["deploy".to_owned()][..]));
        let subresources = deployments.versions[0].spec.subresources.as_ref().unwrap();
        assert!(subresources.scale.is_some() && subresources.status.is_some());
        assert!(find("", "configmaps").versions[0].spec.subresources.is_none());
    }

    #[test]
    fn name_rules() {
        assert_eq!(name_rule("", "namespaces"), NameRule::Label);
        assert_eq!(name_rule("rbac.authorization.k8s.io", "roles"), NameRule::PathSegment);
        assert_eq!(name_rule("", "pods"), NameRule::Subdomain);
    }
}
