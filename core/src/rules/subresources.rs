//! `subresources`, and their requirements on the root of the schema.

use alloc::format;

use crate::{
    definition::{Definition, Scale},
    rules::{Report, SharedParts, report_at_path},
    schema::{SchemaProps, Type},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    R1 Error [Derive, Validate] "`specReplicasPath` is a path below `.spec`.";
    R2 Error [Derive, Validate] "`statusReplicasPath` is a path below `.status`.";
    R3 Error [Derive, Validate] "`labelSelectorPath` is a path below `.spec` or `.status`.";
    R4 Error [Validate] "With the status subresource, the root of the schema has only supported keywords.";
    R5 Error [Validate] "With the status subresource, the root of the schema is an object.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: SharedParts, report: &mut Report<'_>) {
    let versions = &definition.versions;
    let any_status = versions.iter().any(|version| version.status);
    for (at, version) in versions.iter().enumerate() {
        if let (Some(field), Some(scale)) = (hoisted.subresources(at), &version.scale) {
            let path = format!("{}.subresources.scale", version.name);
            self::scale(scale, &path, &format!("{field}.scale"), report);
        }
        let Some((field, schema)) = hoisted.schema(at).zip(version.schema.as_ref()) else {
            continue;
        };
        // A schema that all versions share is checked for each version.
        let has_status = if hoisted.schema { any_status } else { version.status };
        if has_status {
            root(schema, &version.name, &field, report);
        }
    }
}

fn scale(scale: &Scale<'_>, path: &str, field: &str, report: &mut Report<'_>) {
    let selector = scale.label_selector_path.as_deref().unwrap_or_default();
    let results = [
        ("specReplicasPath", spec_replicas_path_is_in_spec(&scale.spec_replicas_path)),
        ("statusReplicasPath", status_replicas_path_is_in_status(&scale.status_replicas_path)),
        ("labelSelectorPath", selector_path_is_in_spec_or_status(selector)),
    ];
    for (name, result) in results {
        report_at_path(&format!("{path}.{name}"), &format!("{field}.{name}"), result, report);
    }
}

fn root(schema: &SchemaProps<'_>, path: &str, field: &str, report: &mut Report<'_>) {
    let mut check = |result| report_at_path(path, field, result, report);
    for keyword in unsupported_root_keywords(schema) {
        check(Err(unsupported_root_keyword(keyword)));
    }
    check(root_is_object(Type::from_name(schema.type_.as_deref()), schema.type_.as_deref().unwrap_or_default()));
}

/// The keywords that the server supports at the root with the status subresource.
const ROOT_KEYWORDS: &[&str] = &[
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Returns the unsupported keywords at the root, including those with an empty list.
fn unsupported_root_keywords(schema: &SchemaProps<'_>) -> impl Iterator<Item = &'static str> {
    let unsupported = schema.unsupported.iter().map(|it| it.keyword());
    let empty = schema.empty.0.iter().copied();
    let all = schema.keywords().chain(unsupported).chain(empty);
    all.filter(|keyword| !ROOT_KEYWORDS.contains(keyword))
}

/// [`R1`].
pub const fn spec_replicas_path_is_in_spec(path: &str) -> Result<(), Violation<'_>> {
    match place(path) {
        Place::Spec => Ok(()),
        Place::Empty => Err(Violation::new(&R1, NO_PATH).with_server_error(REQUIRED)),
        place => {
            let message =
                Text::new("`{}` is not a path below `.spec`: write one such as `.spec.replicas`", &[Arg::Text(path)]);
            let server_error = place.server_error("should be a json path under .spec", path);
            Err(Violation::new(&R1, message).with_server_error(server_error))
        }
    }
}

/// [`R2`].
pub const fn status_replicas_path_is_in_status(path: &str) -> Result<(), Violation<'_>> {
    match place(path) {
        Place::Status => Ok(()),
        Place::Empty => Err(Violation::new(&R2, NO_PATH).with_server_error(REQUIRED)),
        place => {
            let message = Text::new(
                "`{}` is not a path below `.status`: write one such as `.status.replicas`",
                &[Arg::Text(path)],
            );
            let server_error = place.server_error("should be a json path under .status", path);
            Err(Violation::new(&R2, message).with_server_error(server_error))
        }
    }
}

/// [`R3`], or empty.
pub const fn selector_path_is_in_spec_or_status(path: &str) -> Result<(), Violation<'_>> {
    match place(path) {
        Place::Spec | Place::Status | Place::Empty => Ok(()),
        place => {
            let message = Text::new(
                "`{}` is not a path below `.spec` or `.status`: write one such as `.status.selector`",
                &[Arg::Text(path)],
            );
            let server_error = place.server_error("should be a json path under either .spec or .status", path);
            let server_error = match place {
                Place::NoDot => server_error,
                _ => server_error.with_value(Arg::Json(path)),
            };
            Err(Violation::new(&R3, message).with_server_error(server_error))
        }
    }
}

const NO_PATH: Text<'_> = Text::literal("the path is empty");
const REQUIRED: ServerError<'_> = ServerError::new(ErrorType::Required, "", "");

/// The form of a path.
#[derive(Clone, Copy)]
enum Place {
    Empty,
    NoDot,
    Spec,
    Status,
    Elsewhere,
}

const fn place(path: &str) -> Place {
    match path.as_bytes() {
        [] => Place::Empty,
        [b'.', b's', b'p', b'e', b'c', b'.', ..] => Place::Spec,
        [b'.', b's', b't', b'a', b't', b'u', b's', b'.', ..] => Place::Status,
        [b'.', ..] => Place::Elsewhere,
        _ => Place::NoDot,
    }
}

impl Place {
    const fn server_error<'a>(self, elsewhere: &'static str, path: &'a str) -> ServerError<'a> {
        let detail = match self {
            Self::NoDot => "must be a simple json path starting with .",
            _ => elsewhere,
        };
        ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(path))
    }
}

const fn unsupported_root_keyword(keyword: &str) -> Violation<'_> {
    let message = Text::new(
        "with the status subresource, the root of the schema cannot have `{}`: move it to `spec`, or write a rule",
        &[Arg::Text(keyword)],
    );
    let detail = "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength \
                  Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
                  XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource \
                  is enabled";
    Violation::new(&R4, message).with_server_error(ServerError::new(ErrorType::Invalid, "", detail))
}

/// [`R5`].
pub const fn root_is_object(type_: Type, name: &str) -> Result<(), Violation<'_>> {
    if matches!(type_, Type::Object | Type::Missing | Type::Unknown) {
        return Ok(());
    }
    let message = Text::new(
        "with the status subresource, the root of the schema must be an object, not `{}`",
        &[Arg::Text(name)],
    );
    let detail =
        "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
    let server_error = ServerError::new(ErrorType::Invalid, ".type", detail).with_value(Arg::Quoted(name));
    Err(Violation::new(&R5, message).with_server_error(server_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert!(
            spec_replicas_path_is_in_spec(".spec.a").is_ok() && status_replicas_path_is_in_status(".status.a").is_ok()
        );
        assert!(
            selector_path_is_in_spec_or_status("").is_ok()
                && selector_path_is_in_spec_or_status(".spec.a").is_ok()
                && selector_path_is_in_spec_or_status(".status.a").is_ok()
        );
        for bad in ["", ".", ".spec", ".specs.a", "spec.a", ".status.a", ".metadata.a"] {
            assert!(spec_replicas_path_is_in_spec(bad).is_err(), "{bad}");
        }
        for bad in ["", ".spec.a", ".status", "status.a"] {
            assert!(status_replicas_path_is_in_status(bad).is_err(), "{bad}");
        }
        assert!(
            selector_path_is_in_spec_or_status(".metadata.a").is_err()
                && selector_path_is_in_spec_or_status("a").is_err()
        );
    }

    #[test]
    fn roots() {
        let root = SchemaProps {
            type_: Some("string".into()),
            min_properties: Some(1),
            description: Some("allowed".into()),
            ..SchemaProps::default()
        };
        let mut found = alloc::vec::Vec::new();
        super::root(&root, "v1", "", &mut |_, violation| found.push(violation.rule.id));
        assert_eq!(found, ["R4", "R5"]);
    }
}
