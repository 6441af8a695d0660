//! Field names in the form that the evaluator requires: unlike the server, it doubles each `_`.

use std::collections::BTreeMap;

use serde_json::Value;

use crdkit_core::literal::cel::escaped;

/// Renames fields in the rules of a schema.
pub(super) fn rename(schema: &mut Value) {
    let mut names = BTreeMap::new();
    collect(schema, &mut names);
    if !names.is_empty() {
        rewrite(schema, &names);
    }
}

/// Collects the field names in rules that have a different form in the evaluator.
fn collect(schema: &Value, names: &mut BTreeMap<String, String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(ours) = escaped(name)
            && name.contains('_')
        {
            let theirs =
                name.replace('_', "__").replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__");
            names.insert(ours, theirs);
        }
        collect(property, names);
    }
    for below in ["items", "additionalProperties"] {
        if schema[below].is_object() {
            collect(&schema[below], names);
        }
    }
}

fn rewrite(schema: &mut Value, names: &BTreeMap<String, String>) {
    let Value::Object(members) = schema else {
        return;
    };
    for rule in members.get_mut("x-kubernetes-validations").and_then(Value::as_array_mut).into_iter().flatten() {
        for part in ["rule", "messageExpression"] {
            if let Some(Value::String(text)) = rule.get_mut(part) {
                *text = rename_in(text, names);
            }
        }
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.values_mut().for_each(|property| rewrite(property, names));
    }
    for below in ["items", "additionalProperties"] {
        if let Some(schema) = members.get_mut(below) {
            rewrite(schema, names);
        }
    }
}

/// Renames fields after a dot in the expression; string literals are unchanged.
fn rename_in(expression: &str, names: &BTreeMap<String, String>) -> String {
    replace_identifiers(expression, |name, is_field| names.get(name).filter(|_| is_field).map(String::as_str))
}

/// Replaces `oldSelf` in the expression.
pub(super) fn without_old_self(expression: &str, instead: &str) -> String {
    replace_identifiers(expression, |name, is_field| (name == "oldSelf" && !is_field).then_some(instead))
}

/// Replaces identifiers in the expression with the result of `instead`, whose second argument is whether the identifier
/// follows a dot. String literals are unchanged.
fn replace_identifiers<'w>(expression: &str, mut instead: impl FnMut(&str, bool) -> Option<&'w str>) -> String {
    let mut replaced = String::new();
    let mut rest = expression;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\'' | '"' => text(rest, letter),
            letter if is_identifier_char(letter) => rest.find(|it| !is_identifier_char(it)).unwrap_or(rest.len()),
            letter => letter.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_field = replaced.trim_end().ends_with('.');
        replaced.push_str(instead(token, is_field).unwrap_or(token));
        rest = after;
    }
    replaced
}

/// Returns the length of the string literal that starts with this quote.
fn text(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.len()
}

fn is_identifier_char(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn old_self_is_replace_identifiers() {
        assert_eq!(
            without_old_self("oldSelf.hasValue() || self.oldSelf == 'oldSelf'", "a"),
            "a.hasValue() || self.oldSelf == 'oldSelf'"
        );
    }

    #[test]
    fn fields_are_renamed() {
        let rule = |rule: &str| json!([{ "rule": rule, "message": "self.a_b" }]);
        let mut schema = json!({
            "properties": {
                "a_b": {}, "c": { "items": { "x-kubernetes-validations": rule("self == 'a_b'") } },
                "d_-": { "additionalProperties": { "properties": { "e__f": {} } } },
            },
            "x-kubernetes-validations": rule(
                "has(self.a_b) || self.c.all(a_b, a_b != '.a_b' && self.d___dash__.e__underscores__f > 'it\\'s .a_b')"
            ),
        });
        rename(&mut schema);
        assert_eq!(
            schema["x-kubernetes-validations"],
            rule("has(self.a__b) || self.c.all(a_b, a_b != '.a_b' && self.d____dash__.e____f > 'it\\'s .a_b')")
        );
        let items = &schema["properties"]["c"]["items"];
        assert_eq!(items["x-kubernetes-validations"], rule("self == 'a_b'"));
    }
}
