//! Derived types as schemars sees them.

use schemars::SchemaGenerator;
use serde_json::Value;

use crate::{
    definition::{CustomResource, Definition},
    render::{RenderError, render_closed, render_root},
    schema::{KubeSchema, Schema},
    structural::to_schemars,
};

/// The schema of a derived type.
///
/// # Panics
///
/// If a foreign type in it has no structural schema.
pub fn json_schema<T: KubeSchema>(generator: &mut SchemaGenerator) -> schemars::Schema {
    of_schema(T::PLACE, generator)
}

fn of_schema(schema: &Schema, generator: &mut SchemaGenerator) -> schemars::Schema {
    let rendered = render_closed(schema).map(to_schemars);
    let mut rendered = rendered.unwrap_or_else(|error| invalid(schema.name, &error));
    if crate::mark::is_wanted(generator) {
        crate::mark::put(&mut rendered, schema);
    }
    rendered
}

/// The schema of a derived root.
///
/// # Panics
///
/// As [`json_schema`].
pub fn root_json_schema<K: CustomResource>(_: &mut SchemaGenerator) -> schemars::Schema {
    of_definition(&K::DEFINITION)
}

fn of_definition(definition: &Definition) -> schemars::Schema {
    render_root(definition)
        .map(|props| match props {
            Some(props) => to_schemars(props),
            None => Value::Bool(true).try_into().expect("a boolean is a schema"),
        })
        .unwrap_or_else(|error| invalid(definition.kind, &error))
}

fn invalid(name: &str, error: &RenderError) -> ! {
    panic!("the schema of {name} is invalid: {error}")
}
