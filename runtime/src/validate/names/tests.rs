//! Definitions with one mistake each.

use serde_json::{Value, json};

use crate::validate::validate;

fn definition() -> Value {
    json!({
        "metadata": { "name": "feet.example.com" },
        "spec": {
            "group": "example.com",
            "names": { "kind": "Foot", "plural": "feet", "shortNames": ["ft"], "categories": ["all"] },
            "scope": "Namespaced",
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

fn version(name: &str, storage: bool) -> Value {
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    json!({ "name": name, "served": true, "storage": storage, "schema": schema })
}

/// What is found once these parts have these values.
fn found(changes: &[(&str, Value)]) -> Vec<String> {
    let mut definition = definition();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = definition.pointer_mut(parent).unwrap();
        parent[key] = value.clone();
    }
    let violations = validate(&serde_json::from_value(definition).unwrap());
    violations.iter().map(ToString::to_string).collect()
}

#[test]
fn good_definitions() {
    for changes in [
        vec![],
        vec![("/spec/scope", json!("Cluster"))],
        vec![("/spec/names/kind", json!("Foot-2"))],
        vec![
            ("/spec/group", json!("1.example.com")),
            ("/metadata/name", json!("feet.1.example.com")),
        ],
        vec![
            ("/spec/versions/1/deprecated", json!(true)),
            (
                "/spec/versions/1/deprecationWarning",
                json!("use v1, für immer"),
            ),
        ],
    ] {
        assert_eq!(found(&changes), [""; 0], "{changes:?}");
    }
}

#[test]
fn names() {
    const LABEL: &str = "is no DNS label: at most 63 lower-case letters, digits and `-`, a letter first, no `-` last";
    const KIND: &str =
        "is no kind: at most 63 letters, digits and `-`, a letter first, no `-` last";
    for (pointer, value, message) in [
        ("/metadata/name", json!("x"), "metadata.name: `x` must be `feet.example.com`, the plural and the group".to_owned()),
        ("/spec/scope", json!("Global"), "spec.scope: `Global` is neither `Cluster` nor `Namespaced`".to_owned()),
        ("/spec/names/singular", json!("foot."), format!("spec.names.singular: `foot.` {LABEL}")),
        ("/spec/names/shortNames", json!(["ft", "Ft"]), format!("spec.names.shortNames[1]: `Ft` {LABEL}")),
        ("/spec/names/categories", json!(["1"]), format!("spec.names.categories[0]: `1` {LABEL}")),
        ("/spec/names/kind", json!("Foo_t"), format!("spec.names.kind: `Foo_t` {KIND}")),
        ("/spec/names/listKind", json!("Feet-"), format!("spec.names.listKind: `Feet-` {KIND}")),
        ("/spec/names/listKind", json!("Foot"), "spec.names.listKind: `Foot` is the kind too: give lists a kind of their own".to_owned()),
        ("/spec/preserveUnknownFields", json!(true), "spec.preserveUnknownFields: must not be true: say `x-kubernetes-preserve-unknown-fields` in the schema".to_owned()),
    ] {
        assert_eq!(found(&[(pointer, value)]), [message]);
    }
}

#[test]
fn groups_and_plurals() {
    for (group, plural, message) in [
        (
            "example",
            "feet",
            "spec.group: `example` has no dot: add a domain, as in `example.example.com`",
        ),
        (
            "Example.com",
            "feet",
            "spec.group: `Example.com` is no DNS name: lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of each part",
        ),
        (
            "example.com",
            "Feet",
            "spec.names.plural: `Feet` is no DNS label: at most 63 lower-case letters, digits and `-`, a letter first, no `-` last",
        ),
    ] {
        let changes = [
            ("/spec/group", json!(group)),
            ("/spec/names/plural", json!(plural)),
            ("/metadata/name", json!(format!("{plural}.{group}"))),
        ];
        assert_eq!(found(&changes), [message]);
    }
}

#[test]
fn a_kind_has_room_for_that_of_its_lists() {
    let kind = "F".repeat(60);
    let found = found(&[("/spec/names/kind", json!(kind))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("spec.names.listKind: "), "{found:?}");
}

#[test]
fn versions() {
    for (pointer, value, message) in [
        (
            "/spec/versions/1",
            version("V2", false),
            "spec.versions[1].name: `V2` is no DNS label: at most 63 lower-case letters, digits and `-`, a letter first, no `-` last",
        ),
        (
            "/spec/versions/1",
            version("v1", false),
            "spec.versions[1].name: there are two versions `v1`",
        ),
        (
            "/spec/versions/1",
            version("v2", true),
            "spec.versions: only one version can be the storage version, not v1, v2",
        ),
        (
            "/spec/versions/0",
            version("v1", false),
            "spec.versions: no version is the storage version: one must be",
        ),
        (
            "/spec/versions/1/deprecationWarning",
            json!("old"),
            "v2.deprecationWarning: the version is not deprecated",
        ),
    ] {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut definition = definition();
        match definition.pointer_mut(parent).unwrap() {
            Value::Array(versions) => versions[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        let violations = validate(&serde_json::from_value(definition).unwrap());
        assert_eq!(
            violations
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [message]
        );
    }
}

#[test]
fn warnings() {
    for (warning, message) in [
        (String::new(), "v2.deprecationWarning: the warning is empty"),
        (
            "x".repeat(257),
            "v2.deprecationWarning: the warning has 257 bytes, of 256",
        ),
        (
            "a\nb".to_owned(),
            r"v2.deprecationWarning: the warning has '\n', which cannot be printed",
        ),
    ] {
        let changes = [
            ("/spec/versions/1/deprecated", json!(true)),
            ("/spec/versions/1/deprecationWarning", json!(warning)),
        ];
        assert_eq!(found(&changes), [message]);
    }
}
