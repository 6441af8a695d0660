use alloc::{format, string::ToString, vec};

use super::*;

fn object<'a>(members: &[(&'a str, Json<'a>)]) -> Json<'a> {
    let members = members.iter();
    Json::Object(members.map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect())
}

fn text(text: &str) -> Json<'_> {
    Json::String(text.into())
}

fn with_schema<'a>(name: &'a str, schema: Json<'a>) -> Json<'a> {
    let root = object(&[("properties", object(&[("spec", object(&[(name, schema)]))]))]);
    let schema = object(&[("openAPIV3Schema", root)]);
    let version = object(&[("schema", schema), ("name", text("v1"))]);
    object(&[("spec", object(&[("versions", Json::Array(vec![version]))]))])
}

/// The rule, the path and the server's answer of what is found; and what is read.
fn found<'a>(json: &Json<'a>) -> (Vec<[String; 3]>, Json<'a>) {
    let mut found = Vec::new();
    let read = definition(json, &mut |place, violation| {
        let server_error = violation.server_error.map_or_else(String::new, |it| it.to_string());
        found.push([violation.rule.id.to_string(), place.path, server_error]);
    });
    (found, read)
}

fn unread(name: &str, value: Json<'_>) -> [String; 3] {
    let (found, _) = found(&with_schema(name, value));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn go(json: &str, field: &str, go: &str) -> String {
    format!(
        "json: cannot unmarshal {json} into Go struct field \
         JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.{field} of type {go}"
    )
}

#[test]
fn types() {
    let list = || Json::Array(vec![text("a")]);
    let yes = || Json::Bool(true);
    let entry = || object(&[("a", Json::Bool(true))]);
    for (rule, path, name, value, server_error) in [
        ("D1", "v1.spec", "type", list(), go("array", "type", "string")),
        ("D2", "v1.spec", "exclusiveMinimum", Json::Integer(3), go("number", "exclusiveMinimum", "bool")),
        ("D3", "v1.spec", "maxLength", Json::Float(10.0), go("number 10.0", "maxLength", "int64")),
        ("D3", "v1.spec", "maxItems", Json::Unsigned(1 << 63), go("number 9223372036854775808", "maxItems", "int64")),
        ("D4", "v1.spec.a", "properties", entry(), go("bool", "properties", "v1.JSONSchemaProps")),
        ("D4", "v1.spec.allOf[0]", "allOf", Json::Array(vec![yes()]), go("bool", "allOf", "v1.JSONSchemaProps")),
        ("D6", "v1.spec", "additionalProperties", text("a"), "boolean or JSON schema expected".to_string()),
        ("D12", "v1.spec", "enum", text("a"), go("string", "enum", "[]v1.JSON")),
        ("D12", "v1.spec", "properties", list(), go("array", "properties", "map[string]v1.JSONSchemaProps")),
        (
            "D12",
            "v1.spec",
            "x-kubernetes-validations",
            yes(),
            go("bool", "x-kubernetes-validations", "v1.ValidationRules"),
        ),
    ] {
        assert_eq!(unread(name, value), [rule, path, &*server_error], "{name}");
    }
}

#[test]
fn what_is_dropped() {
    let field = "spec.versions[0].schema.openAPIV3Schema.properties.spec";
    let unknown = format!("unknown field \"{field}.const\"");
    assert_eq!(unread("const", text("a")), ["D8", "v1.spec", &*unknown]);
    let items = || object(&[("const", text("a"))]);
    assert_eq!(unread("items", items()), ["D13", "v1.spec[]", ""]);
    assert_eq!(unread("items", Json::Array(vec![items()])), ["D13", "v1.spec[0]", ""]);
    assert_eq!(unread("additionalProperties", items()), ["D13", "v1.spec[*]", ""]);
    assert_eq!(unread("items", Json::Bool(true)), ["D5", "v1.spec", ""]);
    assert_eq!(unread("default", Json::Null), ["D7", "v1.spec", ""]);
    assert_eq!(unread("maximum", Json::Integer(i64::MAX)), ["D10", "v1.spec", ""]);
    assert_eq!(found(&with_schema("maximum", Json::Integer(1 << 60))).0, [[""; 3]; 0]);
}

#[test]
fn what_is_read() {
    let strange = object(&[
        ("apiVersion", text("apiextensions.k8s.io/v1beta1")),
        ("Spec", Json::Null),
        ("metadata", object(&[("creationTimestamp", text("x")), ("finalizers", Json::Array(vec![Json::Null]))])),
        ("spec", object(&[("scope", Json::Integer(1))])),
    ]);
    let (found, read) = found(&strange);
    let rules: Vec<_> = found.iter().map(|[rule, path, _]| (&**rule, &**path)).collect();
    assert_eq!(
        rules,
        [("D14", "apiVersion"), ("D8", ""), ("D12", "metadata.creationTimestamp"), ("D12", "spec.scope")]
    );
    assert_eq!(
        read.to_string(),
        r#"{"apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"finalizers":[""]},"spec":{}}"#
    );
    let types = Json::Array(vec![text("string"), text("null")]);
    let (_, read) = self::found(&with_schema("type", types));
    assert!(read.to_string().contains(r#""spec":{"type":"string"}"#), "{read}");
}

#[test]
fn base64() {
    for valid in ["", "YQ==", "YWI=", "YWJj\n", "+/AA"] {
        assert!(is_base64(valid), "{valid}");
    }
    for invalid in ["a", "%%%%", "Y===", "YQ==YQ==", "YQ"] {
        assert!(!is_base64(invalid), "{invalid}");
    }
}
