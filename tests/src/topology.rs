//! The table of list types, map types and defaults of Kubernetes' own types, from the API server's OpenAPI documents.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ControlPlane, Request};

/// The documents of groups whose types are used in custom resources.
const DOCUMENTS: &[&str] = &[
    "api/v1",
    "apis/admissionregistration.k8s.io/v1",
    "apis/apps/v1",
    "apis/authorization.k8s.io/v1",
    "apis/autoscaling/v2",
    "apis/batch/v1",
    "apis/networking.k8s.io/v1",
    "apis/policy/v1",
    "apis/rbac.authorization.k8s.io/v1",
];
const PREFIX: &str = "io.k8s.";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";
/// Types that crdkit describes itself.
const KNOWN: &[&str] = &["apimachinery.pkg.api.resource.Quantity", "apimachinery.pkg.util.intstr.IntOrString"];
/// The path of the table.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/crd/render/kubernetes_types/kubernetes.jsonl")
}

/// Returns the current table.
///
/// # Errors
///
/// If the API server has no such documents.
pub async fn table(plane: &ControlPlane) -> Result<String> {
    let mut types = BTreeMap::new();
    for document in DOCUMENTS {
        let answer = plane.raw(Request::get(format!("/openapi/v3/{document}"))).await;
        ensure!(answer.is_success(), "{document}: {}", answer.body);
        let schemas = answer.body["components"]["schemas"].as_object();
        read(schemas.context("a document has schemas")?, &mut types)?;
    }
    render(&types)
}

/// Keywords of a schema.
type Keywords = Map<String, Value>;

/// The keywords of a type and its fields.
#[derive(Default)]
struct Type {
    keywords: Keywords,
    members: BTreeMap<String, Member>,
    /// Whether the type is the list of a kind, whose keywords do not apply to other lists.
    is_list_kind: bool,
}

struct Member {
    /// The type of the field, or of the values in its list or map; empty if it is not one of Kubernetes' types.
    holds: String,
    keywords: Keywords,
    is_list: bool,
}

impl Type {
    /// Whether it is a kind, which is recognized by its group and version, or has only such fields as references of others have.
    fn is_kind_or_reference(&self) -> bool {
        let is_kind = self.members.contains_key("metadata") || self.members.len() < 5;
        self.members.contains_key("apiVersion") && is_kind
    }
}

fn read(schemas: &Map<String, Value>, types: &mut BTreeMap<String, Type>) -> Result<()> {
    for (name, schema) in schemas {
        let name = name.strip_prefix(PREFIX).context("a type of another name")?;
        if schema["type"] == "object" {
            types.insert(name.to_owned(), read_type(schema));
        }
    }
    Ok(())
}

fn read_type(schema: &Value) -> Type {
    let required: BTreeSet<_> = elements(&schema["required"]).filter_map(Value::as_str).collect();
    let mut type_ = Type { keywords: topology(schema), ..Type::default() };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut keywords = topology(property);
        // Defaults of required fields are Go's zero values.
        if !required.contains(name.as_str()) {
            keywords.extend(default(property));
        }
        let member = Member { holds: held(property), keywords, is_list: property["type"] == "array" };
        type_.members.insert(name.clone(), member);
    }
    type_.is_list_kind = ["apiVersion", "kind", "items"].iter().all(|name| type_.members.contains_key(*name));
    type_
}

/// Returns the keywords for merging a value.
fn topology(schema: &Value) -> Keywords {
    let names = [LIST_TYPE, LIST_MAP_KEYS, MAP_TYPE];
    let keywords = names.into_iter().filter_map(|name| {
        let value = schema.get(name)?;
        Some((name.to_owned(), value.clone()))
    });
    keywords.collect()
}

/// Returns the default of a field. The empty object is Go's zero value, not a default.
fn default(schema: &Value) -> Option<(String, Value)> {
    let value = schema.get("default")?;
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    (!is_empty).then(|| ("default".to_owned(), value.clone()))
}

fn held(schema: &Value) -> String {
    let inner = [&schema["items"], &schema["additionalProperties"]];
    if let Some(inner) = inner.into_iter().find(|inner| inner.is_object()) {
        return held(inner);
    }
    let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"));
    let name = reference
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next())
        .and_then(|name| name.strip_prefix(PREFIX));
    name.unwrap_or_default().to_owned()
}

/// A line of the table.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    keywords: &'a Keywords,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<&'a Keywords>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberOfLine<'a>>,
}

#[derive(Serialize)]
struct MemberOfLine<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    holds: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    keywords: &'a Keywords,
}

fn render(types: &BTreeMap<String, Type>) -> Result<String> {
    let described = described(types);
    let mut table = String::new();
    for (name, type_) in types {
        let members = type_.members.iter().map(|(name, member)| MemberOfLine {
            name,
            holds: described.get(member.holds.as_str()).copied().unwrap_or_default(),
            keywords: &member.keywords,
        });
        let line = Line {
            name,
            fields: type_.members.keys().filter(|_| !type_.is_kind_or_reference()).map(String::as_str).collect(),
            keywords: &type_.keywords,
            list: of_lists(types, name).filter(|keywords| !keywords.is_empty()),
            members: members.filter(|it| !(it.holds.is_empty() && it.keywords.is_empty())).collect(),
        };
        table += &serde_json::to_string(&line)?;
        table.push('\n');
    }
    Ok(table)
}

/// Returns the types that have keywords, directly or in the types of their fields.
fn described(types: &BTreeMap<String, Type>) -> BTreeSet<&str> {
    let mut described: BTreeSet<&str> = KNOWN.iter().copied().collect();
    loop {
        let known = described.len();
        for (name, type_) in types {
            let is_described = !type_.keywords.is_empty()
                || type_
                    .members
                    .values()
                    .any(|member| !member.keywords.is_empty() || described.contains(member.holds.as_str()));
            if is_described {
                described.insert(name);
            }
        }
        if described.len() == known {
            return described;
        }
    }
}

/// Returns the keywords that all lists of a type have in common, if they are equal.
fn of_lists<'a>(types: &'a BTreeMap<String, Type>, name: &str) -> Option<&'a Keywords> {
    let types = types.values().filter(|type_| !type_.is_list_kind);
    let lists = types.flat_map(|type_| type_.members.values()).filter(|member| member.is_list && member.holds == name);
    let mut keywords = lists.map(|member| &member.keywords);
    let first = keywords.next()?;
    keywords.all(|other| other == first).then_some(first)
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
