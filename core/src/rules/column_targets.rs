//! Printer columns that the server accepts, but that show nothing.

use alloc::format;

use crate::{
    definition::{Column, Definition},
    literal::json_path::{self, Step},
    rules::{
        Hoisted, Report,
        path_target::{PathTarget, below_value},
        report_at_path,
    },
    schema::SchemaProps,
    violation::{Arg, Text, Violation},
};

rules! {
    X45 Defect [Derive, Validate] "client-go can parse the path of a column.";
    X46 Defect [Const, Validate] "The path of a column resolves to a field of the schema.";
    X47 Defect [Const, Validate] "The type of a column can show the value.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: Hoisted, report: &mut Report<'_>) {
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
            match (json_path::steps(&column.json_path), &version.schema) {
                (Err(error), _) => check(Err(x45(&column.json_path, &error))),
                (Ok(steps), Some(schema)) => {
                    let target = follow(schema, &steps);
                    check(x46(column, target));
                    check(x47(column, target));
                }
                (Ok(_), None) => {}
            }
        }
    }
}

/// client-go can parse the path of a column. Call this for another.
pub const fn x45<'a>(path: &'a str, error: &'a json_path::JsonPathError) -> Violation<'a> {
    let message = Text::new(
        "the server cannot parse the path `{}`, and shows neither this column nor any later one: {}",
        &[Arg::Text(path), Arg::Display(error)],
    );
    Violation::new(&X45, message)
}

fn x46<'a>(column: &'a Column<'_>, target: PathTarget<'_, '_>) -> Result<(), Violation<'a>> {
    let PathTarget::Missing = target else {
        return Ok(());
    };
    let message = Text::new(
        "the column `{}` shows a field that does not exist: there is no `{}`",
        &[Arg::Text(&column.name), Arg::Text(&column.json_path)],
    );
    Err(Violation::new(&X46, message))
}

fn x47<'a>(column: &'a Column<'_>, target: PathTarget<'a, '_>) -> Result<(), Violation<'a>> {
    let PathTarget::Field(schema) = target else {
        return Ok(());
    };
    let type_ = match schema.type_.as_deref() {
        _ if schema.int_or_string => "integer or string",
        Some(type_) => type_,
        None => return Ok(()),
    };
    let is_shown = match &*column.type_ {
        "integer" | "number" => matches!(type_, "integer" | "number" | "integer or string"),
        "boolean" => type_ == "boolean",
        "date" => type_ == "string",
        _ => true,
    };
    if is_shown {
        return Ok(());
    }
    let message = Text::new(
        "the column `{}` of the type `{}` cannot show `{}`, which is of the type `{}`: its cells would be empty",
        &[Arg::Text(&column.name), Arg::Text(&column.type_), Arg::Text(&column.json_path), Arg::Text(type_)],
    );
    Err(Violation::new(&X47, message))
}

/// Resolves a path, as far as the schema describes it.
fn follow<'s, 'a>(schema: &'s SchemaProps<'a>, steps: &[Step]) -> PathTarget<'s, 'a> {
    let mut at = schema;
    for (number, step) in steps.iter().enumerate() {
        let target = match step {
            Step::Field(name) if number == 0 && matches!(&**name, "metadata" | "apiVersion" | "kind") => {
                return PathTarget::Open;
            }
            Step::Field(name) => below_value(at, name),
            Step::Items => match at.items() {
                Some(items) => PathTarget::Field(items),
                None if at.type_.as_deref() == Some("array") => PathTarget::Open,
                // An index into a value that is not a list finds nothing; into a value without a type it may.
                None if at.type_.is_some() => PathTarget::Missing,
                None => PathTarget::Open,
            },
            Step::Unknown => PathTarget::Open,
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
        let list = SchemaProps { items: Some(Items::Schema(Box::new(typed("integer")))), ..typed("array") };
        let spec = SchemaProps {
            properties: Some(vec![("size".into(), typed("integer")), ("list".into(), list)]),
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
        check(&definition, Hoisted::of(&definition), &mut |_, violation| {
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
        ] {
            assert_eq!(found(path, type_), [""; 0], "{path}");
        }
        assert_eq!(found(".spec[\"size\"]", "integer"), ["X45"]);
        assert_eq!(found(".spec.none", "string"), ["X46"]);
        assert_eq!(found(".spec.size[0]", "string"), ["X46"]);
        assert_eq!(found(".spec.list[?(@ > 1)].none", "string"), ["X46"]);
        assert_eq!(found(".spec.size[?(@ > 1)]", "string"), ["X46"], "a filter of a value that is not a list");
        assert_eq!(found(".spec.size", "date"), ["X47"]);
        assert_eq!(found(".spec.list[?(@ > 1)]", "date"), ["X47"]);
        assert_eq!(found(".spec.list", "integer"), ["X47"]);
    }
}
