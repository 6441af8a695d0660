//! `selectableFields`.

use alloc::{format, vec::Vec};

use crate::{
    definition::{Definition, Version},
    literal::field_path::{self, FieldPathError},
    rules::{
        Report, SharedParts, report_at_path,
        schema_path::{PathTarget, field, field_noun, meant},
    },
    schema::{Kind, SchemaProps},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    F1 Error [Derive, Validate] "A selectable field has a path.";
    F2 Error [Derive, Validate] "The path of a selectable field consists of names, each after a dot.";
    F3 Error [Const, Validate] "The path of a selectable field resolves to a field of the schema.";
    F4 Error [Derive, Validate] "No field of `metadata` is declared as selectable.";
    F5 Error [Const, Validate] "A selectable field is a string, a boolean or an integer.";
    F6 Error [Derive, Validate] "No selectable field is repeated.";
    F7 Error [Derive, Const, Validate] "A version has at most 8 selectable fields.";
    F8 Error [Validate] "A version with selectable fields has a schema.";
    F9 Error [Validate] "All versions have the same selectable fields if, and only if, they have the same schema.";
}

const NO_FIELD: &str = "is an invalid path: does not refer to a valid field";

/// The maximum number of selectable fields of a version: `MaxSelectableFields` of the API server.
pub const MAX: usize = 8;

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: SharedParts, report: &mut Report<'_>) {
    for (at, version) in definition.versions.iter().enumerate() {
        let Some(place) = hoisted.selectable_fields(at) else {
            continue;
        };
        if version.selectable_fields.is_empty() {
            continue;
        }
        let path = format!("{}.selectableFields", version.name);
        match &version.schema {
            None => report_at_path(&path, &place, Err(missing_schema(hoisted.selectable_fields)), report),
            Some(_) if hoisted.schema != hoisted.selectable_fields => {
                report_at_path(&path, &place, Err(fields_contradict_schemas(hoisted.selectable_fields)), report);
            }
            Some(schema) => fields(version, schema, &path, &place, report),
        }
    }
}

fn fields(version: &Version<'_>, schema: &SchemaProps<'_>, path: &str, place: &str, report: &mut Report<'_>) {
    let mut seen: Vec<Vec<_>> = Vec::new();
    for (at, json_path) in version.selectable_fields.iter().enumerate() {
        let (path, place) = (format!("{path}[{at}].jsonPath"), format!("{place}[{at}].jsonPath"));
        let mut check = |result: Result<(), Violation<'_>>| {
            let is_ok = result.is_ok();
            report_at_path(&path, &place, result, report);
            is_ok
        };
        if !check(path_is_given(json_path)) {
            continue;
        }
        let Ok(steps) = field_path::steps(json_path, false) else {
            // The server resolves a path while it parses it.
            let found = path_has_names_after_dots(json_path).map_err(|violation| {
                if is_unresolvable(schema, json_path) {
                    violation.with_server_error(invalid(json_path, NO_FIELD))
                } else {
                    violation
                }
            });
            check(found);
            continue;
        };
        let target = field(schema, steps.iter().map(AsRef::as_ref));
        let (is_missing, name) = match target {
            PathTarget::Missing(name) => (true, name),
            _ => (false, None),
        };
        if steps.first().is_some_and(|step| step == "metadata") {
            check(Err(path_in_metadata(json_path, is_missing)));
        } else if is_missing {
            check(Err(unresolved_path(json_path, name)));
        } else {
            check(field_has_selectable_type(json_path, target.kind()));
        }
        if is_missing {
            continue;
        }
        if seen.contains(&steps) {
            check(Err(repeated_path(json_path)));
        } else {
            seen.push(steps);
        }
    }
    report_at_path(path, place, fields_are_within_limit(seen.len()), report);
}

/// Whether the part of a path that can be parsed does not resolve to a field.
fn is_unresolvable(schema: &SchemaProps<'_>, path: &str) -> bool {
    let ends = path.char_indices().map(|(at, _)| at).rev();
    let mut read = ends.filter_map(|end| field_path::steps(&path[..end], false).ok());
    let steps = read.next().unwrap_or_default();
    let target = field(schema, steps.iter().map(AsRef::as_ref));
    matches!(target, PathTarget::Missing(_))
}

/// [`F1`].
pub const fn path_is_given(path: &str) -> Result<(), Violation<'_>> {
    if !path.is_empty() {
        return Ok(());
    }
    let message = Text::literal("the path of the selectable field is empty: write one such as `.spec.name`");
    Err(Violation::new(&F1, message).with_server_error(ServerError::new(ErrorType::Required, "", "")))
}

/// [`F2`].
pub fn path_has_names_after_dots(path: &str) -> Result<(), Violation<'_>> {
    let Err(error) = field_path::steps(path, false) else {
        return Ok(());
    };
    let (message, detail) = match error {
        FieldPathError::Bracket => (
            Text::new(
                "`{}` has an index or a key: the path of a selectable field consists of field names only",
                &[Arg::Text(path)],
            ),
            Text::literal("is an invalid path: array notation is not allowed"),
        ),
        FieldPathError::NoDot(token) => (
            Text::new(
                "the path `{}` has no dot before `{}`: write one such as `.spec.name`",
                &[Arg::Text(path), Arg::Text(token)],
            ),
            Text::new("is an invalid path: expected [ or . but got: {}", &[Arg::Text(token)]),
        ),
        _ => (
            Text::new("the path `{}` ends with a dot", &[Arg::Text(path)]),
            Text::literal("is an invalid path: unexpected end of JSON path"),
        ),
    };
    let server_error = invalid(path, "");
    Err(Violation::new(&F2, message).with_server_error(ServerError { detail, ..server_error }))
}

/// [`F3`].
pub const fn unresolved_path<'a>(path: &'a str, name: Option<&'a str>) -> Violation<'a> {
    let message = if has_backslash(path) {
        Text::literal(
            "the server does not find a field if its name, or that of a parent, has a dot or \
                               another special character",
        )
    } else {
        let [open, name, close] = meant(name);
        Text::new("there is no field `{}`{}{}{}", &[Arg::Text(path), open, name, close])
    };
    Violation::new(&F3, message).with_server_error(invalid(path, NO_FIELD))
}

const fn has_backslash(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            return true;
        }
        at += 1;
    }
    false
}

/// [`F4`]. Usually the schema does not have the field.
pub const fn path_in_metadata(path: &str, is_missing: bool) -> Violation<'_> {
    let message = Text::literal("fields of `metadata` cannot be declared selectable: name and namespace always are");
    let detail = if is_missing { NO_FIELD } else { "must not point to fields in metadata" };
    Violation::new(&F4, message).with_server_error(invalid(path, detail))
}

/// [`F5`]. `path` is empty for an annotated field.
pub const fn field_has_selectable_type(path: &str, kind: Kind) -> Result<(), Violation<'_>> {
    let verb = match kind {
        Kind::String | Kind::Boolean | Kind::Integer => return Ok(()),
        Kind::Opaque => "can be",
        _ => "is",
    };
    let [open, field, close] = field_noun(path);
    let message = Text::new(
        "the server selects by strings, booleans and integers only, but {}{}{} {} {}",
        &[open, field, close, Arg::Text(verb), Arg::Text(kind.noun())],
    );
    let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are \
                  allowed.";
    Err(Violation::new(&F5, message).with_server_error(invalid(path, detail)))
}

/// [`F6`].
pub const fn repeated_path(path: &str) -> Violation<'_> {
    let message = Text::new("the path `{}` is given twice", &[Arg::Text(path)]);
    let server_error = ServerError::new(ErrorType::Duplicate, "", "").with_value(Arg::Quoted(path));
    Violation::new(&F6, message).with_server_error(server_error)
}

/// [`F7`].
#[allow(clippy::cast_possible_wrap)] // a number of fields
pub const fn fields_are_within_limit<'a>(fields: usize) -> Result<(), Violation<'a>> {
    if fields <= MAX {
        return Ok(());
    }
    let fields = Arg::Integer(fields as i64);
    let message = Text::new("a version has at most 8 selectable fields, not {}", &[fields]);
    let server_error = ServerError::new(ErrorType::TooMany, "", "must have at most 8 items").with_value(fields);
    Err(Violation::new(&F7, message).with_server_error(server_error))
}

const fn missing_schema<'a>(is_of_all: bool) -> Violation<'a> {
    let message = Text::literal("a version with selectable fields needs a schema");
    Violation::new(&F8, message).with_server_error(without_schema(is_of_all))
}

const fn fields_contradict_schemas<'a>(is_of_all: bool) -> Violation<'a> {
    let message = if is_of_all {
        Text::literal(
            "all versions have the same selectable fields but different schemas, which the server rejects: give one \
             version another list",
        )
    } else {
        Text::literal(
            "all versions have the same schema, so the server requires the same selectable fields in all of them",
        )
    };
    Violation::new(&F9, message).with_server_error(without_schema(is_of_all))
}

const fn without_schema<'a>(is_of_all: bool) -> ServerError<'a> {
    let detail = if is_of_all {
        "may only be set when validations.schema is included"
    } else {
        "may only be set when `version.schema.openAPIV3Schema` is not included"
    };
    invalid("", detail)
}

const fn invalid<'a>(value: &'a str, detail: &'a str) -> ServerError<'a> {
    ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(value))
}
