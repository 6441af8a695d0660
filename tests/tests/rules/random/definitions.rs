//! Random definitions.

use serde_json::{Value, json};

use super::{changes::change, rng::Rng, schema::schema, values};
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
pub(crate) fn definition(rng: &mut Rng) -> Value {
    let spec = schema(rng, 3);
    let mut root = json!({ "type": "object", "properties": { "spec": spec } });
    if rng.once_in(3) {
        root["properties"]["status"] = schema(rng, 1);
    }
    if rng.once_in(12) {
        let name = *rng.pick(&["metadata", "kind", "apiVersion"]);
        root["properties"][name] = schema(rng, 1);
    }
    for _ in 0..changes(rng) {
        change(rng, &mut root);
    }
    let mut crd = base::of_schema(&root);
    if rng.once_in(4) {
        change_version(rng, &mut crd["spec"]["versions"][0]);
    }
    if rng.once_in(6) {
        let mut other = crd["spec"]["versions"][0].clone();
        other["name"] = json!(rng.pick(&["v2", "v2", "v2", "v1", "V2"]));
        other["storage"] = json!(rng.once_in(6));
        if rng.once_in(2) {
            change_version(rng, &mut other);
        }
        if rng.once_in(2) {
            change(rng, &mut other["schema"]["openAPIV3Schema"]);
        }
        crd["spec"]["versions"].as_array_mut().expect("it is a list").push(other);
    }
    if rng.once_in(5) {
        change_definition(rng, &mut crd);
    }
    crd
}

/// How often a schema is changed: half of the definitions are to be accepted.
fn changes(rng: &mut Rng) -> usize {
    *rng.pick(&[0, 0, 0, 1, 1, 2])
}

fn change_version(rng: &mut Rng, version: &mut Value) {
    let path = |rng: &mut Rng| json!(rng.pick(PATHS));
    match rng.below(9) {
        0 | 1 => version["subresources"] = json!({ "status": {} }),
        2 => {
            let mut scale = json!({ "specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a" });
            let name = *rng.pick(&["specReplicasPath", "statusReplicasPath", "labelSelectorPath"]);
            scale[name] = path(rng);
            version["subresources"] = json!({ "scale": scale });
        }
        3 => {
            let type_ = rng.pick(&["string", "string", "integer", "date", "", "object"]);
            let format = rng.pick(&["", "int32", "date", "name"]);
            let column =
                json!({ "name": rng.pick(&["A", "A", ""]), "type": type_, "format": format, "jsonPath": path(rng) });
            version["additionalPrinterColumns"] = json!([column]);
        }
        4 | 5 => {
            let fields: Vec<_> = (0..=rng.below(3)).map(|_| json!({ "jsonPath": path(rng) })).collect();
            version["selectableFields"] = json!(fields);
        }
        6 => version["deprecated"] = json!(true),
        7 => {
            version["deprecated"] = json!(!rng.once_in(3));
            version["deprecationWarning"] = values::text(rng);
        }
        _ => version["served"] = json!(false),
    }
}

fn change_definition(rng: &mut Rng, crd: &mut Value) {
    let label = |rng: &mut Rng| json!(rng.pick(LABELS));
    match rng.below(12) {
        0 => {
            let name = *rng.pick(&["singular", "kind", "listKind"]);
            crd["spec"]["names"][name] = label(rng);
        }
        1 => {
            let name = *rng.pick(&["shortNames", "categories"]);
            crd["spec"]["names"][name] = json!([label(rng), label(rng)]);
        }
        2 => {
            crd["spec"]["names"]["plural"] = label(rng);
            rename(crd);
        }
        3 => {
            let groups = ["a.b", "example", "a.k8s.io", "A.b", "", "kubernetes.io", "x-k8s.io", "1.2", "a..b"];
            crd["spec"]["group"] = json!(rng.pick(&groups));
            rename(crd);
        }
        4 => crd["spec"]["scope"] = json!(rng.pick(&["Cluster", "cluster", ""])),
        5 => crd["metadata"]["name"] = label(rng),
        6 => {
            let key = *rng.pick(&["a", "a/b", "a b", "A.b/c", "", "a/b/c", "api-approved.kubernetes.io"]);
            let name = *rng.pick(&["labels", "annotations"]);
            crd["metadata"][name] = json!({ (key): values::text(rng) });
        }
        7 => crd["metadata"]["finalizers"] = json!([label(rng)]),
        8 => crd["spec"]["preserveUnknownFields"] = json!(rng.once_in(2)),
        9 => crd["spec"]["conversion"] = json!({ "strategy": rng.pick(&["None", "", "Webhook", "webhook"]) }),
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
            let versions = rng
                .pick(&[json!(["v1"]), json!(["v1", "v1"]), json!([]), json!(["v2"]), json!(["V1", "v1beta1"])])
                .clone();
            let strategy = rng.pick(&["Webhook", "Webhook", "Webhook", "None"]);
            crd["spec"]["conversion"] = json!({ "strategy": strategy, "webhook": {
                "clientConfig": { "url": rng.pick(&urls) }, "conversionReviewVersions": versions,
            } });
        }
        _ => {
            let paths = ["/", "/a", "a", "/a//b", "/A", ""];
            let service = json!({
                "name": label(rng), "namespace": label(rng), "path": rng.pick(&paths), "port": values::count(rng),
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
