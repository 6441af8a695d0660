use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;

pub(super) fn crd(kind: &str, plural: &str) -> CustomResourceDefinition {
    serde_json::from_value(json!({
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "names": { "kind": kind, "plural": plural },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    }))
    .unwrap()
}

pub(super) fn crds() -> Crds {
    Crds::new().add_crd("v1::At", crd("At", "ats"))
}

fn described(mut crd: CustomResourceDefinition, description: &str) -> CustomResourceDefinition {
    let schema = json!({ "type": "object", "description": description });
    crd.spec.versions[0].schema = serde_json::from_value(json!({ "openAPIV3Schema": schema })).unwrap();
    crd
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn violations(crds: &Crds) -> String {
    crds.render().unwrap_err().to_string()
}

#[test]
fn definitions_stand_in_order_of_their_names() {
    let crds = Crds::new().add_crd("Vm", crd("Vm", "vms")).add_crd("At", crd("At", "ats"));
    let names: Vec<_> = crds.render().unwrap().crds.into_iter().map(|crd| crd.metadata.name).collect();
    assert_eq!(names, [Some("ats.example.com".into()), Some("vms.example.com".into())]);
}

/// A version in its own module.
mod v2 {
    use crate as crdkit;

    #[derive(crdkit::CustomResource, crdkit::KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v2", kind = "At", storage = false, test = false)]
    pub(super) struct AtSpec {
        at: String,
    }
}

#[test]
fn types_are_called_by_their_path() {
    let message = violations(&crds().add::<v2::At>());
    let path = "crdkit::emit::tests::v2::At";
    assert!(message.starts_with(&format!("`v1::At` and `{path}` differ in `spec.scope`")), "{message}");
}

#[test]
fn types_of_one_kind_are_merged() {
    let mut v2 = crd("At", "ats");
    v2.spec.versions[0].name = "v2".into();
    v2.spec.versions[0].storage = false;
    let rendered = crds().add_crd("v2::At", v2).render().unwrap();
    assert_eq!(rendered.crds.len(), 1);
    assert_eq!(rendered.crds[0].spec.versions.len(), 2);
}

#[test]
fn kinds_of_a_group_share_no_names() {
    let mut vm = crd("Vm", "vms");
    vm.spec.names.short_names = Some(vec!["ats".into()]);
    let mut list = crd("VmList", "vm-lists");
    list.spec.names.singular = Some("vm".into());
    let message = violations(&crds().add_crd("Vm", vm.clone()).add_crd("VmList", list));
    let shared = "kinds of one group cannot share names; rename one of them";
    assert_eq!(
        message.lines().collect::<Vec<_>>(),
        [
            format!("`ats` is the plural of `v1::At` and the short name of `Vm`: {shared}"),
            format!("`vm` is the singular of `Vm` and the singular of `VmList`: {shared}"),
            format!("`VmList` is the list kind of `Vm` and the kind of `VmList`: {shared}"),
        ]
    );

    vm.spec.group = "other.com".into();
    vm.metadata.name = Some("vms.other.com".into());
    assert!(crds().add_crd("Vm", vm).render().is_ok());
}

#[test]
fn what_the_server_refuses_is_not_written() {
    let mut v2 = crd("At", "ats");
    v2.spec.versions[0].name = "v2".into();
    v2.spec.versions[0].storage = false;
    let schema = json!({ "type": "object", "properties": { "spec": {} } });
    v2.spec.versions[0].schema = serde_json::from_value(json!({ "openAPIV3Schema": schema })).unwrap();
    let mut vm = crd("Vm", "vms");
    vm.spec.scope = "Global".into();
    let message = violations(&crds().add_crd("v2::At", v2).add_crd("Vm", vm));
    let lines: Vec<_> = message.lines().collect();
    assert_eq!(lines.len(), 2, "{message}");
    assert!(lines[0].starts_with("`v2::At`: v2.spec: "), "{message}");
    assert_eq!(lines[1], "`Vm`: spec.scope: `Global` is not a scope: write `Cluster` or `Namespaced`");
}

#[test]
fn all_violations_are_reported() {
    let mut other = crd("At", "ats");
    other.spec.scope = "Cluster".into();
    let big = described(crd("Vm", "vms"), &"x".repeat(1_600_000));
    let message = violations(&crds().add_crd("v2::At", other).add_crd("Vm", big));
    assert!(message.contains("differ in `spec.scope`"), "{message}");
    assert!(message.contains("`Vm`: vms.example.com: the definition has 1600"), "{message}");
}

#[test]
fn a_large_definition_is_a_warning() {
    let large = described(crd("Vm", "vms"), &"x".repeat(270_000));
    let warnings = Crds::new().add_crd("Vm", large).render().unwrap().warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    let message = warning.to_string();
    assert!(message.starts_with("`Vm`: vms.example.com: with the copy that `kubectl apply`"), "{message}");
    assert!(message.contains("`--server-side`"), "{message}");
}

#[test]
fn only_changed_files_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a/b");
    let set = |description| {
        let vm = described(crd("Vm", "vms"), description);
        crds().add_crd("Vm", vm).directory(&path)
    };
    let at = path.join("ats.example.com.yaml");
    let vm = path.join("vms.example.com.yaml");

    assert_eq!(set("one").write().unwrap().written, [at.clone(), vm.clone()]);
    let modified = fs::metadata(&at).unwrap().modified().unwrap();
    let second = set("two").write().unwrap();
    assert_eq!((second.written, second.unchanged), (vec![vm], vec![at.clone()]));
    assert_eq!(fs::metadata(at).unwrap().modified().unwrap(), modified);
}

#[test]
fn other_line_ends_are_no_change() {
    let directory = tempfile::tempdir().unwrap();
    let crds = crds().directory(directory.path());
    let path = crds.write().unwrap().written.remove(0);
    let windows = fs::read_to_string(&path).unwrap().replace('\n', "\r\n");
    fs::write(&path, windows).unwrap();
    crds.check().unwrap();
}

#[test]
fn files_that_crdkit_wrote_are_removed_with_their_kind() {
    let directory = tempfile::tempdir().unwrap();
    let both = crds().add_crd("Vm", crd("Vm", "vms")).directory(directory.path());
    both.write().unwrap();
    fs::write(directory.path().join("kustomization.yaml"), "resources: []\n").unwrap();

    let one = crds().directory(directory.path());
    let error = one.check().unwrap_err().to_string();
    assert!(error.contains("vms.example.com.yaml is obsolete: no type has this kind"), "{error}");
    assert_eq!(one.write().unwrap().removed.len(), 1);
    assert_eq!(files(directory.path()), ["ats.example.com.yaml", "kustomization.yaml"]);
}

#[test]
fn a_check_shows_a_diff_and_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("crds.yaml");
    crds().file(&path).write().unwrap();
    let changed = Crds::new().add_crd("v1::At", described(crd("At", "ats"), "An appointment."));
    let error = changed.file(&path).check().unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        format!(
            "\
1 file is out of date:

--- {0}
+++ {0}, expected
@@ -16,4 +16,5 @@
     storage: true
     schema:
       openAPIV3Schema:
+        description: An appointment.
         type: object

Update with: CRDKIT_BLESS=1 cargo test -p crdkit emit::tests::a_check_shows_a_diff_and_what_to_do",
            path.display()
        )
    );
}

#[test]
fn an_unreadable_place_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = crds().file(file.join("crds.yaml")).write().unwrap_err().to_string();
    assert!(error.contains("file"), "{error}");
}

#[test]
fn a_stream_has_a_header_and_all_documents() {
    let crds = crds().add_crd("Vm", crd("Vm", "vms")).update_command("just crds");
    let yaml = crds.to_yaml().unwrap();
    let mut documents = yaml.split("---\n");
    assert_eq!(documents.next(), Some("# Generated by crdkit. Do not edit.\n# Update it with `just crds`.\n"));
    for document in documents {
        let crd: Value = serde_saphyr::from_str(document).unwrap();
        assert_eq!(crd["apiVersion"], "apiextensions.k8s.io/v1");
    }
}

fn with_spec(properties: Value) -> CustomResourceDefinition {
    let mut crd = crd("At", "ats");
    let spec = json!({ "type": "object", "properties": properties });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    crd.spec.versions[0].schema = serde_json::from_value(json!({ "openAPIV3Schema": schema })).unwrap();
    crd
}

#[test]
fn a_breaking_change_is_named_beside_the_outdated_file() {
    let directory = tempfile::tempdir().unwrap();
    let note = json!({ "note": { "type": "string" } });
    Crds::new().add_crd("old", with_spec(note)).directory(directory.path()).write().unwrap();
    let crds = Crds::new().add_crd("new", with_spec(json!({}))).directory(directory.path());
    let error = crds.check().unwrap_err().to_string();
    let expected =
        "\nbreaking: version `v1`: `.spec.note` is removed: the API server drops the value from stored objects";
    assert!(error.contains(expected), "{error}");
    let allowed = crds.allow("existingFieldRemoval", "ats.example.com", ".spec.note", "No release had it.");
    let error = allowed.check().unwrap_err().to_string();
    assert!(!error.contains("breaking: "), "{error}");
}

#[test]
fn diffs_have_three_formats() {
    let size = |kind: &str| json!({ "size": { "type": kind }, "a|b": { "type": "string" } });
    let crds = Crds::new().add_crd("new", with_spec(size("string")));
    let diff = crds.diff(&[with_spec(json!({ "size": { "type": "integer" } }))]).unwrap();
    let text = diff.to_text();
    for part in [
        "ats.example.com\n  breaking   version `v1`: the type of `.spec.size` changes from integer to string [type]\n",
        "; affects stored objects, writers, readers\n",
        "  compatible version `v1`: `.spec.a|b` is added [newField]\n",
        "\n1 breaking, 1 compatible\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let markdown = diff.to_markdown();
    assert!(markdown.starts_with("## API changes: 1 breaking, 1 compatible\n\n### `ats.example.com`\n"), "{markdown}");
    assert!(markdown.contains("| compatible | v1 | `.spec.a\\|b` is added |"), "{markdown}");
    let json = diff.to_json();
    assert_eq!(json["severity"], "breaking");
    let change = &json["definitions"][0]["changes"][0];
    assert_eq!((&change["path"], &change["check"]), (&json!(".spec.size"), &json!("type")));
    assert_eq!(change["affects"], json!(["storedObjects", "writers", "readers"]));
}
