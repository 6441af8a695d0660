//! Parts of foreign schemas that have no structural schema.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

use crate::{
    crd::structural::{null, structural},
    error::RenderError,
    json::json_pointer::escaped,
};

/// Converts a schema and replaces parts without a structural schema with any value. Returns their errors too.
pub(super) fn with_opaque_parts(mut schema: Value) -> (JSONSchemaProps, Vec<RenderError>) {
    let mut opaque = Vec::new();
    loop {
        match structural(schema.clone()) {
            Ok(props) => return (props, opaque),
            Err(mut error) => {
                let (pointer, length) = nearest(&schema, &error.path);
                if let Some(part) = schema.pointer_mut(&pointer) {
                    *part = any(null::is_allowed(part));
                }
                error.path.truncate(length);
                opaque.push(error);
            }
        }
    }
}

fn any(nullable: bool) -> Value {
    let mut any = json!({ "x-kubernetes-preserve-unknown-fields": true });
    if nullable {
        any["nullable"] = true.into();
    }
    any
}

fn is_any(part: &Value) -> bool {
    [true, false].iter().any(|nullable| *part == any(*nullable))
}

/// Returns a pointer to the part at a path, or to the innermost enclosing part that is not in a branch and not yet any
/// value, and the length of the path to it.
fn nearest(schema: &Value, path: &str) -> (String, usize) {
    let mut pointer = String::new();
    let mut rest = path;
    while let Some((next, left)) = schema.pointer(&pointer).and_then(|part| step(part, rest)) {
        pointer.push_str(&next);
        rest = left;
    }
    (pointer, path.len() - rest.len())
}

/// Returns the first step of a path as a pointer, and the rest of the path.
fn step<'a>(schema: &Value, path: &'a str) -> Option<(String, &'a str)> {
    let of_items = path.strip_prefix("[]").map(|rest| ("items".to_owned(), rest));
    let of_values = path.strip_prefix("[*]").map(|rest| ("additionalProperties".to_owned(), rest));
    let (key, rest) = of_items.or(of_values).or_else(|| of_property(schema, path))?;
    let pointer = format!("/{key}");
    let part = schema.pointer(&pointer)?;
    (part.is_object() && !is_any(part)).then_some((pointer, rest))
}

fn of_property<'a>(schema: &Value, path: &'a str) -> Option<(String, &'a str)> {
    let path = path.strip_prefix('.')?;
    let names = schema.get("properties")?.as_object()?.keys();
    let (name, rest) = names
        .filter_map(|name| Some((name, path.strip_prefix(name.as_str())?)))
        .filter(|(_, rest)| rest.is_empty() || rest.starts_with(['.', '[']))
        .max_by_key(|(name, _)| name.len())?;
    Some((format!("properties/{}", escaped(name)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(schema: Value) -> (Value, Vec<String>) {
        let (props, opaque) = with_opaque_parts(schema);
        let opaque = opaque.into_iter().map(|error| error.path).collect();
        (json!(props), opaque)
    }

    #[test]
    fn only_what_has_no_form_is_opaque() {
        let mixed = json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] });
        let text = json!({ "type": "string" });
        let schema = json!({ "type": "object", "properties": {
            "a": text,
            "a.b": mixed,
            "list": { "type": "array", "items": { "type": "object", "properties": { "c/d": mixed } } },
            "map": { "type": "object", "additionalProperties": mixed },
            "itself": { "$ref": "#" },
        } });
        let (props, opaque) = opened(schema);
        assert_eq!(
            props,
            json!({ "type": "object", "properties": {
                "a": text,
                "a.b": any(false),
                "list": { "type": "array", "items": { "type": "object", "properties": { "c/d": any(false) } } },
                "map": { "type": "object", "additionalProperties": any(false) },
                "itself": any(false),
            } })
        );
        assert_eq!(opaque, [".a.b", ".itself", ".list[].c/d", ".map[*]"]);
    }

    #[test]
    fn null_is_kept_where_it_is_allowed() {
        let types = [json!({ "type": "string" }), json!({ "type": "object" })];
        let [text, object] = &types;
        let optional = json!({ "anyOf": [{ "anyOf": types }, { "type": "null" }] });
        assert_eq!(opened(optional).0, any(true));
        let beside = json!({ "anyOf": [text, object, { "const": null }] });
        assert_eq!(opened(beside).0, any(true));
        assert_eq!(opened(json!({ "type": ["boolean", "object", "null"] })).0, any(true));
        assert_eq!(opened(json!({ "anyOf": types, "nullable": true })).0, any(true));
        assert_eq!(opened(json!({ "oneOf": types })).0, any(false));
    }

    #[test]
    fn what_stands_in_a_branch_makes_the_whole_opaque() {
        let branch = |type_: &str| json!({ "type": "object", "properties": { "a": { "type": type_ } } });
        let schema = json!({ "anyOf": [branch("string"), branch("object")] });
        let (props, opaque) = opened(schema);
        assert_eq!(props, any(false));
        assert_eq!(opaque, [""]);
    }

    #[test]
    fn what_stays_wrong_makes_what_is_around_it_opaque() {
        let value = |type_: &str| json!({ "properties": { "value": { "type": type_ } } });
        let beside = json!({
            "type": "object",
            "properties": { "value": {} },
            "oneOf": [value("string"), value("object")],
        });
        let (props, opaque) = opened(beside);
        assert_eq!(props, any(false));
        assert_eq!(opaque, [".value", ""]);
        let mixed = json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] });
        let dotted = json!({ "type": "object", "properties": {
            "a": { "type": "object", "properties": { "b": mixed } },
            "a.b": { "type": "string" },
        } });
        assert_eq!(opened(dotted).1.last().unwrap(), "");
        let mut deep = json!({ "type": "string" });
        for _ in 0..100 {
            deep = json!({ "type": "object", "properties": { "a": deep } });
        }
        let (_, opaque) = opened(deep);
        assert!(opaque.len() < 100, "{opaque:?}");
    }
}
