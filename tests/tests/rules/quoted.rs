//! Rules in CEL as the server quotes them: whole Go structs, which crdkit's answers leave out.
//!
//! Of the root of a schema and of the list of versions it quotes structs too, with a hundred fields for each schema in them: they
//! say no more than the definition does, and are not compared.

use crdkit_tests::Cause;
use serde_json::{Value, json};

/// Where a quoted rule differs from the one that the definition has there.
pub(crate) fn difference(cause: &Cause, crd: &Value) -> Option<String> {
    let at = cause.message.find(r#"{"Rule":"#)?;
    let mut values = serde_json::Deserializer::from_str(&cause.message[at..]).into_iter::<Value>();
    let quoted = values.next()?.ok()?;
    let rule = rule_at(crd, &cause.field).map(as_go_has_it);
    (rule.as_ref() != Some(&quoted)).then(|| format!("quoted: {quoted}, not {rule:?}"))
}

/// The rule that a field of the server is a part of.
fn rule_at<'c>(crd: &'c Value, field: &str) -> Option<&'c Value> {
    let (version, path) = match field.strip_prefix("spec.validation.openAPIV3Schema") {
        Some(path) => (0, path),
        None => {
            let (version, path) = field.strip_prefix("spec.versions[")?.split_once(']')?;
            (
                version.parse().ok()?,
                path.strip_prefix(".schema.openAPIV3Schema")?,
            )
        }
    };
    let schema = &crd["spec"]["versions"][version]["schema"]["openAPIV3Schema"];
    let (path, _) = path.rsplit_once('.')?;
    step(schema, path)
}

/// Where a path leads; names in brackets may have dots.
fn step<'c>(value: &'c Value, path: &str) -> Option<&'c Value> {
    let Some(rest) = path.strip_prefix('.') else {
        return path.is_empty().then_some(value);
    };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let value = value.get(name)?;
    let Some((key, rest)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) else {
        return step(value, rest);
    };
    match value {
        Value::Array(items) => step(items.get(key.parse::<usize>().ok()?)?, rest),
        value => step(value.get(key)?, rest),
    }
}

fn as_go_has_it(rule: &Value) -> Value {
    let text = |name: &str| rule[name].as_str().unwrap_or_default().to_owned();
    json!({
        "Rule": text("rule"),
        "Message": text("message"),
        "MessageExpression": text("messageExpression"),
        "Reason": rule["reason"],
        "FieldPath": text("fieldPath"),
        "OptionalOldSelf": rule["optionalOldSelf"],
    })
}

#[test]
fn paths() {
    let crd = json!({ "spec": { "versions": [{ "schema": { "openAPIV3Schema": {
        "properties": { "a.b": { "items": { "x-kubernetes-validations": [{ "rule": "x" }] } } },
    } } }] } });
    let path = ".properties[a.b].items.x-kubernetes-validations[0].rule";
    for root in [
        "spec.validation.openAPIV3Schema",
        "spec.versions[0].schema.openAPIV3Schema",
    ] {
        let rule = rule_at(&crd, &format!("{root}{path}"));
        assert_eq!(rule, Some(&json!({ "rule": "x" })));
    }
    assert_eq!(rule_at(&crd, "spec.names"), None);
}
