use alloc::{boxed::Box, string::ToString as _, vec};

use super::*;
use crate::{schema::AdditionalProperties, walk};

type Schema = SchemaProps<'static>;

fn typed(type_: &'static str) -> Schema {
    Schema { type_: Some(type_.into()), ..Schema::default() }
}

fn object(properties: Vec<(&'static str, Schema)>) -> Schema {
    let named = |(name, schema): (&'static str, Schema)| (name.into(), schema);
    Schema { properties: Some(properties.into_iter().map(named).collect()), ..typed("object") }
}

fn with(schema: Schema, default: Json<'static>) -> Schema {
    Schema { default: Some(default), ..schema }
}

fn members(members: Vec<(&'static str, Json<'static>)>) -> Json<'static> {
    let named = |(name, value): (&'static str, _)| (name.into(), value);
    Json::Object(members.into_iter().map(named).collect())
}

/// The rules that are broken, with the node, and what the server answers.
fn report_error(root: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    walk(&Node::root(root), &mut |it| {
        check_node(it, &mut |node, violation| {
            assert!(!violation.message.to_string().is_empty());
            let server_error = violation.server_error.map(|it| format!(" {}: {it}", it.field));
            let (id, path) = (violation.rule.id, node.path.text());
            found.push(format!("{id} {path}{}", server_error.unwrap_or_default()));
        });
    });
    found
}

#[test]
fn of_scalars() {
    let text = || Json::String("b".into());
    let bounded = Schema { minimum: Some(0.5), ..typed("number") };
    let patterned = Schema { pattern: Some(r"(?i)\A\p{L}\z".into()), ..typed("string") };
    let formatted = Schema { format: Some("email".into()), ..typed("string") };
    let limited = Schema { max_length: Some(0), ..typed("string") };
    let any = Schema { int_or_string: true, ..Schema::default() };
    for (schema, default, expected) in [
        (typed("integer"), Json::Integer(1), ""),
        (typed("integer"), Json::Float(1.0), ""),
        (typed("integer"), text(), r#"Invalid value: "string":  in body must be of type integer: "string""#),
        (bounded, Json::Float(0.0), "Invalid value: 0:  in body should be greater than or equal to 0.5"),
        (patterned.clone(), Json::String("é".into()), ""),
        (patterned, Json::String("1".into()), r#"Invalid value: "1":  in body should match '(?i)\A\p{L}\z'"#),
        (formatted, Json::String("".into()), r#"Invalid value: "":  in body must be of type email: """#),
        (limited, text(), "Too long: may not be more than 0 bytes"),
        (Schema { int_or_string: true, ..any.clone() }, Json::Integer(1), ""),
    ] {
        let root = object(vec![("a", with(schema, default.clone()))]);
        let expected = match expected {
            "" => String::new(),
            server_error => format!("E5 .a .default: {server_error}"),
        };
        assert_eq!(report_error(&root).join("; "), expected, "{default}");
    }
    let root = object(vec![("a", with(any, Json::Bool(true)))]);
    assert_eq!(report_error(&root), ["E9 .a"]);
}

#[test]
fn of_numbers_that_are_read_again() {
    let halves = Schema { multiple_of: Some(0.5), ..typed("number") };
    let root = object(vec![("a", with(halves, Json::Float(1.0)))]);
    assert_eq!(report_error(&root), ["E9 .a"]);
}

#[test]
fn of_objects() {
    let required =
        Schema { required: vec!["b".into()], ..object(vec![("b", with(typed("string"), Json::String("x".into())))]) };
    let root = object(vec![("a", with(required.clone(), members(vec![])))]);
    assert_eq!(report_error(&root), ["E5 .a .default.b: Required value"]);
    let unknown = members(vec![("b", Json::String("".into())), ("c", Json::Null)]);
    let root = object(vec![("a", with(required, unknown))]);
    let expected = r#"E4 .a .default: Invalid value: {"b":"","c":null}: must not have unknown fields"#;
    assert_eq!(report_error(&root), [expected]);
    let list = Schema { list_type: Some("set".into()), ..typed("array") };
    let twice = Json::Array(vec![Json::Integer(1), Json::Integer(1)]);
    assert_eq!(report_error(&object(vec![("a", with(list, twice))])), ["E9 .a"]);
}

#[test]
fn of_what_the_server_does_not_look_at() {
    let map = |values| Schema {
        additional_properties: Some(AdditionalProperties::Schema(Box::new(values))),
        ..typed("object")
    };
    let wrong = with(typed("integer"), Json::Bool(true));
    let root = object(vec![("a", map(object(vec![("b", wrong)])))]);
    assert_eq!(report_error(&root), ["E9 .a[*].b"]);
}

#[test]
fn of_resources() {
    let embedded =
        |default| Schema { embedded_resource: true, preserve_unknown_fields: Some(true), default, ..typed("object") };
    let root = object(vec![("a", embedded(Some(members(vec![]))))]);
    let expected = ["E6 .a .default.apiVersion: Required value", "E6 .a .default.kind: Required value"];
    assert_eq!(report_error(&root), expected);
    let inside = |value: &'static str| {
        let labels = Schema {
            additional_properties: Some(AdditionalProperties::Schema(Box::new(typed("string")))),
            ..typed("object")
        };
        let default = members(vec![("labels", members(vec![("a", Json::String(value.into()))]))]);
        let metadata = with(object(vec![("labels", labels)]), default);
        let resource = Schema { properties: Some(vec![("metadata".into(), metadata)]), ..embedded(None) };
        report_error(&object(vec![("a", resource)]))
    };
    let found = inside("b c");
    let expected = "must result in valid metadata: metadata.labels: Invalid value: \"b c\"";
    assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    assert_eq!(inside("b"), [""; 0]);
}

#[test]
fn of_metadata() {
    let name = with(typed("string"), Json::String("a".into()));
    let root = object(vec![("metadata", object(vec![("name", name.clone())]))]);
    let expected = "E1 .metadata.name .default: Forbidden: must not be set in top-level metadata";
    assert_eq!(report_error(&root), [expected]);
    let labels =
        Schema { additional_properties: Some(AdditionalProperties::Schema(Box::new(name))), ..typed("object") };
    let embedded = Schema { embedded_resource: true, ..object(vec![("metadata", object(vec![("labels", labels)]))]) };
    let found = report_error(&object(vec![("a", embedded)]));
    let expected = "E2 .a.metadata.labels[*] .default: Forbidden: must not be set inside \
                    additionalProperties applying to object metadata";
    assert_eq!(found, [expected]);
}
