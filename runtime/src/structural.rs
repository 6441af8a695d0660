//! Structural schemas: what the API server accepts, made of what schemars makes.
//!
//! A schema goes through three stages. [`convert`] reads each node, moves what variants have in common out of `allOf`,
//! `anyOf` and `oneOf`, and leaves there what a structural schema may have there: value validation. [`finish`] then
//! gives each node what the server asks of it.

use crdkit_core::join::Difference;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::error::RenderError;
use crate::schema::ForeignSchema;
use crate::stamp;

mod bounds;
mod branches;
mod closed;
mod conditional_rule;
mod conjunction;
mod convert;
mod describe;
mod disjunction;
mod finish;
mod formats;
mod int_or_string;
mod keywords;
mod lists;
mod lost_keywords;
mod null;
mod objects;
mod opaque;
mod recursion;
mod schemars_form;
mod types;
mod variants;
mod walk;

pub(crate) use bounds::{lower_maximum, maximum, minimum, narrow_count, raise_minimum};
pub(crate) use branches::VariantNames;
pub(crate) use closed::{allow_unknown, deny_unknown, exclude, remove_exclusion, requires, strip_internal_marks};
pub(crate) use conditional_rule::conditional_rule;
pub(crate) use conjunction::restrict;
pub(crate) use describe::{
    describe_all, describe_variants, replace_summary, summary, undescribed, variants, without_variants,
};
pub(crate) use finish::{any, is_any};
pub(crate) use formats::drop_redundant_bounds;
pub(crate) use lists::tuple;
pub(crate) use lost_keywords::LostKeyword;
pub(crate) use null::drop_from_enum as drop_null_from_enum;
pub(crate) use schemars_form::to_schemars;
pub(crate) use types::kind;

/// The structural schema of a type that only implements [`schemars::JsonSchema`]; [`strip_internal_marks`] makes it what the server takes.
/// Parts that have none are any value.
pub(crate) fn foreign(foreign: &ForeignSchema) -> Result<JSONSchemaProps, RenderError> {
    if let Some(reference) = recursion::reference(foreign) {
        return Ok(reference);
    }
    let mut props = match structural(schema_of(foreign)?) {
        Ok(props) => props,
        Err(_) => opaque::with_opaque_parts(schema_of(foreign)?).0,
    };
    null::allow_in_int_or_string(&mut props);
    Ok(props)
}

/// The parts of such a type that are any value, since they have no structural schema.
pub(crate) fn opaque_parts(foreign: &ForeignSchema) -> Vec<RenderError> {
    match schema_of(foreign) {
        Ok(schema) => opaque::with_opaque_parts(schema).1,
        Err(_) => Vec::new(),
    }
}

/// What narrows the values of such a type, and is lost.
pub(crate) fn lost_keywords(foreign: &ForeignSchema) -> Vec<LostKeyword> {
    schema_of(foreign).map_or_else(|_| Vec::new(), |schema| lost_keywords::find_all(&schema))
}

/// The structural schema of such a type that is a root, and has one.
pub(crate) fn foreign_root(foreign: &ForeignSchema) -> Result<JSONSchemaProps, RenderError> {
    structural(schema_of(foreign)?)
        .map_err(|error| RenderError { message: format!("in `{}`, {}", (foreign.type_name)(), error.message), ..error })
}

fn schema_of(foreign: &ForeignSchema) -> Result<Value, RenderError> {
    let _entered = recursion::Entered::enter(foreign);
    let mut generator = stamp::settings().into_generator();
    let mut schema = (foreign.schema)(&mut generator).to_value();
    stamp::remove_all(&mut schema)?;
    Ok(schema)
}

/// The structural schema that means the same as `schema`, of any dialect that schemars writes; [`strip_internal_marks`] makes it what the
/// server takes.
pub(crate) fn structural(schema: Value) -> Result<JSONSchemaProps, RenderError> {
    let mut props = convert::convert(schema, 0)?;
    finish::finish(&mut props);
    Ok(*props)
}

/// Makes `props` one of several structural schemas. `exclusive` says that no value is two of them.
pub(crate) fn unite(
    props: &mut JSONSchemaProps,
    branches: Vec<JSONSchemaProps>,
    names: VariantNames<'_>,
    exclusive: bool,
) -> Result<(), RenderError> {
    branches::unite(props, branches, names, exclusive)?;
    finish::finish(props);
    Ok(())
}

/// What differs in two schemas, and where.
pub(crate) fn difference([a, b]: [&JSONSchemaProps; 2]) -> (String, Difference<'_>) {
    match disjunction::join(a, b) {
        Ok(_) => (String::new(), Difference::Other),
        Err(conflict) => (conflict.path, conflict.difference),
    }
}

/// What to do about a type that has no structural schema.
const ADVICE: &str = "annotate the field with `#[crd(preserve_unknown_fields)]`, \
    or give it the schema of another type with `#[schemars(with = \"...\")]`";

#[cfg(test)]
mod tests;
