//! Validation of definitions in JSON, which the API server decodes strictly.

use crdkit_core::rules::decode;
use serde_json::Value;

use crate::crd::validate::{Violation, depth, read, validate};

/// Returns all rule violations of a definition in JSON, or in YAML that was converted to JSON.
///
/// With strict field validation, which `kubectl` and server-side apply use, the API server rejects unknown fields and
/// values of the wrong type. Deserializing a
/// [`CustomResourceDefinition`](k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition)
/// drops the former, and fails for the latter.
///
/// ```
/// let crd = serde_json::json!({
///     "metadata": { "name": "ats.example.com" },
///     "spec": {
///         "group": "example.com",
///         "names": { "kind": "At", "plural": "ats" },
///         "scope": "Namespaced",
///         "versions": [{
///             "name": "v1", "served": true, "storage": true,
///             "schema": { "openAPIV3Schema": { "type": "object", "properties": {
///                 "spec": { "type": ["string", "null"], "maxlength": 10 },
///             } } },
///         }],
///     },
/// });
/// let violations = crdkit::validate::validate_json(&crd);
/// assert_eq!(
///     violations[0].to_string(),
///     "v1.spec: there is no field `maxlength`: did you mean `maxLength`?"
/// );
/// assert_eq!(violations[1].rule, "D1");
/// ```
pub fn validate_json(crd: &Value) -> Vec<Violation> {
    depth::with_stack_for(depth::of_json(crd), || validate_decoded(crd))
}

fn validate_decoded(crd: &Value) -> Vec<Violation> {
    let mut violations = Vec::new();
    let decoded = decode::definition(&read::json(crd), &mut |place, violation| {
        violations.push(Violation::new(place, violation));
    });
    let crd = match serde_json::from_value(read::to_serde(decoded)) {
        Ok(crd) => crd,
        Err(error) => {
            let unread = Violation::without_rule("the definition".to_owned(), error.to_string());
            violations.extend(violations.is_empty().then_some(unread));
            return violations;
        }
    };
    let unread: Vec<_> = violations
        .iter()
        .filter(|it| [decode::D4.id, decode::D12.id].contains(&it.rule))
        .map(|it| it.path.clone())
        .collect();
    let found = validate(&crd).into_iter();
    // A field that could not be decoded is not reported as missing.
    violations.extend(found.filter(|it| !unread.iter().any(|path| is_within(&it.path, path))));
    violations
}

fn is_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(crd: &Value) -> Vec<(&'static str, String)> {
        let violations = validate_json(crd).into_iter();
        let mut found: Vec<_> = violations.map(|it| (it.rule, it.path)).collect();
        found.sort_unstable();
        found
    }

    fn crd(spec: &Value) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": "ats.example.com", "creationTimestamp": null },
            "spec": {
                "group": "example.com",
                "names": { "kind": "At", "plural": "ats" },
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } },
                }],
            },
        })
    }

    #[test]
    fn what_is_good_and_what_is_not() {
        // Null in an `enum` is kept.
        let spec = json!({ "type": "string", "default": "a", "enum": ["a", null] });
        assert_eq!(found(&crd(&json!({ "type": "object", "properties": { "a": spec } }))), []);
        let spec = json!({ "type": "object", "properties": {
            "a": true,
            "b": { "type": ["string", "null"], "pattern": 3 },
            "c": { "type": "array", "items": true },
            "d": { "type": "array", "items": { "type": "string", "const": "a" } },
            "e": {},
        } });
        let violations = [
            ("D1", "v1.spec.b"),
            ("D12", "v1.spec.b"),
            ("D13", "v1.spec.d[]"),
            ("D4", "v1.spec.a"),
            ("D5", "v1.spec.c"),
            ("S1", "v1.spec.c"),
            ("S2", "v1.spec.e"),
        ];
        let expected = violations.map(|(rule, path)| (rule, path.to_owned()));
        assert_eq!(found(&crd(&spec)), expected);
    }

    #[test]
    fn what_cannot_be_read_is_not_missing() {
        let mut definition = crd(&json!({ "type": "object", "properties": { "a": { "type": "string" } } }));
        definition["spec"]["scope"] = json!(1);
        assert_eq!(found(&definition), [("D12", "spec.scope".to_owned())]);
        let nothing = found(&json!([]));
        assert!(nothing.contains(&("D12", String::new())), "{nothing:?}");
    }
}
