//! Printer columns that the server accepts, but that show nothing.

use alloc::{format, string::String, vec::Vec};
use core::fmt;

use crate::{
    definition::{Column, Definition},
    literal::{
        formats::string_format,
        json_path::{self, JsonPathError, JsonPathStep},
    },
    rules::{
        Report, SharedParts, columns, report_at_path,
        schema_path::{PathTarget, below_value, meant},
    },
    schema::{Kind, SchemaProps},
    text::{contains, equal},
    violation::{Arg, Text, Violation},
};

rules! {
    X45 Defect [Derive, Validate] "client-go can parse the path of a column. Otherwise neither it nor any later one is shown.";
    X46 Defect [Derive, Const, Validate] "The path of a column resolves to a field of the schema.";
    X47 Defect [Const, Validate] "The type of a column can show the value.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: SharedParts, report: &mut Report<'_>) {
    for (at, version) in definition.versions.iter().enumerate() {
        // The columns can be the same in all versions, but each schema has its own fields.
        if hoisted.columns && hoisted.schema && at > 0 {
            continue;
        }
        for (column_at, column) in version.columns.iter().enumerate() {
            let path = format!("{}.additionalPrinterColumns[{column_at}].jsonPath", version.name);
            let mut check = |result| report_at_path(&path, "", result, report);
            if !column.json_path.starts_with('.') {
                continue;
            }
            match (column_steps(&column.json_path), &version.schema) {
                (Err(mistake), _) => check(Err(mistake.violation(&column.json_path))),
                (Ok(steps), Some(schema)) => {
                    let target = follow(schema, &steps);
                    check(path_resolves(column, target));
                    check(type_shows_value(&column.type_, &column.json_path, ColumnValue::at(target)));
                }
                (Ok(_), None) => {}
            }
        }
    }
}

/// Why a path that starts with a dot shows nothing.
#[derive(Clone, Debug)]
pub enum PathMistake {
    /// client-go cannot parse it.
    Syntax(JsonPathError),
    /// A name that does not follow a dot, to which client-go resolves nothing.
    WithoutDot(String),
    /// Nothing follows a dot.
    WithoutName,
}

impl fmt::Display for PathMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::WithoutDot(name) => {
                write!(f, "`{name}` has no dot before it: write `.{name}`, or `\\ ` for a space in a name")
            }
            Self::WithoutName => f.write_str("the name of a field is missing after a dot"),
        }
    }
}

impl PathMistake {
    /// Returns the violation of X45 or X46.
    pub fn violation<'a>(&'a self, path: &'a str) -> Violation<'a> {
        let rule = match self {
            Self::Syntax(_) => &X45,
            Self::WithoutDot(_) | Self::WithoutName => &X46,
        };
        let message = Text::new("`{}` is not a valid path: {}", &[Arg::Text(path), Arg::Display(self)]);
        Violation::new(rule, message)
    }
}

/// Returns the steps of a path that starts with a dot, as far as a schema can follow them.
///
/// # Errors
///
/// If client-go cannot parse it, or resolves nothing.
pub fn column_steps(path: &str) -> Result<Vec<JsonPathStep>, PathMistake> {
    let steps = json_path::steps(path).map_err(PathMistake::Syntax)?;
    if let Some(name) = json_path::stray_identifier(path) {
        return Err(PathMistake::WithoutDot(name));
    }
    if steps.contains(&JsonPathStep::Field(String::new())) { Err(PathMistake::WithoutName) } else { Ok(steps) }
}

fn path_resolves<'a>(column: &'a Column<'_>, target: PathTarget<'a, '_>) -> Result<(), Violation<'a>> {
    let PathTarget::Missing(name) = target else {
        return Ok(());
    };
    let [open, name, close] = meant(name);
    let message = Text::new(
        "the column `{}` shows a field that does not exist: there is no `{}`{}{}{}",
        &[Arg::Text(&column.name), Arg::Text(&column.json_path), open, name, close],
    );
    Err(Violation::new(&X46, message))
}

/// The value that a column shows.
#[derive(Clone, Copy, Debug)]
pub struct ColumnValue<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its `format`.
    pub format: Option<&'a str>,
}

impl<'a> ColumnValue<'a> {
    fn at(target: PathTarget<'a, '_>) -> Self {
        let format = match target {
            PathTarget::Field(schema) => schema.format.as_deref(),
            _ => None,
        };
        Self { kind: target.kind(), format }
    }

    /// Returns the type of a column for the value.
    pub const fn column_type(&self) -> &'static str {
        match self.kind {
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::String if self.is_time() => "date",
            _ => "string",
        }
    }

    /// Whether the server's table converter shows the value in a column of this type.
    const fn is_shown_as(&self, type_: &str) -> bool {
        if equal(type_, "string") || !contains(columns::TYPES, type_) {
            return true; // P2 reports an unknown type
        }
        match self.kind {
            Kind::Opaque => true,
            Kind::Boolean => equal(type_, "boolean"),
            // In an integer column, the server truncates the fraction.
            Kind::Integer | Kind::Number | Kind::IntOrString => equal(type_, "integer") || equal(type_, "number"),
            Kind::String => equal(type_, "date") && self.may_be_time(),
            _ => false,
        }
    }

    const fn is_time(&self) -> bool {
        match self.format {
            Some(format) => equal(format, "date-time"),
            None => false,
        }
    }

    /// Whether the format, if the server validates it, includes points in time.
    const fn may_be_time(&self) -> bool {
        match self.format {
            Some(format) => match string_format(format) {
                Some(known) => equal(known.name, "date-time") || equal(known.name, "password"),
                None => true,
            },
            None => true,
        }
    }
}

/// [`X47`]. Otherwise its cells are empty or invalid.
pub const fn type_shows_value<'a>(type_: &'a str, path: &'a str, value: ColumnValue<'_>) -> Result<(), Violation<'a>> {
    if value.is_shown_as(type_) {
        return Ok(());
    }
    let message = Text::new(
        "a column of the type `{}` cannot show the value at `{}`, which is {}: use `{}`",
        &[Arg::Text(type_), Arg::Text(path), Arg::Text(value.kind.noun()), Arg::Text(value.column_type())],
    );
    Err(Violation::new(&X47, message))
}

/// Resolves a path, as far as the schema describes it.
fn follow<'s, 'a>(schema: &'s SchemaProps<'a>, steps: &[JsonPathStep]) -> PathTarget<'s, 'a> {
    let mut at = schema;
    for (number, step) in steps.iter().enumerate() {
        let target = match step {
            JsonPathStep::Field(name) if number == 0 && matches!(&**name, "metadata" | "apiVersion" | "kind") => {
                return PathTarget::Open;
            }
            JsonPathStep::Field(name) => below_value(at, name),
            JsonPathStep::Items => match at.items() {
                Some(items) => PathTarget::Field(items),
                None if at.type_.as_deref() == Some("array") => PathTarget::Open,
                // An index into a value that is not a list finds nothing; into a value without a type it may.
                None if at.type_.is_some() => PathTarget::Missing(None),
                None => PathTarget::Open,
            },
            JsonPathStep::Unknown => PathTarget::Open,
        };
        match target {
            PathTarget::Field(schema) => at = schema,
            end => return end,
        }
    }
    PathTarget::Field(at)
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, string::String, vec, vec::Vec};

    use super::*;
    use crate::{definition::Version, schema::Items};

    fn typed(type_: &str) -> SchemaProps<'_> {
        SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() }
    }

    fn found(path: &str, type_: &str) -> Vec<&'static str> {
        let either = SchemaProps { int_or_string: true, ..SchemaProps::default() };
        let time = SchemaProps { format: Some("date-time".into()), ..typed("string") };
        let email = SchemaProps { format: Some("email".into()), ..typed("string") };
        let list = SchemaProps { items: Some(Items::Schema(Box::new(typed("integer")))), ..typed("array") };
        let spec = SchemaProps {
            properties: Some(vec![
                ("size".into(), typed("integer")),
                ("list".into(), list),
                ("either".into(), either),
                ("time".into(), time),
                ("email".into(), email),
            ]),
            ..typed("object")
        };
        let root = SchemaProps { properties: Some(vec![("spec".into(), spec)]), ..typed("object") };
        let column = Column {
            name: "A".into(),
            type_: String::from(type_).into(),
            json_path: String::from(path).into(),
            ..Column::default()
        };
        let version = Version { schema: Some(root), columns: vec![column], ..Version::default() };
        let definition = Definition { versions: vec![version], ..Definition::default() };
        let mut found = Vec::new();
        check(&definition, SharedParts::of(&definition), &mut |_, violation| {
            found.push(violation.rule.id);
        });
        found
    }

    #[test]
    fn paths() {
        for (path, type_) in [
            (".spec.size", "integer"),
            (".spec.size", "string"),
            (".spec.list[0]", "number"),
            (".spec.list[*]", "string"),
            (".spec.list[?(@ > 1)]", "integer"),
            (".metadata.creationTimestamp", "date"),
            (".spec..size", "date"),
            (".spec.either", "integer"),
            (".spec.either", "number"),
            (".spec.time", "date"),
        ] {
            assert_eq!(found(path, type_), [""; 0], "{path}");
        }
        assert_eq!(found(".spec[\"size\"]", "integer"), ["X45"]);
        assert_eq!(found(".spec.none", "string"), ["X46"]);
        assert_eq!(found(".spec.", "string"), ["X46"]);
        assert_eq!(found(".spec.my size", "string"), ["X46"], "a name without a dot");
        assert_eq!(found(".spec.size[0]", "string"), ["X46"]);
        assert_eq!(found(".spec.list[?(@ > 1)].none", "string"), ["X46"]);
        assert_eq!(found(".spec.size[?(@ > 1)]", "string"), ["X46"], "a filter of a value that is not a list");
        assert_eq!(found(".spec.size", "date"), ["X47"]);
        assert_eq!(found(".spec.list[?(@ > 1)]", "date"), ["X47"]);
        assert_eq!(found(".spec.list", "integer"), ["X47"]);
        assert_eq!(found(".spec.either", "boolean"), ["X47"]);
        assert_eq!(found(".spec.email", "date"), ["X47"]);
    }
}
