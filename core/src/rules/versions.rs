//! `spec.versions`, except schemas, columns and subresources.

use alloc::format;

use crate::{
    definition::Definition,
    go::printable::first_unprintable,
    rules::{Report, names::label, report_at_field, report_at_path},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    V1 Error [Derive, Validate] "The name of a version is a DNS label.";
    V2 Error [Validate] "Version names are unique.";
    V3 Error [Validate] "Exactly one version is the storage version.";
    V4 Error [Never("V3 covers it: the server derives the stored versions from the storage version")]
        "The stored versions include the storage version.";
    V5 Error [Validate] "Only a deprecated version has a deprecation warning.";
    V6 Error [Derive, Validate] "A deprecation warning has 1 to 256 bytes and only printable characters.";
    V7 Error [Validate] "Each version has a schema.";
    V8 Error [Validate] "`preserveUnknownFields` is not true.";
}

/// The maximum length of a deprecation warning.
pub const MAX_WARNING: usize = 256;

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, report: &mut Report<'_>) {
    let versions = &definition.versions;
    for (at, version) in versions.iter().enumerate() {
        let field = format!("spec.versions[{at}]");
        let name = version.name.as_ref();
        let place = format!("{field}.name");
        report_at_field(&place, version_is_label(name), report);
        let mut before = versions[..at].iter();
        if before.any(|other| other.name == version.name) {
            report_at_path(&place, "spec.versions", Err(repeated_name(name)), report);
        }
        if let Some(warning) = &version.deprecation_warning {
            let path = format!("{name}.deprecationWarning");
            let field = format!("{field}.deprecationWarning");
            let result = version_with_warning_is_deprecated(version.deprecated, warning)
                .and_then(|()| warning_is_printable(warning));
            report_at_path(&path, &field, result, report);
        }
        if version.schema.is_none() {
            let field = format!("{field}.schema.openAPIV3Schema");
            report_at_path(name, &field, Err(missing_schema()), report);
        }
    }
    let mut stored = versions.iter().filter(|version| version.storage);
    let first = stored.next().map(|version| version.name.as_ref());
    let second = stored.next().map(|version| version.name.as_ref());
    report_at_field("spec.versions", one_version_is_stored(first, second), report);
    let place = "spec.preserveUnknownFields";
    report_at_field(place, unknown_fields_are_not_preserved(definition.preserve_unknown_fields == Some(true)), report);
}

/// [`V1`].
pub const fn version_is_label(name: &str) -> Result<(), Violation<'_>> {
    label(&V1, "version", "v1alpha1", name)
}

const fn repeated_name(name: &str) -> Violation<'_> {
    let message = Text::new("there are two versions `{}`", &[Arg::Text(name)]);
    Violation::new(&V2, message).with_server_error(invalid("must contain unique version names"))
}

/// [`V3`], of the first two.
pub const fn one_version_is_stored<'a>(first: Option<&'a str>, second: Option<&'a str>) -> Result<(), Violation<'a>> {
    let message = match (first, second) {
        (Some(_), None) => return Ok(()),
        (Some(first), Some(second)) => Text::new(
            "only one version can be the storage version, not both `{}` and `{}`",
            &[Arg::Text(first), Arg::Text(second)],
        ),
        _ => Text::literal("no version is the storage version: one must be"),
    };
    let detail = "must have exactly one version marked as storage version";
    Err(Violation::new(&V3, message).with_server_error(invalid(detail)))
}

/// [`V5`].
pub const fn version_with_warning_is_deprecated(is_deprecated: bool, warning: &str) -> Result<(), Violation<'_>> {
    if is_deprecated {
        return Ok(());
    }
    let message = Text::literal("the version is not deprecated: set `deprecated`, or remove the warning");
    let server_error = invalid("can only be set for deprecated versions").with_value(Arg::Json(warning));
    Err(Violation::new(&V5, message).with_server_error(server_error))
}

/// [`V6`].
#[allow(clippy::cast_possible_wrap)] // lengths of strings
pub fn warning_is_printable(warning: &str) -> Result<(), Violation<'_>> {
    let server_error = invalid("").with_value(Arg::Json(warning));
    let (message, detail) = if warning.is_empty() {
        (
            Text::literal("the warning is empty: remove it to use the default warning of the server"),
            Text::literal("must not be an empty string"),
        )
    } else if warning.len() > MAX_WARNING {
        (
            Text::new("the warning has {} bytes: at most 256 are allowed", &[Arg::Integer(warning.len() as i64)]),
            Text::literal("must be <= 256 characters long"),
        )
    } else if let Some((at, c)) = first_unprintable(warning) {
        let at = Arg::Integer(at as i64);
        (
            Text::new("the warning has the character U+{} at {}, which cannot be printed", &[Arg::Hex(c as u32), at]),
            Text::new("must only contain printable UTF-8 characters; non-printable character found at index {}", &[at]),
        )
    } else {
        return Ok(());
    };
    let server_error = ServerError { detail, ..server_error };
    Err(Violation::new(&V6, message).with_server_error(server_error))
}

const fn missing_schema<'a>() -> Violation<'a> {
    let message = Text::literal("the version has no schema, which the server requires");
    Violation::new(&V7, message).with_server_error(ServerError::new(ErrorType::Required, "", ""))
}

/// [`V8`].
pub const fn unknown_fields_are_not_preserved<'a>(preserves_unknown_fields: bool) -> Result<(), Violation<'a>> {
    if !preserves_unknown_fields {
        return Ok(());
    }
    let message = Text::literal("must not be true: write `x-kubernetes-preserve-unknown-fields` in the schema");
    let detail =
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    Err(Violation::new(&V8, message).with_server_error(invalid(detail).with_value(Arg::Text("true"))))
}

const fn invalid(detail: &str) -> ServerError<'_> {
    ServerError::new(ErrorType::Invalid, "", detail)
}
