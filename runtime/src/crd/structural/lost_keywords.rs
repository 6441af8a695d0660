//! Validation keywords that a CustomResourceDefinition cannot express.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use crate::crd::structural::structural;

/// A keyword that is lost in the conversion to a structural schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostKeyword {
    /// The path of its schema.
    pub(crate) path: String,
    pub(crate) keyword: &'static str,
    /// An example of a similar rule.
    pub(crate) rule: &'static str,
}

/// The keywords, each with an example of a similar rule. Dependent keywords, such as `then` and `minContains`, are lost
/// with the keyword that they depend on.
const NARROWING: &[(&str, &str)] = &[
    ("if", "!has(self.a) || has(self.b)"),
    ("contains", "self.exists(item, item > 0)"),
    ("propertyNames", "self.all(key, key.matches('^[a-z]+$'))"),
    ("patternProperties", "self.all(key, key.matches('^[a-z]+$'))"),
    ("dependentRequired", "!has(self.a) || has(self.b)"),
    ("dependentSchemas", "!has(self.a) || self.b > 0"),
    ("dependencies", "!has(self.a) || has(self.b)"),
    ("unevaluatedItems", "self.size() <= 2"),
    ("not", "!(self in ['a', 'b'])"),
    ("uniqueItems", "self.all(item, self.exists_one(other, other == item))"),
];

/// The patterns that schemars generates for numeric keys, which are treated as strings.
const NUMBERS: &[&str] = &[r"^\d+$", r"^-?\d+$"];

/// Returns all lost keywords of a schema.
pub(super) fn find_all(schema: &Value) -> Vec<LostKeyword> {
    let mut lost = Vec::new();
    find(schema, "", &mut lost);
    lost
}

fn find(schema: &Value, path: &str, lost: &mut Vec<LostKeyword>) {
    let Some(members) = schema.as_object() else {
        return;
    };
    for (keyword, rule) in NARROWING {
        let this = LostKeyword { path: path.to_owned(), keyword, rule };
        if is_lost(keyword, members) && !lost.contains(&this) {
            lost.push(this);
        }
    }
    for (name, property) in parts(members, "properties") {
        find(property, &format!("{path}.{name}"), lost);
    }
    for (_, values) in parts(members, "patternProperties") {
        find(values, &format!("{path}[*]"), lost);
    }
    if let Some(values) = members.get("additionalProperties") {
        find(values, &format!("{path}[*]"), lost);
    }
    for keyword in ["items", "prefixItems"] {
        for items in one_or_all(members.get(keyword)) {
            find(items, &format!("{path}[]"), lost);
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for branch in one_or_all(members.get(keyword)) {
            find(branch, path, lost);
        }
    }
}

fn is_lost(keyword: &str, members: &Map<String, Value>) -> bool {
    let Some(value) = members.get(keyword) else {
        return false;
    };
    match keyword {
        "patternProperties" => parts(members, keyword).any(|(key, _)| !NUMBERS.contains(&&**key)),
        "unevaluatedItems" => *value == Value::Bool(false) && !members.contains_key("maxItems"),
        "uniqueItems" => {
            *value == Value::Bool(true) && read(members).is_some_and(|it| it.x_kubernetes_list_type.is_none())
        }
        "not" => read(members).is_some_and(|it| it.not.is_none()),
        _ => !is_unconstrained(value),
    }
}

/// Whether a schema accepts every value.
fn is_unconstrained(value: &Value) -> bool {
    match value {
        Value::Bool(is_any) => *is_any,
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn read(members: &Map<String, Value>) -> Option<JSONSchemaProps> {
    structural(Value::Object(members.clone())).ok()
}

fn parts<'a>(members: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let parts = members.get(keyword).and_then(Value::as_object);
    parts.into_iter().flatten()
}

fn one_or_all(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(all)) => all,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, schema_for};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn finds(schema: Value, expected: &[&str]) {
        let lost: Vec<_> = find_all(&schema).into_iter().map(|it| format!("{} {}", it.path, it.keyword)).collect();
        assert_eq!(lost, expected, "{schema}");
    }

    #[test]
    fn what_narrows_a_value() {
        for (keyword, value) in [
            ("if", json!({ "required": ["a"] })),
            ("contains", json!({ "type": "integer" })),
            ("propertyNames", json!({ "maxLength": 3 })),
            ("patternProperties", json!({ "^x-": { "type": "string" } })),
            ("dependentRequired", json!({ "a": ["b"] })),
            ("dependentSchemas", json!({ "a": { "required": ["b"] } })),
            ("dependencies", json!({ "a": ["b"] })),
            ("unevaluatedItems", json!(false)),
        ] {
            finds(json!({ keyword: value }), &[&format!(" {keyword}")]);
        }
        finds(json!({ "type": "string", "not": { "const": "a", "contains": {} } }), &[" not"]);
        let objects = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        finds(json!({ "type": "array", "uniqueItems": true, "items": objects }), &[" uniqueItems"]);
    }

    #[test]
    fn where_it_stands() {
        let narrow = json!({ "type": "object", "propertyNames": { "maxLength": 3 } });
        finds(
            json!({
                "type": "object",
                "properties": { "a": narrow, "b": { "type": "array", "items": narrow } },
                "additionalProperties": narrow,
                "allOf": [{ "properties": { "a": narrow } }, { "if": { "required": ["a"] } }],
            }),
            &[".a propertyNames", ".b[] propertyNames", "[*] propertyNames", " if"],
        );
    }

    #[test]
    fn keywords_without_effect_or_with_a_place() {
        finds(
            json!({
                "type": "object",
                "$comment": "a", "readOnly": true, "deprecated": true, "contentEncoding": "base64",
                "then": {}, "minContains": 1, "propertyNames": true,
                "unevaluatedProperties": false,
                "patternProperties": { r"^\d+$": { "type": "string" } },
            }),
            &[],
        );
        finds(json!({ "type": "string", "not": { "enum": ["a"] } }), &[]);
        finds(json!({ "type": "array", "uniqueItems": true, "items": { "type": "string" } }), &[]);
        finds(json!({ "const": { "a": 1 } }), &[]);
    }

    #[test]
    fn nothing_of_what_schemars_derives() {
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        #[serde(tag = "type", deny_unknown_fields)]
        enum Tagged {
            A { size: Option<u8> },
            B { names: std::collections::BTreeSet<String>, by_port: std::collections::BTreeMap<u16, bool> },
        }
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct All {
            #[serde(flatten)]
            tagged: Tagged,
            either: Option<Result<char, f32>>,
            pair: (u8, u8),
            array: [i64; 3],
            address: std::net::IpAddr,
            duration: std::time::Duration,
            range: std::ops::Range<u8>,
            bound: std::ops::Bound<u8>,
            not_zero: std::num::NonZeroI8,
        }
        finds(schema_for!(All).to_value(), &[]);
    }
}
