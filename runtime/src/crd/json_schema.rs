//! The schemars schemas of derived types.

use schemars::SchemaGenerator;
use serde_json::Value;

use crate::{
    crd::{
        render::{render_closed, render_root},
        structural::to_schemars,
    },
    error::RenderError,
    resource::{
        definition::{CustomResource, Definition},
        version_mark,
    },
    schema::{KubeSchema, Schema},
};

/// Returns the schemars schema of a derived type.
///
/// # Panics
///
/// If it cannot be rendered. If crdkit requests the schema, it reports the error at the field instead.
pub fn json_schema<T: KubeSchema>(generator: &mut SchemaGenerator) -> schemars::Schema {
    of_schema(T::SCHEMA_REF, generator)
}

fn of_schema(schema: &Schema, generator: &mut SchemaGenerator) -> schemars::Schema {
    match render_closed(schema).map(to_schemars) {
        Ok(mut rendered) => {
            if version_mark::is_requested(generator) {
                version_mark::add(&mut rendered, schema);
            }
            rendered
        }
        Err(error) if version_mark::is_requested(generator) => version_mark::error_schema(schema, &error),
        Err(error) => invalid(schema.name, &error),
    }
}

/// Returns the schemars schema of a derived root.
///
/// # Panics
///
/// As for [`json_schema`].
pub fn root_json_schema<K: CustomResource>(_: &mut SchemaGenerator) -> schemars::Schema {
    of_definition(&K::DEFINITION)
}

fn of_definition(definition: &Definition) -> schemars::Schema {
    match render_root(definition) {
        Ok(Some(props)) => to_schemars(props),
        Ok(None) => Value::Bool(true).try_into().expect("a boolean is a schema"),
        Err(error) => invalid(definition.kind, &error),
    }
}

fn invalid(name: &str, error: &RenderError) -> ! {
    panic!("the schema of {name} is invalid: {error}")
}
