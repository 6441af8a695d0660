//! Changes of definitions and their versions.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::crd::compare::tests::*;

fn version(name: &str) -> Value {
    let spec = object(json!({ "size": { "type": "integer" }, "phase": { "type": "string" } }));
    json!({
        "name": name, "served": true, "storage": name == "v1",
        "schema": { "openAPIV3Schema": object(json!({ "spec": spec })) },
    })
}

fn definition(edit: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let mut crd = json!({
        "metadata": { "name": "vms.example.com" },
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": { "plural": "vms", "kind": "Vm" },
            "versions": [version("v1"), version("v2")],
        },
    });
    edit(&mut crd["spec"]);
    serde_json::from_value(crd).unwrap()
}

/// Returns the severity and the text of each change.
fn reviewed(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<String> {
    let changes = definition_changes(old, new).into_iter();
    changes.map(|change| format!("{}: {change}", change.severity().name())).collect()
}

#[test]
fn each_part_of_a_definition() {
    let plain = || definition(|_| ());
    let first = |key: &'static str, value: Value| definition(move |spec| spec["versions"][0][key] = value);
    let column = |path: &str| json!([{ "name": "Size", "type": "integer", "jsonPath": path }]);
    let scale = |path: &str| {
        let scale = json!({ "specReplicasPath": path, "statusReplicasPath": ".status.replicas" });
        json!({ "scale": scale })
    };
    let webhook = || definition(|spec| spec["conversion"] = json!({ "strategy": "Webhook" }));
    let short = || definition(|spec| spec["names"]["shortNames"] = json!(["v"]));
    for (old, new, expected) in vec![
        (
            plain(),
            definition(|spec| spec["scope"] = json!("Namespaced")),
            "breaking: the scope changes from Cluster to Namespaced",
        ),
        (plain(), definition(|spec| spec["names"]["kind"] = json!("VM")), "breaking: the kind changes from Vm to VM"),
        (plain(), short(), "compatible: the short name `v` is added"),
        (short(), plain(), "risky: the short name `v` is removed"),
        (
            plain(),
            definition(|spec| spec["names"]["listKind"] = json!("Vms")),
            "risky: the list kind changes from VmList to Vms",
        ),
        (plain(), webhook(), "risky: the conversion changes from None to Webhook"),
        (webhook(), plain(), "breaking: the conversion changes from Webhook to None"),
        (plain(), first("deprecated", json!(true)), "compatible: version `v1`: the version is deprecated"),
        (
            plain(),
            first("subresources", json!({ "status": {} })),
            "breaking: version `v1`: the status subresource is added",
        ),
        (
            first("subresources", json!({ "status": {} })),
            plain(),
            "breaking: version `v1`: the status subresource is removed",
        ),
        (plain(), first("subresources", scale(".spec.a")), "compatible: version `v1`: the scale subresource is added"),
        (first("subresources", scale(".spec.a")), plain(), "breaking: version `v1`: the scale subresource is removed"),
        (
            first("subresources", scale(".spec.a")),
            first("subresources", scale(".spec.b")),
            "risky: version `v1`: specReplicasPath of the scale subresource changes from .spec.a to .spec.b",
        ),
        (
            plain(),
            first("additionalPrinterColumns", column(".a")),
            "compatible: version `v1`: the column `Size` is added",
        ),
        (first("additionalPrinterColumns", column(".a")), plain(), "risky: version `v1`: the column `Size` is removed"),
        (
            plain(),
            first("selectableFields", json!([{ "jsonPath": ".spec.phase" }])),
            "compatible: version `v1`: the selectable field `.spec.phase` is added",
        ),
        (
            first("selectableFields", json!([{ "jsonPath": ".spec.phase" }])),
            plain(),
            "breaking: version `v1`: the selectable field `.spec.phase` is removed",
        ),
    ] {
        assert_eq!(reviewed(&old, &new), [expected]);
    }
    let columns =
        reviewed(&first("additionalPrinterColumns", column(".a")), &first("additionalPrinterColumns", column(".b")));
    assert!(columns[0].starts_with("risky: version `v1`: the column `Size` changes from {"), "{columns:?}");
    assert!(reviewed(&plain(), &plain()).is_empty());

    let mut same_names = column(".a");
    same_names.as_array_mut().unwrap().extend(column(".b").as_array().cloned().unwrap());
    let same_names = first("additionalPrinterColumns", same_names);
    assert!(reviewed(&same_names, &same_names).is_empty());
}

#[test]
fn versions_are_added_and_removed() {
    let only = |name: &'static str| {
        definition(move |spec| {
            spec["versions"] = json!([version(name)]);
            spec["versions"][0]["storage"] = json!(true);
        })
    };
    assert_eq!(
        reviewed(&only("v1"), &only("v2")),
        [
            "breaking: version `v1`: the version is removed, in which objects may be stored",
            "risky: the storage version changes from v1 to v2",
            "breaking: version `v1`: the version is no longer served",
            "compatible: version `v2`: the version is added",
        ]
    );
    let unserved = || definition(|spec| spec["versions"][1]["served"] = json!(false));
    assert_eq!(reviewed(&definition(|_| ()), &unserved()), ["breaking: version `v2`: the version is no longer served"]);
    let emptied = definition(|spec| {
        spec["versions"][1]["served"] = json!(false);
        spec["versions"][1]["schema"]["openAPIV3Schema"] = object(json!({}));
    });
    assert_eq!(reviewed(&unserved(), &emptied), ["compatible: version `v2`: `.spec` is removed"]);
}

#[test]
fn versions_that_differ_need_a_conversion() {
    let differ = |spec: &mut Value| {
        spec["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["image"] =
            json!({ "type": "string" });
    };
    let changes = reviewed(&definition(|_| ()), &definition(differ));
    assert_eq!(
        changes,
        [
            "compatible: version `v2`: `.spec.image` is added",
            "breaking: version `v1`: differs from version `v2`, without a conversion: `.spec.image` is removed",
        ]
    );
    assert!(reviewed(&definition(differ), &definition(differ)).is_empty());
}

#[test]
fn definitions_are_added_and_removed() {
    let old = [definition(|_| ())];
    let changes = set_changes(&old, &[]);
    assert_eq!((changes[0].name.as_str(), changes[0].changes[0].is_breaking()), ("vms.example.com", true));
    assert_eq!(set_changes(&[], &old)[0].changes[0].to_string(), "the definition is added");
    assert!(set_changes(&old, &old).is_empty());
}
