//! Disjunction of schemas: their common part, and the remaining part of each.

use std::collections::BTreeMap;

use crdkit_core::{
    schema::{CountBound, Kind},
    shared_schema::{self, Difference, Origin, RuleFact},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, ValidationRule,
};

use crate::crd::{
    crd_accessors::{ValueSet, count, count_mut},
    structural::{
        bounds::{higher, lower, maximum, minimum, set_maximum, set_minimum},
        closed,
        finish::any,
        formats, null, types,
    },
};

/// A difference between two variants that one structural schema cannot express.
#[derive(Debug)]
pub(super) struct Conflict<'a> {
    /// The path of the difference.
    pub(super) path: String,
    pub(super) difference: Difference<'a>,
}

impl<'a> Conflict<'a> {
    fn of(difference: Difference<'a>) -> Box<Self> {
        let path = String::new();
        Box::new(Self { path, difference })
    }

    fn below(mut self: Box<Self>, segment: &str) -> Box<Self> {
        self.path.insert_str(0, segment);
        self
    }
}

type Joined<'a, T> = Result<T, Box<Conflict<'a>>>;

/// Keeps keywords that are equal in two nodes.
macro_rules! agreed {
    ($common:ident, $a:ident, $b:ident: $($field:ident),+) => {$(
        if $a.$field == $b.$field {
            $common.$field.clone_from(&$a.$field);
        }
    )+};
}

/// Keeps keywords that differ from `common`.
macro_rules! added {
    ($rest:ident, $node:ident, $common:ident: $($field:ident),+) => {$(
        if $node.$field != $common.$field {
            $rest.$field.clone_from(&$node.$field);
        }
    )+};
}

/// Returns the common part of two variants, which all values of both match.
pub(super) fn join<'a>(a: &'a JSONSchemaProps, b: &'a JSONSchemaProps) -> Joined<'a, JSONSchemaProps> {
    let mut common = JSONSchemaProps {
        description: a.description.clone().or(b.description.clone()),
        nullable: a.nullable.or(b.nullable),
        x_kubernetes_preserve_unknown_fields: a
            .x_kubernetes_preserve_unknown_fields
            .or(b.x_kubernetes_preserve_unknown_fields),
        ..JSONSchemaProps::default()
    };
    let kinds = [types::kind(a), types::kind(b)];
    match kinds[0].union_in_fields(kinds[1]) {
        None => return Err(Conflict::of(Difference::Kinds(kinds))),
        Some(Kind::Opaque) if kinds[0] != kinds[1] => return Ok(common),
        Some(kind) => types::set_kind(&mut common, kind),
    }
    if let Some(difference) = shared_schema::rule_difference(&rules(a), &rules(b)) {
        return Err(Conflict::of(difference));
    }
    join_values(&mut common, a, b);
    agreed!(common, a, b: title, default, example, external_docs, unique_items);
    agreed!(common, a, b: x_kubernetes_embedded_resource);
    agreed!(common, a, b: x_kubernetes_list_type, x_kubernetes_list_map_keys, x_kubernetes_map_type);
    common.x_kubernetes_validations.clone_from(&a.x_kubernetes_validations);
    common.required = in_both(a.required.as_deref(), b.required.as_deref());
    common.properties = join_properties(a, b)?;
    common.items = join_items(a, b)?;
    common.additional_properties = join_others(a, b)?;
    Ok(common)
}

/// Returns the rules of a node.
pub(super) fn rules(node: &JSONSchemaProps) -> Vec<RuleFact<'_>> {
    let rules = node.x_kubernetes_validations.iter().flatten();
    rules.map(rule).collect()
}

fn rule(rule: &ValidationRule) -> RuleFact<'_> {
    RuleFact {
        optional_old_self: rule.optional_old_self,
        failure: [
            rule.message.as_deref(),
            rule.message_expression.as_deref(),
            rule.reason.as_deref(),
            rule.field_path.as_deref(),
        ],
        ..RuleFact::new(Origin::Rule, &rule.rule)
    }
}

fn join_values(common: &mut JSONSchemaProps, a: &JSONSchemaProps, b: &JSONSchemaProps) {
    agreed!(common, a, b: format, pattern, multiple_of, not, all_of, any_of, one_of);
    for bound in CountBound::ALL {
        *count_mut(common, *bound) = count(a, *bound).filter(|_| count(a, *bound) == count(b, *bound));
    }
    set_minimum(common, lower(minimum(a), minimum(b)));
    set_maximum(common, higher(maximum(a), maximum(b)));
    common.enum_ = a.enum_.as_ref().zip(b.enum_.as_ref()).map(|(a, b)| {
        let known = ValueSet::of(a);
        let new = b.iter().filter(|value| !known.contains(value));
        a.iter().chain(new).cloned().collect()
    });
}

fn in_both(a: Option<&[String]>, b: Option<&[String]>) -> Option<Vec<String>> {
    let (mut names, others) = (a?.to_vec(), b?);
    names.retain(|name| others.contains(name));
    Some(names).filter(|names| !names.is_empty())
}

fn join_properties<'a>(
    a: &'a JSONSchemaProps,
    b: &'a JSONSchemaProps,
) -> Joined<'a, Option<BTreeMap<String, JSONSchemaProps>>> {
    if a.properties.is_none() && b.properties.is_none() {
        return Ok(None);
    }
    let mut properties = BTreeMap::new();
    for (node, other) in [(a, b), (b, a)] {
        for (name, property) in node.properties.iter().flatten() {
            if !properties.contains_key(name) {
                properties.insert(name.clone(), beside_others(name, property, other)?);
            }
        }
    }
    Ok(Some(properties))
}

/// Joins a property of one variant with the same property of another variant, or with its `additionalProperties`.
fn beside_others<'a>(
    name: &str,
    property: &'a JSONSchemaProps,
    variant: &'a JSONSchemaProps,
) -> Joined<'a, JSONSchemaProps> {
    use JSONSchemaPropsOrBool::{Bool, Schema};
    let below = |conflict: Box<Conflict<'a>>| conflict.below(&format!(".{name}"));
    let named = variant.properties.as_ref().and_then(|it| it.get(name));
    if let Some(other) = named {
        return join(property, other).map_err(below);
    }
    let mut property = match &variant.additional_properties {
        Some(Schema(values)) => join(property, values).map_err(below)?,
        Some(Bool(true)) => any(),
        None | Some(Bool(false)) => property.clone(),
    };
    property.default = None; // the server would also set it in variants without the field
    Ok(property)
}

fn join_items<'a>(a: &'a JSONSchemaProps, b: &'a JSONSchemaProps) -> Joined<'a, Option<JSONSchemaPropsOrArray>> {
    use JSONSchemaPropsOrArray::Schema;
    let (Some(Schema(a)), Some(Schema(b))) = (&a.items, &b.items) else {
        return Ok(None);
    };
    let items = join(a, b).map_err(|conflict| conflict.below("[]"))?;
    Ok(Some(Schema(Box::new(items))))
}

fn join_others<'a>(a: &'a JSONSchemaProps, b: &'a JSONSchemaProps) -> Joined<'a, Option<JSONSchemaPropsOrBool>> {
    use JSONSchemaPropsOrBool::{Bool, Schema};
    Ok(match (&a.additional_properties, &b.additional_properties) {
        (Some(Schema(a)), Some(Schema(b))) => {
            let values = join(a, b).map_err(|conflict| conflict.below("[*]"))?;
            Some(Schema(Box::new(values)))
        }
        (Some(Bool(true)), _) | (_, Some(Bool(true))) => Some(Bool(true)),
        (Some(Schema(values)), _) | (_, Some(Schema(values))) => Some(Schema(values.clone())),
        (Some(Bool(false)), Some(Bool(false))) => Some(Bool(false)),
        _ => None,
    })
}

/// Returns the value validation of a variant that is not in the common part.
pub(super) fn rest(node: &JSONSchemaProps, common: &JSONSchemaProps) -> JSONSchemaProps {
    let mut rest = rest_of_own(node, common);
    closed::exclude_other_fields(&mut rest, node, common);
    rest
}

/// Like [`rest`], without excluding the fields of other variants.
pub(super) fn rest_of_own(node: &JSONSchemaProps, common: &JSONSchemaProps) -> JSONSchemaProps {
    let mut rest = JSONSchemaProps::default();
    added!(rest, node, common: format, pattern, multiple_of, not, all_of, any_of, one_of, enum_);
    for bound in CountBound::ALL {
        let own = count(node, *bound);
        *count_mut(&mut rest, *bound) = own.filter(|_| own != count(common, *bound));
    }
    set_minimum(&mut rest, minimum(node).filter(|_| minimum(node) != minimum(common)));
    set_maximum(&mut rest, maximum(node).filter(|_| maximum(node) != maximum(common)));
    rest.required = node.required.clone().map(|mut names| {
        names.retain(|name| !common.required.iter().flatten().any(|other| other == name));
        names
    });
    rest.required = rest.required.filter(|names| !names.is_empty());
    let is_whole = node.type_.as_deref() == Some("integer");
    if is_whole && common.type_.as_deref() == Some("number") {
        rest.multiple_of = node.multiple_of.or(Some(1.0));
    }
    rest.properties = rest_properties(node, common);
    rest.items = rest_items(node, common);
    // Without a type, number formats and string formats cannot be distinguished.
    formats::normalize(&mut rest);
    rest
}

fn rest_properties(node: &JSONSchemaProps, common: &JSONSchemaProps) -> Option<BTreeMap<String, JSONSchemaProps>> {
    let rests = node.properties.iter().flatten().filter_map(|(name, property)| {
        let common = common.properties.as_ref()?.get(name)?;
        let rest = rest_of_part(property, common);
        // The server forbids `metadata` here.
        let is_kept = name != "metadata" && rest != JSONSchemaProps::default();
        is_kept.then(|| (name.clone(), rest))
    });
    Some(rests.collect::<BTreeMap<_, _>>()).filter(|rests| !rests.is_empty())
}

/// Returns the remaining value validation of a part of the variant, which may be null.
fn rest_of_part(part: &JSONSchemaProps, common: &JSONSchemaProps) -> JSONSchemaProps {
    let mut rest = rest(part, common);
    if part.nullable == Some(true) {
        null::allow_in_enum(&mut rest);
    }
    rest
}

fn rest_items(node: &JSONSchemaProps, common: &JSONSchemaProps) -> Option<JSONSchemaPropsOrArray> {
    use JSONSchemaPropsOrArray::Schema;
    let (Some(Schema(node)), Some(Schema(common))) = (&node.items, &common.items) else {
        return None;
    };
    let rest = rest_of_part(node, common);
    (rest != JSONSchemaProps::default()).then(|| Schema(Box::new(rest)))
}
