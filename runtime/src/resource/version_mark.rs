//! The version mark that a derived type adds to its schemars schema if crdkit requests that schema.
//!
//! A type that another version of crdkit derived, or one inside a foreign type, is returned as a schemars schema:
//! without the version mark, its markers for the resource would be lost without an error.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{
    error::RenderError,
    schema::{Schema, walk::parts},
};

/// This path never changes, so that all versions of crdkit are compatible.
const PATH: &str = "/crdkit";
const KEY: &str = "x-crdkit";

/// The settings with which derived types add their version mark.
pub(crate) fn settings() -> SchemaSettings {
    SchemaSettings::openapi3().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.definitions_path = PATH.into();
    })
}

pub(crate) fn is_requested(generator: &SchemaGenerator) -> bool {
    generator.settings().definitions_path == PATH
}

/// Adds the version mark.
pub(crate) fn add(rendered: &mut schemars::Schema, schema: &Schema) {
    let marked = first_marked(schema).map(|(owner, field)| format!("{owner}.{field}"));
    let mark = json!({ "type": schema.name, "version": VERSION, "marked": marked });
    rendered.insert(KEY.to_owned(), mark);
}

/// The replacement for a schema that cannot be rendered.
pub(crate) fn error_schema(schema: &Schema, error: &RenderError) -> schemars::Schema {
    let mark = json!({ "type": schema.name, "version": VERSION, "error": error.to_string() });
    let mut broken = schemars::Schema::default();
    broken.insert(KEY.to_owned(), mark);
    broken
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn first_marked(schema: &Schema) -> Option<(&'static str, &'static str)> {
    parts(schema).find_map(|part| match part.field {
        Some(field) if !field.markers.is_empty() => Some((schema.name, field.name)),
        _ => first_marked(part.schema),
    })
}

/// Removes all version marks from a schema.
///
/// # Errors
///
/// If a version mark records something that would be lost.
pub(crate) fn remove_all(schema: &mut Value) -> Result<(), RenderError> {
    match schema {
        Value::Object(members) => {
            if let Some(mark) = members.remove(KEY) {
                check(&mark)?;
            }
            members.values_mut().try_for_each(remove_all)
        }
        Value::Array(items) => items.iter_mut().try_for_each(remove_all),
        _ => Ok(()),
    }
}

fn check(mark: &Value) -> Result<(), RenderError> {
    let text = |key: &str| mark[key].as_str().unwrap_or_default();
    if text("version") != VERSION {
        return Err(RenderError::new(format!(
            "`{}` was derived by version {} of crdkit, and the resource by version {VERSION}: \
             depend on one version",
            text("type"),
            text("version"),
        )));
    }
    if let Some(error) = mark["error"].as_str() {
        return Err(RenderError::new(format!("in `{}`, {error}", text("type"))));
    }
    match mark["marked"].as_str() {
        None => Ok(()),
        Some(marked) => Err(RenderError::new(format!(
            "`{marked}` is marked for its resource, which cannot see it inside of a type that \
             only has a schema of schemars: derive `KubeSchema` for that type, or name the place \
             on the resource",
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_named() {
        let mut schema = json!({
            "properties": { "a": { "x-crdkit": { "type": "A", "version": "0.0.1" } } }
        });
        let error = remove_all(&mut schema).unwrap_err();
        assert!(error.message.contains("version 0.0.1"), "{error}");
        assert!(error.message.contains(VERSION), "{error}");
    }

    #[test]
    fn what_cannot_be_rendered_is_reported() {
        let error = RenderError::new("a tuple with different types").below(".pair");
        let schema = error_schema(&Schema::string().named("Part"), &error);
        let mut around = json!({ "properties": { "part": schema.to_value() } });
        let error = remove_all(&mut around).unwrap_err();
        assert_eq!(error.message, "in `Part`, .pair: a tuple with different types");
    }

    #[test]
    fn marks_of_this_version_vanish() {
        let mut schema = json!({ "items": [{ "x-crdkit": { "version": VERSION, "marked": null } }] });
        remove_all(&mut schema).unwrap();
        assert_eq!(schema, json!({ "items": [{}] }));
    }
}
