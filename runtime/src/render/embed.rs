//! Types of Kubernetes with what their own API says of them, and k8s-openapi does not: how lists and maps are merged, and
//! which values are defaults.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    },
    apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString},
};

use super::{RenderError, keywords, schema::render_schema};
use crate::schema::{Descriptions, ForeignSchema, Keyword, KubeSchema, Schema};

mod table;

use table::TYPES;

/// A type as Kubernetes' API describes it.
struct Type {
    /// The name, without the `io.k8s.` of all types.
    name: &'static str,
    /// What is said of a value.
    value: &'static [Keyword],
    /// What is said of every list of values.
    list: &'static [Keyword],
    members: &'static [Member],
}

/// A field, the type that it holds or lists, and what is said of the field.
type Member = (&'static str, &'static str, &'static [Keyword]);

/// Types that k8s-openapi says less of than crdkit, which needs no table for them.
const KNOWN: &[(&str, &Schema)] = &[
    ("apimachinery.pkg.api.resource.Quantity", Quantity::PLACE),
    (
        "apimachinery.pkg.util.intstr.IntOrString",
        IntOrString::PLACE,
    ),
];

/// Adds to the schema of a type what k8s-openapi leaves out.
pub(super) fn complete(
    props: &mut JSONSchemaProps,
    foreign: &ForeignSchema,
) -> Result<(), RenderError> {
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
pub(super) fn merge_list(
    props: &mut JSONSchemaProps,
    foreign: &ForeignSchema,
) -> Result<(), RenderError> {
    match find(&name_of(foreign)) {
        Some(type_) => add(props, type_.list),
        None => Ok(()),
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
    for (name, holds, keywords) in type_.members {
        // The table is that of one version of Kubernetes, and k8s-openapi may be of another.
        let Some(member) = props.properties.as_mut().and_then(|all| all.get_mut(*name)) else {
            continue;
        };
        let below = |error: RenderError| error.below(&format!(".{name}"));
        write_held(held(member), holds).map_err(below)?;
        add(member, keywords).map_err(below)?;
    }
    add(props, type_.value)
}

fn write_held(props: &mut JSONSchemaProps, name: &str) -> Result<(), RenderError> {
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
fn held(props: &mut JSONSchemaProps) -> &mut JSONSchemaProps {
    match props {
        JSONSchemaProps {
            items: Some(JSONSchemaPropsOrArray::Schema(items)),
            ..
        } => held(items),
        JSONSchemaProps {
            additional_properties: Some(JSONSchemaPropsOrBool::Schema(values)),
            ..
        } => held(values),
        props => props,
    }
}

fn add(props: &mut JSONSchemaProps, said: &[Keyword]) -> Result<(), RenderError> {
    let keys_are_there = said.iter().all(|keyword| match keyword {
        Keyword::ListMapKeys(keys) => keys.iter().all(|key| tells_apart(props, key)),
        _ => true,
    });
    match keys_are_there {
        true => keywords::apply(props, said, Descriptions::All),
        false => Ok(()),
    }
}

/// Whether every item of a list has a field, as the API server asks of the keys of a map list.
fn tells_apart(list: &JSONSchemaProps, key: &str) -> bool {
    let Some(JSONSchemaPropsOrArray::Schema(item)) = &list.items else {
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
        for type_ in TYPES {
            for (member, holds, _) in type_.members {
                let is_known = holds.is_empty()
                    || find(holds).is_some()
                    || KNOWN.iter().any(|(name, _)| name == holds);
                assert!(is_known, "{}.{member} holds {holds}", type_.name);
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
