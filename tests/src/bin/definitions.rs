//! The program `crds` of a project with one kind, which `CRDKIT_TEST_GROUP` and `CRDKIT_TEST_KIND` name, so that tests do not share it.

use std::process::ExitCode;

use crdkit::emit::Crds;
use serde_json::json;

fn main() -> ExitCode {
    let [group, kind] = ["CRDKIT_TEST_GROUP", "CRDKIT_TEST_KIND"].map(|name| std::env::var(name).expect(name));
    let plural = kind.to_lowercase() + "s";
    let spec = json!({ "type": "object", "properties": { "size": { "type": "integer" } } });
    let schema = json!({ "type": "object", "properties": { "spec": spec }, "required": ["spec"] });
    let crd = json!({
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "plural": plural, "kind": kind },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    });
    crdkit_tools::main(Crds::new().add_crd(kind, serde_json::from_value(crd).expect("it is a definition")))
}
