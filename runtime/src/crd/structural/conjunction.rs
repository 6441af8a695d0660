//! Conjunction of schemas: `allOf`, and keywords next to variants.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crdkit_core::schema::CountBound;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

use crate::{
    crd::{
        crd_accessors::{ValueSet, count},
        structural::{
            ADVICE,
            bounds::{lower_maximum, maximum, minimum, narrow_count, raise_minimum},
            convert::{convert, unsatisfiable},
            types,
        },
    },
    error::RenderError,
};

/// Keeps the first of two values that exists.
macro_rules! first {
    ($a:ident, $b:ident: $($field:ident),+) => {$(
        $a.$field = $a.$field.take().or($b.$field);
    )+};
}

/// Sets a keyword that allows one value; a second value is added to `allOf`.
macro_rules! place {
    ($a:ident, $b:ident, $second:ident: $($field:ident),+) => {$(
        if $a.$field.is_none() {
            $a.$field = $b.$field;
        } else if $a.$field != $b.$field {
            $second.$field = $b.$field;
        }
    )+};
}

/// Adds the members of `allOf` to a node.
pub(super) fn all_of(node: &mut JSONSchemaProps, mut members: Vec<Value>, depth: usize) -> Result<(), RenderError> {
    if let [only] = &mut members[..] {
        inherit(node, only);
    }
    for member in members {
        restrict(node, *convert(member, depth)?)?;
    }
    Ok(())
}

/// Copies the description of a node to the only schema that it wraps.
pub(super) fn inherit(props: &JSONSchemaProps, schema: &mut Value) {
    if let (Some(description), Value::Object(schema)) = (&props.description, schema) {
        schema.insert("description".to_owned(), description.clone().into());
    }
}

/// Restricts `a` to values that also match `b`. If only one value of a keyword can be kept, such as a description, it
/// is that of `a`.
pub(crate) fn restrict(a: &mut JSONSchemaProps, b: JSONSchemaProps) -> Result<(), RenderError> {
    both_types(a, &b)?;
    both_ranges(a, &b);
    a.enum_ = both_enums(a.enum_.take(), b.enum_)?;
    a.required = both_lists(a.required.take(), b.required);
    a.properties = both_properties(a.properties.take(), b.properties)?;
    a.items = both_items(a.items.take(), b.items)?;
    a.additional_properties = both_others(a.additional_properties.take(), b.additional_properties)?;
    a.x_kubernetes_validations = both_lists(a.x_kubernetes_validations.take(), b.x_kubernetes_validations);
    first!(a, b: title, description, default, example, external_docs, nullable, unique_items);
    first!(a, b: x_kubernetes_embedded_resource, x_kubernetes_preserve_unknown_fields);
    first!(a, b: x_kubernetes_list_type, x_kubernetes_list_map_keys, x_kubernetes_map_type);
    let mut second = JSONSchemaProps::default();
    place!(a, b, second: format, pattern, multiple_of, not, any_of, one_of);
    a.all_of = both_lists(a.all_of.take(), b.all_of);
    if second != JSONSchemaProps::default() {
        a.all_of.get_or_insert_default().push(second);
    }
    Ok(())
}

fn both_types(a: &mut JSONSchemaProps, b: &JSONSchemaProps) -> Result<(), RenderError> {
    let (one, other) = (types::kind(a), types::kind(b));
    let Some(both) = one.intersection(other) else {
        return Err(RenderError::new(format!(
            "no value is both {} and {}, as `allOf` requires: {ADVICE}",
            one.noun(),
            other.noun()
        )));
    };
    types::set_kind(a, both);
    Ok(())
}

fn both_ranges(a: &mut JSONSchemaProps, b: &JSONSchemaProps) {
    raise_minimum(a, minimum(b));
    lower_maximum(a, maximum(b));
    for bound in CountBound::ALL {
        narrow_count(a, *bound, count(b, *bound));
    }
}

fn both_enums(a: Option<Vec<JSON>>, b: Option<Vec<JSON>>) -> Result<Option<Vec<JSON>>, RenderError> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            let b = ValueSet::of(&b);
            a.retain(|value| b.contains(value));
            if a.is_empty() { Err(unsatisfiable()) } else { Ok(Some(a)) }
        }
        (a, b) => Ok(a.or(b)),
    }
}

fn both_lists<T: PartialEq>(a: Option<Vec<T>>, b: Option<Vec<T>>) -> Option<Vec<T>> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            for item in b {
                if !a.contains(&item) {
                    a.push(item);
                }
            }
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

type Properties = Option<BTreeMap<String, JSONSchemaProps>>;

fn both_properties(a: Properties, b: Properties) -> Result<Properties, RenderError> {
    let (mut a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return Ok(a.or(b)),
    };
    for (name, property) in b {
        match a.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(property);
            }
            Entry::Occupied(mut entry) => {
                let segment = format!(".{}", entry.key());
                restrict(entry.get_mut(), property).map_err(|error| error.below(&segment))?;
            }
        }
    }
    Ok(Some(a))
}

fn both_items(
    a: Option<JSONSchemaPropsOrArray>,
    b: Option<JSONSchemaPropsOrArray>,
) -> Result<Option<JSONSchemaPropsOrArray>, RenderError> {
    use JSONSchemaPropsOrArray::Schema;
    Ok(match (a, b) {
        (Some(Schema(mut a)), Some(Schema(b))) => {
            restrict(&mut a, *b).map_err(|error| error.below("[]"))?;
            Some(Schema(a))
        }
        (a, b) => a.or(b),
    })
}

/// Combines `additionalProperties`. An object that denies unknown fields allows those of the other schema.
fn both_others(
    a: Option<JSONSchemaPropsOrBool>,
    b: Option<JSONSchemaPropsOrBool>,
) -> Result<Option<JSONSchemaPropsOrBool>, RenderError> {
    use JSONSchemaPropsOrBool::{Bool, Schema};
    Ok(match (a, b) {
        (Some(Schema(mut a)), Some(Schema(b))) => {
            restrict(&mut a, *b).map_err(|error| error.below("[*]"))?;
            Some(Schema(a))
        }
        (None | Some(Bool(_)), Some(Schema(values))) | (Some(Schema(values)), _) => Some(Schema(values)),
        (Some(Bool(true)), _) | (_, Some(Bool(true))) => Some(Bool(true)),
        (a, b) => a.or(b),
    })
}
