use proptest::prelude::*;
use serde_json::{Value, json};

use crate::crd::merge::*;

fn crd(version: &str, storage: bool, schema: Value) -> CustomResourceDefinition {
    serde_json::from_value(json!({
        "metadata": { "name": "ats.example.com" },
        "spec": {
            "group": "example.com",
            "names": { "kind": "At", "plural": "ats" },
            "scope": "Namespaced",
            "versions": [{
                "name": version,
                "served": true,
                "storage": storage,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    }))
    .unwrap()
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn spec(properties: Value) -> Value {
    object(json!({ "spec": object(properties) }))
}

fn map(values: Value) -> Value {
    json!({ "type": "object", "additionalProperties": values })
}

fn names(crd: &CustomResourceDefinition) -> Vec<&str> {
    crd.spec.versions.iter().map(|version| version.name.as_str()).collect()
}

fn order(versions: &[&str]) -> Vec<String> {
    let empty = Versions::new().storage(versions[0]);
    let all = versions.iter().fold(empty, |all, version| all.add_crd(*version, crd(version, false, object(json!({})))));
    let crd = all.merge().unwrap().crd;
    crd.spec.versions.into_iter().map(|version| version.name).collect()
}

fn merge_error(v1: CustomResourceDefinition, v2: CustomResourceDefinition) -> String {
    let versions = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2);
    versions.merge().unwrap_err().to_string()
}

/// Returns the lost paths of two versions: those that only the first one has, and those that only the second one has.
fn pruning(storage: Value, other: Value) -> Option<(Vec<String>, Vec<String>)> {
    let versions =
        Versions::new().add_crd("v1::At", crd("v1", true, storage)).add_crd("v2::At", crd("v2", false, other));
    let warnings = versions.merge().unwrap().warnings;
    warnings.into_iter().next().map(|warning| match warning {
        Warning::FieldLoss { only_storage, only_other, .. } => (only_storage, only_other),
        other => panic!("{other}"),
    })
}

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn one_version_stays_as_it_is() {
    let v1 = crd("v1", true, object(json!({})));
    let merged = Versions::new().add_crd("v1::At", v1.clone()).merge().unwrap();
    assert_eq!(merged.crd, v1);
    assert_eq!(merged.warnings, []);
}

#[test]
fn versions_stand_in_order_of_priority() {
    let expected = [
        "v10",
        "v2",
        "v1",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v11alpha2",
        "bar",
        "foo1",
        "foo10",
        "v1beta",
    ];
    let mut shuffled = expected;
    shuffled.reverse();
    assert_eq!(order(&shuffled), expected);
}

proptest! {
    #[test]
    fn the_order_of_addition_does_not_matter(
        versions in Just(["v10", "v2", "v1", "v1beta2", "v1alpha1", "bar", "foo"]).prop_shuffle(),
    ) {
        prop_assert_eq!(order(&versions), ["v10", "v2", "v1", "v1beta2", "v1alpha1", "bar", "foo"]);
    }
}

#[test]
fn all_violations_are_reported_with_both_types() {
    let mut v1 = crd("v1", true, object(json!({})));
    v1.spec.names.short_names = Some(vec!["at".into()]);
    v1.metadata.labels = Some([("team".into(), "a".into())].into());
    let mut v2 = crd("v1", true, object(json!({})));
    v2.spec.scope = "Cluster".into();
    let message = merge_error(v1, v2);
    let lines: Vec<_> = message.lines().collect();
    let [labels, short_names, scope, version, storage] = lines[..] else { panic!("{message}") };
    let share = "all versions of a kind must have the same value";
    let differ = "`v1::At` and `v2::At` differ in";
    assert_eq!(labels, format!("{differ} `metadata.labels`: {{\"team\":\"a\"}} and {{}}; {share}"));
    assert_eq!(short_names, format!("{differ} `spec.names.shortNames`: [\"at\"] and []; {share}"));
    assert_eq!(scope, format!("{differ} `spec.scope`: \"Namespaced\" and \"Cluster\"; {share}"));
    assert_eq!(version, "`v1::At` and `v2::At` are both version `v1`; give each a different version");
    assert_eq!(
        storage,
        "`v1::At` and `v2::At` are both the storage version, but only one version can be; \
         write `storage = false` on the other, or choose with `store_as` (of `Versions` or `Hub`)"
    );
}

#[test]
fn what_the_server_fills_in_is_no_difference() {
    let v1 = crd("v1", true, object(json!({})));
    let mut v2 = crd("v2", false, object(json!({})));
    v2.metadata.annotations = Some([].into());
    let spec = &mut v2.spec;
    spec.names.singular = Some("at".into());
    spec.names.list_kind = Some("AtList".into());
    spec.names.categories = Some(vec![]);
    spec.preserve_unknown_fields = Some(false);
    let merged = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2).merge();
    assert_eq!(names(&merged.unwrap().crd), ["v2", "v1"]);
}

#[test]
fn short_names_agree_in_any_order() {
    let [mut v1, mut v2] = [("v1", true), ("v2", false)].map(|(name, storage)| crd(name, storage, object(json!({}))));
    v1.spec.names.short_names = Some(vec!["a".into(), "b".into()]);
    v2.spec.names.short_names = Some(vec!["b".into(), "a".into()]);
    let merged = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2).merge();
    assert_eq!(merged.unwrap().crd.spec.names.short_names.unwrap(), ["a", "b"]);
}

#[test]
fn nothing_cannot_be_merged() {
    let error = Versions::new().merge().unwrap_err();
    assert_eq!(error.problems, [MergeProblem::NoVersions]);
}

#[test]
fn a_definition_without_versions_is_an_error() {
    let mut v1 = crd("v1", true, object(json!({})));
    v1.spec.versions.clear();
    let message = merge_error(v1, crd("v2", true, object(json!({}))));
    assert_eq!(message, "`v1::At` has no versions; `spec.versions` requires at least one");
}

#[test]
fn one_version_must_be_stored() {
    let [v1, v2] = ["v1", "v2"].map(|version| crd(version, false, object(json!({}))));
    let message = merge_error(v1, v2);
    assert_eq!(message, "none of `v1::At`, `v2::At` is the storage version; exactly one must be");
}

#[test]
fn the_storage_version_can_be_named() {
    let [v1, v2] = ["v1", "v2"].map(|version| crd(version, true, object(json!({}))));
    let versions = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2);
    let crd = versions.clone().storage("v1").merge().unwrap().crd;
    let stored: Vec<_> = crd.spec.versions.iter().map(|version| (&*version.name, version.storage)).collect();
    assert_eq!(stored, [("v2", false), ("v1", true)]);

    let message = versions.storage("v3").merge().unwrap_err().to_string();
    assert_eq!(message, "no type has the storage version `v3`; the versions are `v1`, `v2`");
}

#[test]
fn selectable_fields_differ_where_schemas_do() {
    let version = |name: &str, type_: &str, paths: &[&str]| {
        let mut crd = crd(name, name == "v1", spec(json!({ "at": { "type": type_ } })));
        let fields = paths.iter().map(|path| json!({ "jsonPath": path }));
        crd.spec.versions[0].selectable_fields = serde_json::from_value(fields.collect::<Value>()).unwrap();
        crd
    };
    let at = [".spec.at"];
    for (v1, v2, expected) in [
        (("string", &at[..]), ("string", &at[..]), None),
        (("string", &[]), ("string", &at), Some("same schema")),
        (("string", &[]), ("integer", &at), None),
        (("string", &[]), ("integer", &[]), None),
        (("string", &at), ("integer", &at), Some("different schemas")),
    ] {
        let merged = Versions::new()
            .add_crd("v1::At", version("v1", v1.0, v1.1))
            .add_crd("v2::At", version("v2", v2.0, v2.1))
            .merge();
        match expected {
            Some(text) => assert!(merged.unwrap_err().to_string().contains(text)),
            None => assert!(merged.is_ok(), "{v1:?} {v2:?}"),
        }
    }
}

#[test]
fn fields_of_only_one_version_are_a_warning() {
    let storage = spec(json!({
        "old": { "type": "string" },
        "disks": { "type": "array", "items": object(json!({ "size": { "type": "string" } })) },
        "labels": map(object(json!({ "a": { "type": "string" } }))),
    }));
    let other = spec(json!({
        "new": object(json!({ "deep": { "type": "string" } })),
        "disks": { "type": "array", "items": object(json!({ "bytes": { "type": "string" } })) },
        "labels": map(object(json!({ "b": { "type": "string" } }))),
    }));
    assert_eq!(
        pruning(storage, other),
        Some((
            paths(&[".spec.disks[*].size", ".spec.labels.*.a", ".spec.old"]),
            paths(&[".spec.disks[*].bytes", ".spec.labels.*.b", ".spec.new"]),
        ))
    );
}

#[test]
fn kept_fields_are_no_warning() {
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let closed = object(json!({ "a": { "type": "string" } }));
    let lost = (paths(&[".spec.*"]), vec![]);
    let versions = [object(json!({ "spec": open })), object(json!({ "spec": closed }))];
    let [open, closed] = versions;
    assert_eq!(pruning(open.clone(), open.clone()), None);
    assert_eq!(pruning(open, closed), Some(lost));

    let declared = object(json!({ "metadata": { "type": "object" }, "spec": { "type": "object" } }));
    assert_eq!(pruning(declared, object(json!({ "spec": { "type": "object" } }))), None);
}

#[test]
fn a_conversion_is_kept_and_silences_the_warning() {
    let v1 = crd("v1", true, spec(json!({ "a": { "type": "string" } })));
    let mut v2 = crd("v2", false, spec(json!({ "b": { "type": "string" } })));
    let conversion = json!({ "strategy": "Webhook", "webhook": {
        "clientConfig": { "url": "https://at.example.com" }, "conversionReviewVersions": ["v1"],
    } });
    v2.spec.conversion = serde_json::from_value(conversion).unwrap();
    let versions = Versions::new().add_crd("v1::At", v1.clone()).add_crd("v2::At", v2.clone());
    let merged = versions.merge().unwrap();
    assert_eq!(merged.warnings, []);
    assert_eq!(merged.crd.spec.conversion, v2.spec.conversion);

    let mut other = v1;
    other.spec.conversion = serde_json::from_value(json!({ "strategy": "Webhook", "webhook": {
        "clientConfig": { "url": "https://other.example.com" }, "conversionReviewVersions": ["v1"],
    } }))
    .unwrap();
    assert!(merge_error(other, v2).contains("differ in `spec.conversion`"));
}

#[test]
fn a_version_that_is_not_served_loses_nothing() {
    let mut v2 = crd("v2", false, spec(json!({ "b": { "type": "string" } })));
    v2.spec.versions[0].served = false;
    let v1 = crd("v1", true, spec(json!({})));
    let merged = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2).merge();
    assert_eq!(merged.unwrap().warnings, []);
}

#[test]
fn a_warning_reads_well() {
    let warning = Warning::FieldLoss {
        storage: "v1::At".into(),
        other: "v2::At".into(),
        only_storage: paths(&[".spec.a", ".spec.b"]),
        only_other: paths(&[".spec.c"]),
    };
    assert_eq!(
        warning.to_string(),
        "`v1::At` and `v2::At` have different fields and no conversion: objects lose \
         the fields that the version they are written or stored in does not have\
         \n  only in `v1::At`: .spec.a, .spec.b\
         \n  only in `v2::At`: .spec.c\
         \n  add the fields to both versions, convert with a webhook, or allow it with `Versions::allow_difference`"
    );
}

#[test]
fn versions_that_accept_different_values_are_a_warning() {
    let v1 = crd("v1", true, spec(json!({ "size": { "type": "integer" }, "name": { "type": "string" } })));
    let short = json!({ "type": "string", "maxLength": 3 });
    let v2 = crd("v2", false, spec(json!({ "size": { "type": "string" }, "name": short })));
    let warnings = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2).merge().unwrap().warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(
        warning.to_string(),
        "`v1::At` and `v2::At` accept different values and have no conversion: objects of one are served in the \
         other, whose readers and schema do not expect them\
         \n  from `v1::At` to `v2::At`: `maxLength` of `.spec.name` changes from none to 3\
         \n  from `v1::At` to `v2::At`: the type of `.spec.size` changes from integer to string\
         \n  from `v2::At` to `v1::At`: the type of `.spec.size` changes from string to integer\
         \n  accept the same values in both versions, convert with a webhook, or allow it with `Versions::allow_difference`"
    );
}

#[test]
fn differences_can_be_allowed_by_path() {
    let v1 = spec(json!({ "size": { "type": "integer" }, "name": { "type": "string" }, "only": object(json!({})) }));
    let v2 = spec(json!({ "size": { "type": "string" }, "name": { "type": "string", "maxLength": 3 } }));
    let versions = Versions::new().add_crd("v1::At", crd("v1", true, v1)).add_crd("v2::At", crd("v2", false, v2));
    let warnings = |allowed: &[&str]| {
        let versions = allowed.iter().fold(versions.clone(), |versions, path| versions.allow_difference(*path));
        let warnings = versions.merge().unwrap().warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let all = warnings(&[]);
    assert!([".spec.size", ".spec.name", ".spec.only"].iter().all(|path| all.contains(path)), "{all}");
    assert_eq!(warnings(&[".spec", ".spec.si", ".spec.other*"]), all);
    let others = warnings(&[".spec.size"]);
    assert!(!others.contains(".spec.size") && others.contains(".spec.name"), "{others}");
    let mismatches = warnings(&[".spec.only"]);
    assert!(!mismatches.contains(".spec.only") && mismatches.contains(".spec.size"), "{mismatches}");
    assert_eq!(warnings(&[".spec.size", ".spec.name", ".spec.only"]), "");
    assert_eq!(warnings(&[".spec.*"]), "");

    // They are kept when the versions come from several lists.
    let mut appended = Versions::new();
    appended.append(versions.clone().allow_difference(".spec*"));
    assert_eq!(appended.merge().unwrap().warnings, []);
}

#[test]
fn numbers_in_another_notation_are_the_same_schema() {
    let with_default = |version, is_stored, number: Value| {
        let mut crd = crd(version, is_stored, spec(json!({ "at": { "type": "number", "default": number } })));
        crd.spec.versions[0].selectable_fields = serde_json::from_value(json!([{ "jsonPath": ".spec.at" }])).unwrap();
        crd
    };
    let (v1, v2) = (with_default("v1", true, json!(1)), with_default("v2", false, json!(1.0)));
    let merged = Versions::new().add_crd("v1::At", v1).add_crd("v2::At", v2).merge();
    let problems = merged.map_err(|error| error.problems).err().unwrap_or_default();
    assert!(!problems.iter().any(|it| matches!(it, MergeProblem::SameSelectableFields { .. })), "{problems:?}");
}
