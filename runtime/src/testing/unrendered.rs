//! All parts of a definition that cannot be rendered.

use std::slice;

use super::foreign::contents;
use crate::{
    definition::{Definition, RootSchema},
    render::{RenderError, render_schema},
    schema::{Field, Schema, Shape},
    validate::Violation,
};

/// Every error of a definition; `first`, that of the whole, where no part has one of its own.
pub(super) fn all(definition: &Definition, first: RenderError) -> Vec<Violation> {
    let mut errors = parts(definition);
    if errors.is_empty() {
        errors.push(first);
    }
    let violation = |error: RenderError| {
        Violation::of_ours(
            format!("{}{}", definition.version, error.path),
            error.message,
        )
    };
    errors.into_iter().map(violation).collect()
}

fn parts(definition: &Definition) -> Vec<RenderError> {
    let RootSchema::Derived(root) = &definition.schema else {
        return Vec::new();
    };
    let spec = if root.flatten_spec { "" } else { ".spec" };
    let status = root.status.map(|status| of_schema(status, ".status"));
    let mut errors = of_schema(root.spec, spec);
    errors.extend(status.unwrap_or_default());
    errors
}

/// The errors of what is in a schema, or else its own.
fn of_schema(schema: &Schema, path: &str) -> Vec<RenderError> {
    let Err(error) = render_schema(schema) else {
        return Vec::new();
    };
    let inside = match schema.shape {
        Shape::Newtype(inner) => of_schema(inner, path),
        Shape::List(items) => of_schema(items, &format!("{path}[]")),
        Shape::Map(values) => of_schema(values, &format!("{path}[*]")),
        Shape::Object(fields) => fields
            .iter()
            .flat_map(|field| of_field(field, path))
            .collect(),
        Shape::OneOf(tagging, alternatives) => contents(tagging, alternatives, path)
            .flat_map(|(content, place)| of_schema(content, &place))
            .collect(),
        Shape::Tuple(items) => (0..)
            .zip(items)
            .flat_map(|(at, item): (usize, _)| of_schema(item, &format!("{path}[{at}]")))
            .collect(),
        _ => Vec::new(),
    };
    match inside.is_empty() {
        true => vec![error.below(path)],
        false => inside,
    }
}

fn of_field(field: &'static Field, path: &str) -> Vec<RenderError> {
    let place = match field.flatten {
        true => path.to_owned(),
        false => format!("{path}.{}", field.name),
    };
    let inside = of_schema(field.schema, &place);
    match render_schema(&Schema::object(slice::from_ref(field))) {
        Err(error) if inside.is_empty() => vec![error.below(path)],
        _ => inside,
    }
}
