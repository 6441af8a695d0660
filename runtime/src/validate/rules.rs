//! Rules about validation rules.

use std::iter;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, ValidationRule,
};

use super::Violations;
use crate::cel::{
    code::{paths, uses_old_self},
    names::escaped,
    values::are_seen,
};

/// From the server's rules on `x-kubernetes-validations`, as far as they are not about the types and the cost of expressions.
pub(super) fn check(
    schema: &JSONSchemaProps,
    path: &str,
    followed: bool,
    violations: &mut Violations,
) {
    let rules = schema.x_kubernetes_validations.as_deref();
    let rules = rules.unwrap_or_default();
    if !rules.is_empty() && !are_seen(schema) {
        violations.add(
            path,
            "a rule needs a value whose type is known: put it on a value that has one",
        );
    }
    for (at, rule) in rules.iter().enumerate() {
        let text = &rule.rule;
        check_syntax("rule", text, path, violations);
        if let Some(text) = &rule.message_expression {
            check_syntax("`messageExpression`", text, path, violations);
        }
        check_seen(schema, rule, path, violations);
        if rules[..at].iter().any(|other| other.rule == *text) {
            violations.add(
                path,
                format!("the rule `{text}` is given twice, which server-side apply refuses"),
            );
        }
        if !followed && uses_old_self(text) {
            violations.add(
                path,
                format!(
                    "the rule `{text}` is about `oldSelf`, which is not known below a list whose \
                     items the server cannot tell apart: give the list keys, or remove the rule"
                ),
            );
        }
    }
}

/// A rule cannot use a field that may have any value.
fn check_seen(
    schema: &JSONSchemaProps,
    rule: &ValidationRule,
    path: &str,
    violations: &mut Violations,
) {
    let text = &rule.rule;
    let texts = iter::once(text).chain(&rule.message_expression);
    let mut unseen = texts
        .flat_map(|text| paths(text))
        .filter_map(|names| unseen(schema, &names));
    if let Some(name) = unseen.next() {
        violations.add(
            path,
            format!(
                "the rule `{text}` is about `{name}`, which can be any value, so that rules do not see it: \
                 remove the rule, or give the field a schema that says what it is"
            ),
        );
    }
}

/// The first field on a path that rules do not see, under the name that it has in JSON.
fn unseen<'a>(mut schema: &'a JSONSchemaProps, names: &[String]) -> Option<&'a str> {
    for name in names {
        let mut properties = schema.properties.iter().flatten();
        let (field, property) = properties.find(|(it, _)| escaped(it).as_ref() == Some(name))?;
        if !are_seen(property) {
            return Some(field);
        }
        schema = property;
    }
    None
}

fn check_syntax(what: &str, text: &str, path: &str, violations: &mut Violations) {
    if let Some(error) = syntax_error(text) {
        violations.add(
            path,
            format!("the {what} `{text}` is no expression in CEL: {error}"),
        );
    }
}

#[cfg(feature = "cel")]
use crate::cel::process::syntax_error;

/// Without the feature the text of rules is left to the server.
#[cfg(not(feature = "cel"))]
fn syntax_error(_: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::validate::tests::of_spec;

    #[test]
    fn what_was_before_a_change() {
        let rule = json!([{ "rule": "self == oldSelf" }]);
        let item = json!({
            "type": "object", "required": ["name"],
            "properties": { "name": { "type": "string", "x-kubernetes-validations": rule } },
        });
        let keyed = json!({
            "type": "array", "items": item,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        });
        let plain = json!({ "type": "array", "items": item });
        let map = json!({ "type": "object", "additionalProperties": item });
        assert!(of_spec(item).is_empty());
        assert!(of_spec(keyed.clone()).is_empty());
        assert!(of_spec(map).is_empty());
        for lost in [plain, json!({ "type": "array", "items": keyed })] {
            let found = of_spec(lost);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains("is about `oldSelf`"), "{found:?}");
        }
    }

    #[test]
    fn rules_of_one_text() {
        let rules = json!([{ "rule": "self != ''" }, { "rule": "self != ''", "message": "b" }]);
        let found = of_spec(json!({ "type": "string", "x-kubernetes-validations": rules }));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("given twice"), "{found:?}");
    }

    #[test]
    fn fields_of_any_value() {
        let rules = |texts: &[&str]| {
            let rules: Vec<_> = texts.iter().map(|text| json!({ "rule": text })).collect();
            of_spec(json!({
                "type": "object",
                "properties": {
                    "any": { "x-kubernetes-preserve-unknown-fields": true },
                    "any-list": {
                        "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true },
                    },
                    "object": {
                        "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                        "properties": { "any": { "x-kubernetes-preserve-unknown-fields": true } },
                    },
                    "mixed": { "x-kubernetes-int-or-string": true },
                },
                "x-kubernetes-validations": rules,
            }))
        };
        let seen = [
            "has(self.object)",
            "type(self.mixed) == int",
            "'self.any' != ''",
        ];
        assert_eq!(rules(&seen), Vec::<String>::new());
        for (rule, name) in [
            ("has(self.any)", "any"),
            ("self.any == oldSelf.any", "any"),
            ("self.any__dash__list.size() > 0", "any-list"),
            ("self.object.any == 1", "any"),
        ] {
            let found = rules(&[rule]);
            assert_eq!(found.len(), 1, "{rule}: {found:?}");
            assert!(
                found[0].contains(&format!("is about `{name}`, which can be any value")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn lists_of_any_value() {
        let found = of_spec(json!({
            "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true },
            "x-kubernetes-validations": [{ "rule": "self == oldSelf" }],
        }));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("a rule needs a value"), "{found:?}");
    }
}
