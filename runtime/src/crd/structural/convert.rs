//! Conversion of a schema node and everything below it.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use crate::{
    crd::structural::{ADVICE, branches, conjunction, formats, keywords, lists, objects, types},
    error::RenderError,
};

/// The maximum depth of a schema, so that no schema overflows the stack.
const MAX_DEPTH: usize = 64;

/// Converts a node. The schemas in `allOf`, `anyOf` and `oneOf` are merged into it as far as possible.
pub(super) fn convert(schema: Value, depth: usize) -> Result<Box<JSONSchemaProps>, RenderError> {
    match schema {
        _ if depth > MAX_DEPTH => {
            Err(RenderError::new(format!("the schema is nested more than {MAX_DEPTH} levels deep: {ADVICE}")))
        }
        Value::Bool(true) => Ok(Box::default()),
        Value::Bool(false) => Err(unsatisfiable()),
        Value::Object(schema) => convert_object(schema, depth + 1),
        other => Err(RenderError::new(format!("expected a JSON schema, found `{other}`"))),
    }
}

/// Converts several nodes at `segment` of their parent.
pub(super) fn convert_all(
    schemas: Vec<Value>,
    depth: usize,
    segment: &str,
) -> Result<Vec<JSONSchemaProps>, RenderError> {
    let mut nodes = Vec::with_capacity(schemas.len());
    for schema in schemas {
        nodes.push(*convert(schema, depth).map_err(|error| error.below(segment))?);
    }
    Ok(nodes)
}

/// The error for a schema that no value matches.
pub(super) fn unsatisfiable() -> RenderError {
    RenderError::new("no value matches the schema, for example because it is an enum without variants")
}

fn convert_object(mut schema: Map<String, Value>, depth: usize) -> Result<Box<JSONSchemaProps>, RenderError> {
    if let Some(reference) = schema.get("$ref") {
        return Err(RenderError::new(format!(
            "the type contains itself (`$ref` is {reference}) and therefore has no structural schema: {ADVICE}"
        )));
    }
    let mut props = Box::default();
    keywords::read(&mut schema, &mut props)?;
    types::read(&mut schema, &mut props)?;
    objects::read(&mut schema, &mut props, depth)?;
    lists::read(&mut schema, &mut props, depth)?;
    formats::normalize(&mut props);
    conjunction::all_of(&mut props, keywords::list(&mut schema, "allOf")?, depth)?;
    branches::any_of(&mut props, keywords::list(&mut schema, "anyOf")?, depth)?;
    branches::one_of(&mut props, keywords::list(&mut schema, "oneOf")?, depth)?;
    branches::not(&mut props, schema.remove("not"), depth);
    Ok(props)
}
