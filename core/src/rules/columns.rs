//! `additionalPrinterColumns`.

use alloc::format;

use crate::{
    definition::{Column, Definition},
    rules::{Report, SharedParts, report_at_path},
    text::contains,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

rules! {
    P1 Error [Derive, Validate] "A column has a name.";
    P2 Error [Derive, Validate] "A column has a type: `boolean`, `date`, `integer`, `number` or `string`.";
    P3 Error [Derive, Validate] "A column format is one that the server supports.";
    P4 Error [Derive, Validate] "A column has a path.";
    P5 Error [Derive, Validate] "The path of a column starts with a dot.";
}

/// The types of columns.
pub const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
/// The formats of columns.
pub const FORMATS: &[&str] = &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: SharedParts, report: &mut Report<'_>) {
    for (at, version) in definition.versions.iter().enumerate() {
        let Some(field) = hoisted.columns(at) else {
            continue;
        };
        for (column_at, column) in version.columns.iter().enumerate() {
            let path = format!("{}.additionalPrinterColumns[{column_at}]", version.name);
            self::column(column, &path, &format!("{field}[{column_at}]"), report);
        }
    }
}

fn column(column: &Column<'_>, path: &str, field: &str, report: &mut Report<'_>) {
    let format = column.format.as_deref().unwrap_or_default();
    let results = [
        ("name", "name", name_is_given(&column.name)),
        ("type", "type", type_is_supported(&column.type_)),
        ("format", "format", format_is_supported(format)),
        ("jsonPath", "JSONPath", path_is_given(&column.json_path)),
        ("jsonPath", "JSONPath", path_starts_with_dot(&column.json_path)),
    ];
    for (name, server_name, result) in results {
        report_at_path(&format!("{path}.{name}"), &format!("{field}.{server_name}"), result, report);
    }
}

/// [`P1`].
pub const fn name_is_given(name: &str) -> Result<(), Violation<'_>> {
    if !name.is_empty() {
        return Ok(());
    }
    let message = Text::literal("the name of the column is empty");
    Err(Violation::new(&P1, message).with_server_error(ServerError::new(ErrorType::Required, "", "")))
}

/// [`P2`].
pub const fn type_is_supported(type_: &str) -> Result<(), Violation<'_>> {
    const DETAIL: &str = "must be one of boolean,date,integer,number,string";
    if contains(TYPES, type_) {
        return Ok(());
    }
    let message = Text::new(
        "`{}` is not a column type: write `boolean`, `date`, `integer`, `number` or `string`",
        &[Arg::Text(type_)],
    );
    let server_error = if type_.is_empty() {
        ServerError::new(ErrorType::Required, "", DETAIL)
    } else {
        ServerError::new(ErrorType::Invalid, "", DETAIL).with_value(Arg::Quoted(type_))
    };
    Err(Violation::new(&P2, message).with_server_error(server_error))
}

/// [`P3`]: one of [`FORMATS`], or empty.
pub const fn format_is_supported(format: &str) -> Result<(), Violation<'_>> {
    if format.is_empty() || contains(FORMATS, format) {
        return Ok(());
    }
    let message = Text::new(
        "`{}` is not a column format: write `byte`, `date`, `date-time`, `double`, `float`, `int32`, `int64` or `password`",
        &[Arg::Text(format)],
    );
    let detail = "must be one of byte,date,date-time,double,float,int32,int64,password";
    let server_error = ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(format));
    Err(Violation::new(&P3, message).with_server_error(server_error))
}

/// [`P4`].
pub const fn path_is_given(path: &str) -> Result<(), Violation<'_>> {
    if !path.is_empty() {
        return Ok(());
    }
    let message = Text::literal("the path is empty: write one such as `.spec.replicas`");
    Err(Violation::new(&P4, message).with_server_error(ServerError::new(ErrorType::Required, "", "")))
}

/// [`P5`], or is empty.
pub fn path_starts_with_dot(path: &str) -> Result<(), Violation<'_>> {
    if path.is_empty() || path.starts_with('.') {
        return Ok(());
    }
    let names = match path.trim_matches(['$', '.', '{', '}', ' ']) {
        "" => "spec.replicas",
        names => names,
    };
    let message = Text::new("`{}` does not start with a dot: write `.{}`", &[Arg::Text(path), Arg::Text(names)]);
    let detail = "must be a simple json path starting with .";
    let server_error = ServerError::new(ErrorType::Invalid, "", detail).with_value(Arg::Quoted(path));
    Err(Violation::new(&P5, message).with_server_error(server_error))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn parts_of_columns() {
        assert!(name_is_given("Age").is_ok() && name_is_given("").is_err());
        assert!(TYPES.iter().all(|type_| type_is_supported(type_).is_ok()));
        assert!(type_is_supported("").is_err() && type_is_supported("object").is_err());
        assert!(FORMATS.iter().all(|format| format_is_supported(format).is_ok()));
        assert!(format_is_supported("").is_ok() && format_is_supported("name").is_err());
        assert!(path_is_given(".spec").is_ok() && path_is_given("").is_err());
        assert!(path_starts_with_dot(".").is_ok() && path_starts_with_dot("").is_ok());
        for path in ["spec.size", "$.spec.size", "{.spec.size}"] {
            let message = path_starts_with_dot(path).unwrap_err().message.to_string();
            assert_eq!(message, format!("`{path}` does not start with a dot: write `.spec.size`"));
        }
    }
}
