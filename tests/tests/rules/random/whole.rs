//! Whole definitions.

use serde_json::{Value, json};

use super::{changes::change, pieces, schema::schema, source::Source};
use crate::base;

const LABELS: &[&str] =
    &["things", "thing", "a-1", "Things", "1a", "a_b", "a.b", "", "ä", "\u{212a}a", "a-", "as", "İ"];
const PATHS: &[&str] = &[
    ".spec.a",
    ".spec.b",
    ".spec.c",
    ".spec.a.b",
    ".spec.a.a",
    ".status.a",
    ".spec.d-e",
    ".metadata.name",
    ".spec",
    ".kind",
    "",
    "spec.a",
    ".spec.a[0]",
    ".spec['a']",
    ".spec.",
    ".spec..a",
    ".",
    ".spec.name",
    ".spec.metadata",
    ".spec.a.name",
    ".spec.b.kind",
];

/// A definition of one version or more.
pub(crate) fn definition(source: &mut Source) -> Value {
    let spec = schema(source, 3);
    let mut root = json!({ "type": "object", "properties": { "spec": spec } });
    if source.once_in(3) {
        root["properties"]["status"] = schema(source, 1);
    }
    if source.once_in(12) {
        let name = *source.pick(&["metadata", "kind", "apiVersion"]);
        root["properties"][name] = schema(source, 1);
    }
    for _ in 0..changes(source) {
        change(source, &mut root);
    }
    let mut crd = base::of_schema(&root);
    if source.once_in(4) {
        change_version(source, &mut crd["spec"]["versions"][0]);
    }
    if source.once_in(6) {
        let mut other = crd["spec"]["versions"][0].clone();
        other["name"] = json!(source.pick(&["v2", "v2", "v2", "v1", "V2"]));
        other["storage"] = json!(source.once_in(6));
        if source.once_in(2) {
            change_version(source, &mut other);
        }
        if source.once_in(2) {
            change(source, &mut other["schema"]["openAPIV3Schema"]);
        }
        crd["spec"]["versions"].as_array_mut().expect("it is a list").push(other);
    }
    if source.once_in(5) {
        change_definition(source, &mut crd);
    }
    crd
}

/// How often a schema is changed: half of the definitions are to be accepted.
fn changes(source: &mut Source) -> usize {
    *source.pick(&[0, 0, 0, 1, 1, 2])
}

fn change_version(source: &mut Source, version: &mut Value) {
    let path = |source: &mut Source| json!(source.pick(PATHS));
    match source.below(9) {
        0 | 1 => version["subresources"] = json!({ "status": {} }),
        2 => {
            let mut scale = json!({ "specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a" });
            let name = *source.pick(&["specReplicasPath", "statusReplicasPath", "labelSelectorPath"]);
            scale[name] = path(source);
            version["subresources"] = json!({ "scale": scale });
        }
        3 => {
            let type_ = source.pick(&["string", "string", "integer", "date", "", "object"]);
            let format = source.pick(&["", "int32", "date", "name"]);
            let column = json!({ "name": source.pick(&["A", "A", ""]), "type": type_, "format": format, "jsonPath": path(source) });
            version["additionalPrinterColumns"] = json!([column]);
        }
        4 | 5 => {
            let fields: Vec<_> = (0..=source.below(3)).map(|_| json!({ "jsonPath": path(source) })).collect();
            version["selectableFields"] = json!(fields);
        }
        6 => version["deprecated"] = json!(true),
        7 => {
            version["deprecated"] = json!(!source.once_in(3));
            version["deprecationWarning"] = pieces::text(source);
        }
        _ => version["served"] = json!(false),
    }
}

fn change_definition(source: &mut Source, crd: &mut Value) {
    let label = |source: &mut Source| json!(source.pick(LABELS));
    match source.below(12) {
        0 => {
            let name = *source.pick(&["singular", "kind", "listKind"]);
            crd["spec"]["names"][name] = label(source);
        }
        1 => {
            let name = *source.pick(&["shortNames", "categories"]);
            crd["spec"]["names"][name] = json!([label(source), label(source)]);
        }
        2 => {
            crd["spec"]["names"]["plural"] = label(source);
            rename(crd);
        }
        3 => {
            let groups = ["a.b", "example", "a.k8s.io", "A.b", "", "kubernetes.io", "x-k8s.io", "1.2", "a..b"];
            crd["spec"]["group"] = json!(source.pick(&groups));
            rename(crd);
        }
        4 => crd["spec"]["scope"] = json!(source.pick(&["Cluster", "cluster", ""])),
        5 => crd["metadata"]["name"] = label(source),
        6 => {
            let key = *source.pick(&["a", "a/b", "a b", "A.b/c", "", "a/b/c", "api-approved.kubernetes.io"]);
            let name = *source.pick(&["labels", "annotations"]);
            crd["metadata"][name] = json!({ (key): pieces::text(source) });
        }
        7 => crd["metadata"]["finalizers"] = json!([label(source)]),
        8 => crd["spec"]["preserveUnknownFields"] = json!(source.once_in(2)),
        9 => crd["spec"]["conversion"] = json!({ "strategy": source.pick(&["None", "", "Webhook", "webhook"]) }),
        10 => {
            let urls = [
                "https://a",
                "https://a/b",
                "http://a",
                "",
                "https://u@a",
                "https://a?b",
                "https://a#b",
                "a",
                "https://a:b",
                "https://[::1]",
            ];
            let versions = source
                .pick(&[json!(["v1"]), json!(["v1", "v1"]), json!([]), json!(["v2"]), json!(["V1", "v1beta1"])])
                .clone();
            let strategy = source.pick(&["Webhook", "Webhook", "Webhook", "None"]);
            crd["spec"]["conversion"] = json!({ "strategy": strategy, "webhook": {
                "clientConfig": { "url": source.pick(&urls) }, "conversionReviewVersions": versions,
            } });
        }
        _ => {
            let paths = ["/", "/a", "a", "/a//b", "/A", ""];
            let service = json!({
                "name": label(source), "namespace": label(source), "path": source.pick(&paths), "port": pieces::count(source),
            });
            crd["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": {
                "clientConfig": { "service": service }, "conversionReviewVersions": ["v1"],
            } });
        }
    }
}

fn rename(crd: &mut Value) {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let name = format!("{}.{}", text(&crd["spec"]["names"]["plural"]), text(&crd["spec"]["group"]));
    crd["metadata"]["name"] = name.into();
}
