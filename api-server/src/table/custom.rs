//! The cells of custom resources.

use crdkit::__internal::crd_accessors::read;
use crdkit_core::go;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceColumnDefinition;
use serde_json::Value;

use crate::{json_path::JsonPath, table::float, time};

/// A column with its compiled path.
pub(super) struct Cell<'v> {
    type_: &'v str,
    path: JsonPath,
}

/// Returns the cells of the columns. Neither a column whose path is invalid nor any later column is shown.
pub(super) fn cells(columns: &[CustomResourceColumnDefinition]) -> Vec<Cell<'_>> {
    if columns.is_empty() {
        let path = JsonPath::new(".metadata.creationTimestamp").expect("the path is valid");
        return vec![Cell { type_: "date", path }];
    }
    let cell = |column: &'_ CustomResourceColumnDefinition| JsonPath::new(&column.json_path).ok();
    let paths = columns.iter().map_while(|column| Some((column, cell(column)?)));
    paths.map(|(column, path)| Cell { type_: &column.type_, path }).collect()
}

/// Adds the server's description to a column without one.
pub(super) fn with_description(mut column: CustomResourceColumnDefinition) -> CustomResourceColumnDefinition {
    if column.description.as_deref().unwrap_or_default().is_empty() {
        let path = &column.json_path;
        column.description = Some(format!("Custom resource definition column (in JSONPath format): {path}"));
    }
    column
}

impl Cell<'_> {
    pub(super) fn value(&self, object: &Value, now: i64) -> Value {
        match self.path.first(object) {
            Ok(Some(found)) => cell(self.type_, &found, now),
            Ok(None) | Err(_) => Value::Null,
        }
    }
}

fn cell(type_: &str, value: &Value, now: i64) -> Value {
    match (type_, value) {
        ("string", Value::Null) => "<no value>".into(),
        ("string", Value::String(text)) => text.as_str().into(),
        ("string", value) => go::quoted(&read::json(value)).into(),
        ("integer", Value::Number(number)) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => go::truncated(number.as_f64().unwrap_or_default()).into(),
        },
        ("number", Value::Number(number)) => float(number.as_f64().unwrap_or_default()),
        ("boolean", Value::Bool(flag)) => (*flag).into(),
        ("date", Value::String(text)) => time::age(text, now).into(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types() {
        for (type_, value, expected) in [
            ("string", json!("a"), json!("a")),
            ("string", json!(3), json!("3")),
            ("string", json!(1e6), json!("1e+06")),
            ("string", json!(true), json!("true")),
            ("string", json!({ "b": "<", "a": [1] }), json!(r#"{"a":[1],"b":"\u003c"}"#)),
            ("string", Value::Null, json!("<no value>")),
            ("integer", json!(3), json!(3)),
            ("integer", json!(3.7), json!(3)),
            ("integer", json!("3"), Value::Null),
            ("number", json!(3), json!(3)),
            ("number", json!(2.0), json!(2)),
            ("number", json!(0.5), json!(0.5)),
            ("number", json!(1_152_921_504_606_846_976_i64), json!(1_152_921_504_606_847_000_i64)),
            ("number", json!(1e20), json!(1e20)),
            ("boolean", json!(true), json!(true)),
            ("boolean", json!("true"), Value::Null),
            ("date", json!("1970-01-01T00:00:00Z"), json!("100s")),
            ("date", json!("x"), json!("<invalid>")),
            ("date", json!(3), Value::Null),
        ] {
            assert_eq!(cell(type_, &value, 100), expected, "{type_}: {value}");
        }
    }

    #[test]
    fn invalid_paths_end_the_columns() {
        let column = |path: &str| CustomResourceColumnDefinition { json_path: path.to_owned(), ..Default::default() };
        assert_eq!(cells(&[column(".a"), column(".b["), column(".c")]).len(), 1);
    }
}
