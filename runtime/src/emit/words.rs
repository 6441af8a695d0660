//! What a schema requires of a value, in words.

use crdkit_core::schema::{AppliesTo, CountBound, Side};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, JSONSchemaPropsOrBool,
};

use crate::{
    props::{count, items, values},
    structural::{maximum, minimum},
};

/// Returns the type, such as `integer (int32)`, `list of string` or `map of integer`.
pub(super) fn type_text(schema: &Props) -> String {
    if schema.x_kubernetes_int_or_string == Some(true) {
        return "integer or string".to_owned();
    }
    match schema.type_.as_deref() {
        Some("array") => match items(schema) {
            Some(items) => format!("list of {}", type_text(items)),
            None => "list".to_owned(),
        },
        Some("object") => match (values(schema), &schema.additional_properties) {
            _ if schema.x_kubernetes_embedded_resource == Some(true) => "resource".to_owned(),
            (Some(values), _) => format!("map of {}", type_text(values)),
            (None, Some(JSONSchemaPropsOrBool::Bool(true))) => "map".to_owned(),
            _ => "object".to_owned(),
        },
        Some(type_) => match &schema.format {
            Some(format) => format!("{type_} ({format})"),
            None => type_.to_owned(),
        },
        None => "any value".to_owned(),
    }
}

/// Returns what values must satisfy besides their type, one phrase for each keyword.
pub(super) fn constraints(schema: &Props) -> Vec<String> {
    let mut phrases = Vec::new();
    if let Some(allowed) = &schema.enum_ {
        let values: Vec<_> = allowed.iter().map(|value| format!("`{}`", plain(&value.0))).collect();
        phrases.push(match &values[..] {
            [only] => format!("only {only}"),
            values => format!("one of {}", values.join(", ")),
        });
    }
    numbers(schema, &mut phrases);
    for (applies_to, unit) in
        [(AppliesTo::Text, "character"), (AppliesTo::Lists, "item"), (AppliesTo::Objects, "field")]
    {
        counts(schema, applies_to, unit, &mut phrases);
    }
    if let Some(pattern) = &schema.pattern {
        phrases.push(format!("matches `{pattern}`"));
    }
    if schema.nullable == Some(true) {
        phrases.push("can be null".to_owned());
    }
    topology(schema, &mut phrases);
    for (keyword, branches) in
        [("all", &schema.all_of), ("at least one", &schema.any_of), ("exactly one", &schema.one_of)]
    {
        let required: Option<Vec<_>> = branches.iter().flatten().map(required_names).collect();
        match required.filter(|all| !all.is_empty()) {
            Some(names) if keyword != "all" => phrases.push(format!("{keyword} of {} is set", names.join(", "))),
            _ => {}
        }
    }
    phrases
}

/// Returns the CEL rules: each message, or the rule where it has none.
pub(super) fn rules(schema: &Props) -> Vec<(String, Option<String>)> {
    let rules = schema.x_kubernetes_validations.iter().flatten();
    rules.map(|rule| (rule.rule.trim().to_owned(), rule.message.clone())).collect()
}

/// Formats a JSON value, a string without quotes.
pub(super) fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn numbers(schema: &Props, phrases: &mut Vec<String>) {
    if let Some(bound) = minimum(schema) {
        phrases.push(format!("{} {}", if bound.exclusive { "more than" } else { "at least" }, bound.value));
    }
    if let Some(bound) = maximum(schema) {
        phrases.push(format!("{} {}", if bound.exclusive { "less than" } else { "at most" }, bound.value));
    }
    if let Some(factor) = schema.multiple_of {
        phrases.push(format!("a multiple of {factor}"));
    }
}

fn counts(schema: &Props, applies_to: AppliesTo, unit: &str, phrases: &mut Vec<String>) {
    let find = |side| CountBound::applying_to(applies_to).find(|bound| bound.side() == side);
    let value = |side| find(side).and_then(|bound| count(schema, bound));
    let unit = |count: i64| if count == 1 { unit.to_owned() } else { format!("{unit}s") };
    match (value(Side::Min).filter(|min| *min > 0), value(Side::Max)) {
        (Some(min), Some(max)) if min == max => phrases.push(format!("exactly {min} {}", unit(min))),
        (Some(min), Some(max)) => phrases.push(format!("{min} to {max} {}", unit(max))),
        (Some(min), None) => phrases.push(format!("at least {min} {}", unit(min))),
        (None, Some(max)) => phrases.push(format!("at most {max} {}", unit(max))),
        (None, None) => {}
    }
}

fn topology(schema: &Props, phrases: &mut Vec<String>) {
    let keys = schema.x_kubernetes_list_map_keys.as_deref().unwrap_or_default();
    match schema.x_kubernetes_list_type.as_deref() {
        Some("set") => phrases.push("unique items".to_owned()),
        Some("map") => {
            let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            phrases.push(format!("items are unique by {}", keys.join(" and ")));
        }
        _ => {}
    }
    if schema.x_kubernetes_map_type.as_deref() == Some("atomic") {
        phrases.push("server-side apply replaces it as a whole".to_owned());
    }
    if schema.x_kubernetes_preserve_unknown_fields == Some(true) && schema.type_.is_some() {
        phrases.push("unknown fields are kept".to_owned());
    }
}

/// Returns the fields that a branch requires, if it requires nothing else.
fn required_names(branch: &Props) -> Option<String> {
    let names = branch.required.as_ref()?;
    let only = Props { required: branch.required.clone(), ..Props::default() };
    (*branch == only).then(|| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn schema(value: Value) -> Props {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn types_have_names() {
        for (value, expected) in [
            (json!({ "type": "integer", "format": "int32" }), "integer (int32)"),
            (json!({ "type": "array", "items": { "type": "string" } }), "list of string"),
            (json!({ "type": "object", "additionalProperties": { "type": "integer" } }), "map of integer"),
            (json!({ "type": "object", "properties": {} }), "object"),
            (json!({ "x-kubernetes-int-or-string": true }), "integer or string"),
            (json!({ "x-kubernetes-preserve-unknown-fields": true }), "any value"),
        ] {
            assert_eq!(type_text(&schema(value)), expected);
        }
    }

    #[test]
    fn each_keyword_has_a_phrase() {
        for (value, expected) in [
            (json!({ "enum": ["a", 1] }), "one of `a`, `1`"),
            (json!({ "minimum": 1, "maximum": 3, "exclusiveMaximum": true }), "at least 1; less than 3"),
            (json!({ "multipleOf": 5 }), "a multiple of 5"),
            (json!({ "minLength": 1 }), "at least 1 character"),
            (json!({ "minItems": 1, "maxItems": 3 }), "1 to 3 items"),
            (json!({ "minProperties": 2, "maxProperties": 2 }), "exactly 2 fields"),
            (json!({ "pattern": "^a$", "nullable": true }), "matches `^a$`; can be null"),
            (
                json!({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] }),
                "items are unique by `a` and `b`",
            ),
            (json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }), "exactly one of `a`, `b` is set"),
        ] {
            assert_eq!(constraints(&schema(value)).join("; "), expected);
        }
    }
}
