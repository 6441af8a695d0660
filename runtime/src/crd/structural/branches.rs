//! `anyOf`, `oneOf` and `not`. Everything except value validation is moved from their schemas to the node.

use crdkit_core::{
    literal::cel::is_unescaped,
    schema::Kind,
    shared_schema::variants::{Discriminator, SharedValue, message},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::{
    crd::{
        crd_accessors::{ValueSet, with_plain_numbers},
        structural::{
            ADVICE,
            closed::{deny_unknown, have_one_field_each, is_closed},
            conjunction::{inherit, restrict},
            convert::{convert, convert_all, unsatisfiable},
            disjunction::{Conflict, join, rest, rest_of_own},
            int_or_string,
            schemars_form::to_schemars,
            types, variants,
        },
    },
    error::RenderError,
};

/// Adds the schemas of `anyOf` to a node.
pub(super) fn any_of(node: &mut JSONSchemaProps, schemas: Vec<Value>, depth: usize) -> Result<(), RenderError> {
    hoist(node, schemas, depth, false)
}

/// Adds the schemas of `oneOf` to a node.
pub(super) fn one_of(node: &mut JSONSchemaProps, schemas: Vec<Value>, depth: usize) -> Result<(), RenderError> {
    hoist(node, schemas, depth, true)
}

fn hoist(node: &mut JSONSchemaProps, mut schemas: Vec<Value>, depth: usize, one: bool) -> Result<(), RenderError> {
    if schemas.is_empty() {
        return Ok(());
    }
    schemas.retain(|schema| *schema != Value::Bool(false));
    let all = schemas.len();
    schemas.retain(|schema| !types::is_null(schema));
    if schemas.len() < all {
        node.nullable = Some(true);
    }
    match &mut schemas[..] {
        [] if all == 0 => return Err(unsatisfiable()),
        [] => return Err(types::always_null()),
        [only] => inherit(node, only),
        _ => {}
    }
    let branches = convert_all(schemas, depth, "")?;
    match <[_; 1]>::try_from(branches) {
        Ok([only]) => restrict(node, only),
        Err(branches) => unite(node, branches, VariantNames::UNKNOWN, one),
    }
}

/// The names of variants in errors.
#[derive(Clone, Copy)]
pub(crate) struct VariantNames<'a> {
    /// The names; empty if they are unknown.
    pub(crate) all: &'a [&'a str],
    pub(crate) discriminator: Discriminator<'a>,
}

impl VariantNames<'_> {
    const UNKNOWN: Self = Self { all: &[], discriminator: Discriminator::None };
}

/// Merges branches into a node that matches any of them, or exactly one if `one` is set.
pub(super) fn unite(
    node: &mut JSONSchemaProps,
    mut branches: Vec<JSONSchemaProps>,
    names: VariantNames<'_>,
    one: bool,
) -> Result<(), RenderError> {
    for branch in &mut branches {
        if types::kind(branch) == Kind::Opaque {
            branch.type_.clone_from(&node.type_);
            branch.x_kubernetes_int_or_string = node.x_kubernetes_int_or_string;
        }
    }
    share_properties(node, &mut branches);
    variants::describe(node, &mut branches, one);
    if let Some(mixed) = int_or_string::mixed(&branches, names)? {
        return restrict(node, mixed);
    }
    let common = common(&branches, names)?;
    let exclusive = one && variants::are_exclusive(node, &branches);
    let rest = if exclusive && have_one_field_each(&branches) { rest_of_own } else { rest };
    let rests = branches.iter().map(|branch| rest(branch, &common)).collect();
    let tag = variants::tag(node, &branches);
    let some_are_closed = !is_closed(&common);
    let closed = branches.iter().map(|it| some_are_closed && is_closed(it));
    let branching = branching(rests, closed, exclusive, tag.as_deref());
    restrict(node, common)?;
    restrict(node, branching)?;
    if excludes_all_branches(node) { Err(unsatisfiable()) } else { Ok(()) }
}

/// Whether the values of a node's enum are in none of its branches, each of which has an enum.
fn excludes_all_branches(node: &JSONSchemaProps) -> bool {
    let branches = node.any_of.as_ref().or(node.one_of.as_ref());
    let (Some(values), Some(branches)) = (&node.enum_, branches) else {
        return false;
    };
    let values = ValueSet::of(values);
    let is_excluded = |branch: &JSONSchemaProps| {
        branch.enum_.as_ref().is_some_and(|of_branch| !of_branch.iter().any(|value| values.contains(value)))
    };
    !branches.is_empty() && branches.iter().all(is_excluded)
}

/// Copies properties of the node to the branches if any branch also declares them.
fn share_properties(node: &JSONSchemaProps, branches: &mut [JSONSchemaProps]) {
    for (name, property) in node.properties.iter().flatten() {
        let is_mentioned = |branch: &JSONSchemaProps| {
            let properties = branch.properties.as_ref();
            properties.is_some_and(|properties| properties.contains_key(name))
        };
        if !branches.iter().any(is_mentioned) {
            continue;
        }
        for branch in branches.iter_mut() {
            let properties = branch.properties.get_or_insert_default();
            let mut shared = properties.remove(name).unwrap_or_default();
            // Contradictions are reported when both are merged.
            let _ = restrict(&mut shared, property.clone());
            properties.insert(name.clone(), shared);
        }
    }
}

fn common(branches: &[JSONSchemaProps], names: VariantNames<'_>) -> Result<JSONSchemaProps, RenderError> {
    let mut common = branches.first().cloned().unwrap_or_default();
    for branch in branches.iter().skip(1) {
        common = join(&common, branch).map_err(|it| named(branches, names, &it))?;
    }
    Ok(common)
}

/// The error for two variants that differ, with their names.
fn named(branches: &[JSONSchemaProps], names: VariantNames<'_>, conflict: &Conflict<'_>) -> RenderError {
    let pairs = (1..branches.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
    let mut conflicts = pairs.filter_map(|pair| {
        let conflict = join(&branches[pair[0]], &branches[pair[1]]).err()?;
        Some((conflict, pair))
    });
    let of_pair = conflicts.next();
    let (conflict, pair) = match &of_pair {
        Some((conflict, pair)) => (&**conflict, *pair),
        None => (conflict, [0, 1]),
    };
    let tag = variants::tag(&JSONSchemaProps::default(), branches);
    let names_of_pair = pair.map(|at| match names.all.get(at) {
        Some(name) => (*name).to_owned(),
        None => variants::name(branches, at, tag.as_deref()),
    });
    let shared = SharedValue {
        subject: "the value",
        path: conflict.path.trim_start_matches('.'),
        variants: names_of_pair.each_ref().map(|name| &**name),
        discriminator: match (names.discriminator, tag.as_deref()) {
            (Discriminator::None, Some(tag)) if is_unescaped(tag) => Discriminator::Tag { tag, content: "" },
            (known, _) => known,
        },
        advice: names.all.is_empty().then_some(ADVICE),
    };
    let message = message(&shared, &conflict.difference);
    RenderError::new(message.as_str()).below(&conflict.path)
}

/// Returns the remaining value validation of the variants. `closed` is whether each of them still has to deny unknown
/// fields.
fn branching(
    mut rests: Vec<JSONSchemaProps>,
    closed: impl Iterator<Item = bool>,
    exclusive: bool,
    tag: Option<&str>,
) -> JSONSchemaProps {
    let mut node = JSONSchemaProps::default();
    // The value of an enum identifies the variant.
    if rests.iter().all(|rest| is_only_discriminator(rest, tag)) {
        return node;
    }
    if !exclusive && rests.contains(&JSONSchemaProps::default()) {
        return node;
    }
    let marked = rests.iter_mut().zip(closed).filter(|(_, closed)| *closed);
    marked.for_each(|(rest, _)| deny_unknown(rest));
    if exclusive {
        node.one_of = Some(rests);
    } else {
        rests.dedup();
        node.any_of = Some(rests);
    }
    node
}

fn is_only_discriminator(rest: &JSONSchemaProps, tag: Option<&str>) -> bool {
    let mut rest = rest.clone();
    rest.enum_ = None;
    if let (Some(tag), Some(properties)) = (tag, &mut rest.properties)
        && properties.get(tag).is_some_and(|tag| is_only_discriminator(tag, None))
    {
        properties.remove(tag);
    }
    rest.properties = rest.properties.filter(|properties| !properties.is_empty());
    rest == JSONSchemaProps::default()
}

/// Adds the schema of `not` to a node if it only contains value validation; a wider schema would reject too much.
pub(super) fn not(node: &mut JSONSchemaProps, schema: Option<Value>, depth: usize) {
    let Some(mut schema) = schema else { return };
    if let Some(object) = schema.as_object_mut()
        && !object.contains_key("enum")
        && let Some(value) = object.remove("const")
    {
        object.insert("enum".to_owned(), Value::Array(vec![value]));
    }
    let Ok(mut not) = convert(schema.clone(), depth) else {
        return;
    };
    if with_plain_numbers(to_schemars((*not).clone()).to_value()) != with_plain_numbers(schema) {
        return;
    }
    if not.type_ == node.type_ {
        not.type_ = None;
    }
    let values = rest(&not, &JSONSchemaProps::default());
    if values == *not && *not != JSONSchemaProps::default() {
        node.not = Some(not);
    }
}
