//! Errors of all parts of a definition that cannot be rendered.

use std::slice;

use crate::{
    crd::{
        render::{RenderError, render_schema},
        validate::Violation,
    },
    resource::definition::{Definition, RootSchema},
    schema::{
        Schema,
        walk::{Part, parts},
    },
};

/// Returns every error of a definition; `first`, the error of the whole definition, if no part has an error of its own.
pub(super) fn all(definition: &Definition, first: RenderError) -> Vec<Violation> {
    let mut errors = of_definition(definition);
    if errors.is_empty() {
        errors.push(first);
    }
    let violation =
        |error: RenderError| Violation::without_rule(format!("{}{}", definition.version, error.path), error.message);
    errors.into_iter().map(violation).collect()
}

fn of_definition(definition: &Definition) -> Vec<RenderError> {
    let RootSchema::Derived(root) = &definition.schema else {
        return Vec::new();
    };
    let spec = if root.flatten_spec { "" } else { ".spec" };
    let status = root.status.map(|status| of_schema(status, ".status"));
    let mut errors = of_schema(root.spec, spec);
    errors.extend(status.unwrap_or_default());
    errors
}

/// Returns the errors of the parts of a schema, or its own error if there are none.
fn of_schema(schema: &Schema, path: &str) -> Vec<RenderError> {
    let Err(error) = render_schema(schema) else {
        return Vec::new();
    };
    let inside: Vec<_> = parts(schema).flat_map(|part| of_part(&part, path)).collect();
    if inside.is_empty() { vec![error.below(path)] } else { inside }
}

fn of_part(part: &Part, path: &str) -> Vec<RenderError> {
    let inside = of_schema(part.schema, &part.segment.below(path));
    let alone = part.field.map(slice::from_ref).map(Schema::object);
    match alone.map(|object| render_schema(&object)) {
        Some(Err(error)) if inside.is_empty() => vec![error.below(path)],
        _ => inside,
    }
}
