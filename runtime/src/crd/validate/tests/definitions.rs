//! Definitions with one error each.

use serde_json::{Value, json};

use crate::crd::validate::tests::validate;

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
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "a": { "type": "string" } } } });
    json!({ "name": name, "served": true, "storage": storage, "schema": schema })
}

/// Returns the violations of the definition with these values at these pointers.
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
        vec![("/spec/names/kind", json!("Foot2"))],
        vec![("/spec/group", json!("1.example.com")), ("/metadata/name", json!("feet.1.example.com"))],
        vec![
            ("/spec/versions/1/deprecated", json!(true)),
            ("/spec/versions/1/deprecationWarning", json!("use v1, für immer")),
        ],
    ] {
        assert_eq!(found(&changes), [""; 0], "{changes:?}");
    }
}

#[test]
fn names() {
    const FORM: &str =
        "expected lower-case letters, digits and `-`, starting with a letter and not ending with `-`, such as";
    const KIND: &str = "is not a valid kind: expected ASCII letters, digits and `-`, starting with a letter and not ending with \
                        `-`, such as `VirtualMachine`";
    for (pointer, value, message) in [
        (
            "/metadata/name",
            json!("x"),
            "metadata.name: `x` must be `feet.example.com`, the plural and the group".to_owned(),
        ),
        (
            "/spec/scope",
            json!("Global"),
            "spec.scope: `Global` is not a scope: write `Cluster` or `Namespaced`".to_owned(),
        ),
        (
            "/spec/names/singular",
            json!("foot."),
            format!("spec.names.singular: `foot.` is not a valid singular name: {FORM} `virtualmachine`"),
        ),
        (
            "/spec/names/shortNames",
            json!(["ft", "Ft"]),
            format!("spec.names.shortNames[1]: `Ft` is not a valid short name: {FORM} `vm`"),
        ),
        (
            "/spec/names/categories",
            json!(["1"]),
            format!("spec.names.categories[0]: `1` is not a valid category: {FORM} `all`"),
        ),
        ("/spec/names/kind", json!("Foo_t"), format!("spec.names.kind: `Foo_t` {KIND}")),
        ("/spec/names/listKind", json!("Feet-"), format!("spec.names.listKind: `Feet-` {KIND}")),
        (
            "/spec/names/listKind",
            json!("Foot"),
            "spec.names.listKind: the list kind cannot be the kind itself: remove it to use `FootList`".to_owned(),
        ),
        (
            "/spec/preserveUnknownFields",
            json!(true),
            "spec.preserveUnknownFields: must not be true: write `x-kubernetes-preserve-unknown-fields` in the schema"
                .to_owned(),
        ),
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
            "spec.group: the API group `example` has no dot: add a domain, as in `example.example.com`",
        ),
        (
            "Example.com",
            "feet",
            "spec.group: `Example.com` is not a valid API group: expected a lower-case DNS subdomain with at least one dot, such as `example.com`",
        ),
        (
            "example.com",
            "Feet",
            "spec.names.plural: `Feet` is not a valid plural name: expected lower-case letters, digits and `-`, starting with a letter and not ending with `-`, such as `virtualmachines`",
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
            "spec.versions[1].name: `V2` is not a valid version: expected lower-case letters, digits and `-`, starting with a letter and not ending with `-`, such as `v1alpha1`",
        ),
        ("/spec/versions/1", version("v1", false), "spec.versions[1].name: there are two versions `v1`"),
        (
            "/spec/versions/1",
            version("v2", true),
            "spec.versions: only one version can be the storage version, not both `v1` and `v2`",
        ),
        ("/spec/versions/0", version("v1", false), "spec.versions: no version is the storage version: one must be"),
        (
            "/spec/versions/1/deprecationWarning",
            json!("old"),
            "v2.deprecationWarning: the version is not deprecated: set `deprecated`, or remove the warning",
        ),
    ] {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut definition = definition();
        match definition.pointer_mut(parent).unwrap() {
            Value::Array(versions) => versions[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        let violations = validate(&serde_json::from_value(definition).unwrap());
        assert_eq!(violations.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
    }
}

#[test]
fn warnings() {
    for (warning, message) in [
        (
            String::new(),
            "v2.deprecationWarning: the warning is empty: remove it to use the default warning of the \
                         server",
        ),
        ("x".repeat(257), "v2.deprecationWarning: the warning has 257 bytes: at most 256 are allowed"),
        (
            "a\nb".to_owned(),
            "v2.deprecationWarning: the warning has the character U+000A at 1, which cannot be printed",
        ),
    ] {
        let changes =
            [("/spec/versions/1/deprecated", json!(true)), ("/spec/versions/1/deprecationWarning", json!(warning))];
        assert_eq!(found(&changes), [message]);
    }
}

#[test]
fn groups_of_kubernetes_need_an_approval() {
    let changes = |approval: &str| {
        [
            ("/spec/group", json!("snapshot.storage.k8s.io")),
            ("/metadata/name", json!("feet.snapshot.storage.k8s.io")),
            ("/metadata/annotations", json!({ "api-approved.kubernetes.io": approval })),
        ]
    };
    for approval in ["https://github.com/kubernetes/enhancements/pull/1111", "unapproved, for tests"] {
        assert_eq!(found(&changes(approval)), [""; 0], "{approval}");
    }
    for approval in ["", "yes", "https:///pull/1"] {
        let found = found(&changes(approval));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("is reserved by Kubernetes"), "{found:?}");
    }
}

#[test]
fn scales_and_selectable_fields() {
    let spec = json!({ "type": "object", "properties": {
        "size": { "type": "string" }, "list": { "type": "array", "items": { "type": "string" } },
        "map": { "type": "object", "additionalProperties": { "type": "string" } },
    } });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    let found = found(&[
        ("/spec/versions/1/schema/openAPIV3Schema", schema),
        (
            "/spec/versions/1/selectableFields",
            json!([
                { "jsonPath": ".spec.size" }, { "jsonPath": ".spec.map" }, { "jsonPath": ".spec.size" },
                { "jsonPath": r".spec.dotted\.name" }, { "jsonPath": ".spec.map.a" }, { "jsonPath": ".kind" },
            ]),
        ),
        (
            "/spec/versions/1/subresources",
            json!({ "scale": {
            "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.x", "labelSelectorPath": ".spec.none",
        } }),
        ),
    ]);
    assert_eq!(
        found,
        [
            "v2.selectableFields[1].jsonPath: the server selects by strings, booleans and integers only, but `.spec.map` is \
             an object",
            "v2.selectableFields[2].jsonPath: the path `.spec.size` is given twice",
            "v2.selectableFields[3].jsonPath: the server does not find a field if its name, or that of a parent, has \
             a dot or another special character",
            "v2.selectableFields[5].jsonPath: there is no field `.kind`",
            "v2.subresources.scale.specReplicasPath: the scale subresource requires an integer, but `.spec.size` is a \
             string",
            "v2.subresources.scale.labelSelectorPath: there is no field `.spec.none`, so that autoscalers \
             cannot find the pods",
        ]
    );
}
