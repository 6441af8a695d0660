//! What a schema requires of a value, in words.

use crdkit::__internal::{
    crd_accessors::{count, items, values},
    emit::phrase::Phrase,
    structural::{maximum, minimum},
};
use crdkit_core::schema::{AppliesTo, CountBound, Side};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, JSONSchemaPropsOrBool,
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
pub(super) fn constraints(schema: &Props) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    if let Some(allowed) = &schema.enum_ {
        let start = if allowed.len() == 1 { "only " } else { "one of " };
        phrases.push(Phrase::of(start).codes(allowed.iter().map(|value| plain(&value.0)), ", "));
    }
    numbers(schema, &mut phrases);
    for (applies_to, unit) in
        [(AppliesTo::Text, "character"), (AppliesTo::Lists, "item"), (AppliesTo::Objects, "field")]
    {
        counts(schema, applies_to, unit, &mut phrases);
    }
    if let Some(pattern) = &schema.pattern {
        phrases.push(Phrase::of("matches ").code(pattern));
    }
    if schema.nullable == Some(true) {
        phrases.push(Phrase::of("can be null"));
    }
    topology(schema, &mut phrases);
    for (keyword, branches) in
        [("all", &schema.all_of), ("at least one", &schema.any_of), ("exactly one", &schema.one_of)]
    {
        let required: Option<Vec<_>> = branches.iter().flatten().map(required_names).collect();
        match required.filter(|all| !all.is_empty()) {
            Some(names) if keyword != "all" => {
                let start = Phrase::of(format!("{keyword} of "));
                let all = names.into_iter().enumerate().fold(start, |phrase, (at, names)| {
                    phrase.text(if at == 0 { "" } else { ", " }).codes(names, " and ")
                });
                phrases.push(all.text(" is set"));
            }
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

fn numbers(schema: &Props, phrases: &mut Vec<Phrase>) {
    let mut push = |text| phrases.push(Phrase::of(text));
    if let Some(bound) = minimum(schema) {
        push(format!("{} {}", if bound.exclusive { "more than" } else { "at least" }, bound.value));
    }
    if let Some(bound) = maximum(schema) {
        push(format!("{} {}", if bound.exclusive { "less than" } else { "at most" }, bound.value));
    }
    if let Some(factor) = schema.multiple_of {
        push(format!("a multiple of {factor}"));
    }
}

fn counts(schema: &Props, applies_to: AppliesTo, unit: &str, phrases: &mut Vec<Phrase>) {
    let find = |side| CountBound::applying_to(applies_to).find(|bound| bound.side() == side);
    let value = |side| find(side).and_then(|bound| count(schema, bound));
    let unit = |count: i64| if count == 1 { unit.to_owned() } else { format!("{unit}s") };
    let text = match (value(Side::Min).filter(|min| *min > 0), value(Side::Max)) {
        (Some(min), Some(max)) if min == max => format!("exactly {min} {}", unit(min)),
        (Some(min), Some(max)) => format!("{min} to {max} {}", unit(max)),
        (Some(min), None) => format!("at least {min} {}", unit(min)),
        (None, Some(max)) => format!("at most {max} {}", unit(max)),
        (None, None) => return,
    };
    phrases.push(Phrase::of(text));
}

fn topology(schema: &Props, phrases: &mut Vec<Phrase>) {
    let keys = schema.x_kubernetes_list_map_keys.as_deref().unwrap_or_default();
    match schema.x_kubernetes_list_type.as_deref() {
        Some("set") => phrases.push(Phrase::of("unique items")),
        Some("map") => phrases.push(Phrase::of("items are unique by ").codes(keys, " and ")),
        _ => {}
    }
    if schema.x_kubernetes_map_type.as_deref() == Some("atomic") {
        phrases.push(Phrase::of("server-side apply replaces it as a whole"));
    }
    if schema.x_kubernetes_preserve_unknown_fields == Some(true) && schema.type_.is_some() {
        phrases.push(Phrase::of("unknown fields are kept"));
    }
}

/// Returns the fields that a branch requires, if it requires nothing else.
fn required_names(branch: &Props) -> Option<&Vec<String>> {
    let only = Props { required: branch.required.clone(), ..Props::default() };
    branch.required.as_ref().filter(|_| *branch == only)
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
            let phrases: Vec<_> = constraints(&schema(value)).iter().map(Phrase::to_string).collect();
            assert_eq!(phrases.join("; "), expected);
        }
    }
}
