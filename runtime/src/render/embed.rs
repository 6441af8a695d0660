//! Types of Kubernetes with what their own API says of them, and k8s-openapi does not: how lists and maps are merged, and
//! which values are defaults.

use std::sync::LazyLock;

use k8s_openapi::{
    DeepMerge as _,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    },
    apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString},
};

use serde::Deserialize;

use super::{RenderError, schema::render_schema};
use crate::{
    props,
    schema::{ForeignSchema, KubeSchema, Schema},
};

/// Written by `cargo run -p crdkit-tests --bin topology` from the API server's OpenAPI documents: a type on each line.
const TABLE: &str = include_str!("embed/kubernetes.jsonl");

static TYPES: LazyLock<Vec<Type>> = LazyLock::new(|| {
    let types = TABLE.lines().map(serde_json::from_str);
    types.collect::<Result<_, _>>().expect("the table can be read")
});

/// A type as Kubernetes' API describes it.
#[derive(Deserialize)]
struct Type {
    /// The name, without the `io.k8s.` of all types.
    name: &'static str,
    /// What is said of a value.
    #[serde(default)]
    keywords: JSONSchemaProps,
    /// What is said of every list of values.
    #[serde(default)]
    list: JSONSchemaProps,
    #[serde(default)]
    members: Vec<Member>,
}

/// A field.
#[derive(Deserialize)]
struct Member {
    name: &'static str,
    /// The type that the field inner_type or lists; empty if nothing is said of it.
    #[serde(default)]
    inner_type: &'static str,
    /// What is said of the field.
    #[serde(default)]
    keywords: JSONSchemaProps,
}

/// Types that k8s-openapi says less of than crdkit, which needs no table for them.
const KNOWN: &[(&str, &Schema)] = &[
    ("apimachinery.pkg.api.resource.Quantity", Quantity::SCHEMA_REF),
    ("apimachinery.pkg.util.intstr.IntOrString", IntOrString::SCHEMA_REF),
];

/// Adds to the schema of a type what k8s-openapi leaves out.
pub(super) fn complete(props: &mut JSONSchemaProps, foreign: &ForeignSchema) -> Result<(), RenderError> {
    match find(&name_of(foreign)) {
        Some(type_) => write(props, type_),
        None => Err(RenderError::new(format!(
            "`{}` is none of the types of Kubernetes of which crdkit knows defaults, list types and map types: write \
             `embed = \"lean\"`, or nothing",
            (foreign.type_name)()
        ))),
    }
}

/// Merges a list of such types as all lists of them are merged.
pub(super) fn merge_list(props: &mut JSONSchemaProps, foreign: &ForeignSchema) {
    if let Some(type_) = find(&name_of(foreign)) {
        add(props, &type_.list);
    }
}

fn name_of(foreign: &ForeignSchema) -> String {
    let name = foreign.schema_name.map(|name| name().into_owned());
    let name = name.unwrap_or_default();
    name.strip_prefix("io.k8s.").unwrap_or_default().to_owned()
}

fn find(name: &str) -> Option<&'static Type> {
    let at = TYPES.binary_search_by_key(&name, |type_| type_.name).ok()?;
    TYPES.get(at)
}

fn write(props: &mut JSONSchemaProps, type_: &Type) -> Result<(), RenderError> {
    for member in &type_.members {
        // The table is that of one version of Kubernetes, and k8s-openapi may be of another.
        let properties = props.properties.as_mut();
        let Some(field) = properties.and_then(|all| all.get_mut(member.name)) else {
            continue;
        };
        let below = |error: RenderError| error.below(&format!(".{}", member.name));
        write_inner(innermost(field), member.inner_type).map_err(below)?;
        add(field, &member.keywords);
    }
    add(props, &type_.keywords);
    Ok(())
}

fn write_inner(props: &mut JSONSchemaProps, name: &str) -> Result<(), RenderError> {
    if let Some((_, known)) = KNOWN.iter().find(|(known, _)| *known == name) {
        let description = props.description.take();
        *props = render_schema(known)?;
        props.description = description;
    }
    match find(name) {
        Some(type_) => write(props, type_),
        None => Ok(()),
    }
}

/// What a list or a map consists of.
fn innermost(props: &mut JSONSchemaProps) -> &mut JSONSchemaProps {
    match props {
        JSONSchemaProps { items: Some(JSONSchemaPropsOrArray::Schema(items)), .. } => innermost(items),
        JSONSchemaProps { additional_properties: Some(JSONSchemaPropsOrBool::Schema(values)), .. } => innermost(values),
        props => props,
    }
}

fn add(props: &mut JSONSchemaProps, keywords: &JSONSchemaProps) {
    let mut keys = keywords.x_kubernetes_list_map_keys.iter().flatten();
    if keys.all(|key| is_list_map_key(props, key)) {
        props.merge_from(keywords.clone());
    }
}

/// Whether every item of a list has a field, as the API server asks of the keys of a map list.
fn is_list_map_key(list: &JSONSchemaProps, key: &str) -> bool {
    let Some(item) = props::items(list) else {
        return false;
    };
    let field = item.properties.as_ref().and_then(|all| all.get(key));
    let is_required = item.required.iter().flatten().any(|name| name == key);
    field.is_some_and(|field| is_required || field.default.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(TYPES.is_sorted_by_key(|type_| type_.name));
        for type_ in &*TYPES {
            for member in &type_.members {
                let is_known = member.inner_type.is_empty()
                    || find(member.inner_type).is_some()
                    || KNOWN.iter().any(|(name, _)| *name == member.inner_type);
                assert!(is_known, "{}.{}", type_.name, member.name);
            }
        }
    }

    #[test]
    fn what_is_not_there_is_left_alone() {
        let container = find("api.core.v1.Container").unwrap();
        let mut props = JSONSchemaProps::default();
        write(&mut props, container).unwrap();
        assert_eq!(props, JSONSchemaProps::default());
    }
}
