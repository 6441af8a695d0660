//! Conversion of schemars schemas to structural schemas, which the API server requires.
//!
//! [`convert`] reads each node, and moves everything except value validation out of `allOf`, `anyOf` and `oneOf`.
//! [`finish`] then adds what the server requires of each node.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::{error::RenderError, resource::version_mark, schema::ForeignSchema};

mod bounds;
mod branches;
mod closed;
mod conditional_rule;
mod conjunction;
mod convert;
mod describe;
mod disjunction;
mod finish;
mod floats;
pub(crate) mod foreign_places;
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

pub(crate) use bounds::{lower_maximum, narrow_count, raise_minimum};
pub use bounds::{maximum, minimum};
pub(crate) use branches::VariantNames;
pub(crate) use closed::{allow_unknown, deny_unknown, exclude, requires, strip_internal_marks};
pub(crate) use conditional_rule::conditional_rule;
pub(crate) use conjunction::restrict;
pub(crate) use describe::{
    describe_all, describe_variants, replace_summary, summary, undescribed, variants, without_variants,
};
pub(crate) use finish::{any, is_any};
pub(crate) use floats::shorten as shorten_floats;
pub(crate) use formats::drop_redundant_bounds;
pub(crate) use lists::tuple;
pub(crate) use lost_keywords::LostKeyword;
pub(crate) use null::drop_from_enum as drop_null_from_enum;
pub(crate) use schemars_form::to_schemars;
pub(crate) use types::kind;

/// Returns the structural schema of a type that only implements [`schemars::JsonSchema`], with internal marks that
/// [`strip_internal_marks`] removes. Parts without a structural schema become any value.
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

/// Returns the parts of a type that become any value, because they have no structural schema.
pub(crate) fn opaque_parts(foreign: &ForeignSchema) -> Vec<RenderError> {
    match schema_of(foreign) {
        Ok(schema) => opaque::with_opaque_parts(schema).1,
        Err(_) => Vec::new(),
    }
}

/// Returns the validation keywords of a type that a definition cannot express.
pub(crate) fn lost_keywords(foreign: &ForeignSchema) -> Vec<LostKeyword> {
    schema_of(foreign).map_or_else(|_| Vec::new(), |schema| lost_keywords::find_all(&schema))
}

/// Returns the structural schema of a root type, which must have one.
pub(crate) fn foreign_root(foreign: &ForeignSchema) -> Result<JSONSchemaProps, RenderError> {
    structural(schema_of(foreign)?)
        .map_err(|error| RenderError { message: format!("in `{}`, {}", (foreign.type_name)(), error.message), ..error })
}

fn schema_of(foreign: &ForeignSchema) -> Result<Value, RenderError> {
    let _entered = recursion::Entered::enter(foreign);
    let mut generator = version_mark::settings().into_generator();
    let mut schema = (foreign.schema)(&mut generator).to_value();
    version_mark::remove_all(&mut schema)?;
    Ok(schema)
}

/// Converts a schema, in any dialect that schemars generates, to a structural schema with internal marks, which
/// [`strip_internal_marks`] removes.
pub(crate) fn structural(schema: Value) -> Result<JSONSchemaProps, RenderError> {
    let mut props = convert::convert(schema, 0)?;
    finish::finish(&mut props);
    Ok(*props)
}

/// Merges several structural schemas into `props`. `exclusive` is whether a value matches at most one of them.
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

/// The advice for a type without a structural schema.
const ADVICE: &str = "annotate the field with `#[crd(preserve_unknown_fields)]`, \
    or give it the schema of another type with `#[schemars(with = \"...\")]`";

#[cfg(test)]
mod tests;
