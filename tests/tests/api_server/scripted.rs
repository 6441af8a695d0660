//! Written sequences of requests.

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
};

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json-patch+json";

fn widget(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": spec })
}

async fn compare(namespace: &str, steps: impl Fn(&str) -> Vec<Step>) {
    let Some(both) = Both::with_namespace(namespace).await else { return };
    compare_on(both, steps).await;
}

async fn compare_on(mut both: Both, steps: impl Fn(&str) -> Vec<Step>) {
    let mut differences = Vec::new();
    for step in steps(&both.namespace.clone()) {
        differences.extend(both.send(&step).await.map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[tokio::test]
async fn creation() {
    compare("creation", |namespace| {
        let path = widgets(namespace);
        let mut steps: Vec<_> = [
            widget("a", json!({ "zone": "a" })),
            widget("a", json!({ "zone": "a" })),
            widget("B", json!({ "zone": "a" })),
            widget("", json!({ "zone": "a" })),
            widget("b", json!({})),
            widget("b", json!({ "zone": "x", "replicas": 101, "note": "ABC", "size": [], "unknown": 1 })),
            widget("b", json!({ "zone": "a", "replicas": "1" })),
            widget("b", json!({ "zone": "a", "limits": { "min": 2, "max": 1 } })),
            widget("b", json!({ "zone": "a", "tags": ["x", "x"], "ports": [{ "port": 1 }, { "port": 1 }] })),
            widget("b", json!({ "zone": "a", "note": null, "flag": null, "any": { "x": { "y": null } }, "unknown": 1 })),
            widget("c", json!({ "zone": "a", "steps": ["1", "2", "3", "4", "5", "6"] })),
            json!({}),
            json!([]),
            json!({ "kind": "Widget" }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Other", "metadata": { "name": "d" }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v2"), "kind": "Widget", "metadata": { "name": "d" }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "d", "namespace": "x" }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "d", "labels": { "a": 1 } }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "d", "labels": { "a b": "-" }, "x": 1 }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "d", "resourceVersion": "1" }, "spec": { "zone": "a" } }),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": {
                "name": "d", "uid": "x", "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["x", "example.com/y"],
                "deletionTimestamp": "2020-01-01T00:00:00Z", "annotations": { "a": "b" },
            }, "spec": { "zone": "a" }, "status": { "replicas": 3 }, "extra": 1 }),
        ]
        .into_iter()
        .map(|body| Step::new("POST", path.clone(), body))
        .collect();
        steps.push(Step::new("POST", format!("{path}?fieldValidation=Strict"), widget("e", json!({ "zone": "a", "x": 1 }))));
        steps.push(Step::new("POST", format!("{path}?fieldValidation=Ignore"), widget("e", json!({ "zone": "a", "x": 1 }))));
        steps.push(Step::new("POST", format!("{path}?dryRun=All"), widget("f", json!({ "zone": "a" }))));
        steps.push(Step::new("GET", format!("{path}/f"), Value::Null));
        steps.push(Step::new("GET", format!("{path}/a"), Value::Null));
        steps.push(Step::new("GET", format!("{path}/b/status"), Value::Null));
        steps.push(Step::new("GET", format!("{path}/b/scale"), Value::Null));
        steps.push(Step::new("GET", format!("{path}/b/other"), Value::Null));
        steps.push(Step::new("GET", path.replace("widgets", "gadgets"), Value::Null));
        steps.push(Step::new("GET", path.replace("/v1/", "/v1beta1/") + "/a", Value::Null));
        steps.push(Step::new("POST", widgets("missing"), widget("a", json!({ "zone": "a" }))));
        steps.push(Step::new("GET", widgets("missing"), Value::Null));
        steps.push(Step::new("POST", format!("{path}/a"), widget("a", json!({ "zone": "a" }))));
        steps.push(Step::new("POST", format!("{path}/yy"), widget("zz", json!({ "zone": "a" }))));
        steps.push(Step::new("PUT", path.clone(), widget("a", json!({ "zone": "a" }))));
        steps.push(Step::new("GET", path.clone(), Value::Null));
        steps.push(Step::new("GET", format!("{path}?limit=2"), Value::Null));
        steps
    })
    .await;
}

#[tokio::test]
async fn updates() {
    compare("updates", |namespace| {
        let path = widgets(namespace);
        let one = format!("{path}/a");
        let with = |metadata: Value, spec: Value| {
            let mut object = widget("a", spec);
            for (name, value) in metadata.as_object().unwrap() {
                object["metadata"][name] = value.clone();
            }
            object
        };
        let current = json!({ "resourceVersion": "$resourceVersion" });
        let put = |body| Step::new("PUT", one.clone(), body);
        let mut invalid_old = widget("a", json!({ "zone": "a", "fixed": "x", "ports": [{ "port": 1 }], "replicas": 5 }));
        invalid_old["metadata"]["labels"] = json!({ "app": "web" });
        let mut steps = vec![
            Step::new("POST", path.clone(), invalid_old),
            put(widget("a", json!({ "zone": "a" }))),
            put(with(json!({ "resourceVersion": "1" }), json!({ "zone": "a" }))),
            put(with(json!({ "resourceVersion": "x" }), json!({ "zone": "a" }))),
            put(with(current.clone(), json!({ "zone": "b", "fixed": "x" }))),
            put(with(current.clone(), json!({ "zone": "b", "fixed": "x" }))),
            put(with(current.clone(), json!({ "zone": "b", "fixed": "y" }))),
            put(with(json!({ "resourceVersion": "$resourceVersion", "uid": "other" }), json!({ "zone": "b" }))),
            put(with(json!({ "resourceVersion": "$resourceVersion", "name": "z" }), json!({ "zone": "b" }))),
            put(with(json!({ "resourceVersion": "$resourceVersion", "generation": 9, "labels": { "x": "y" } }), json!({ "zone": "b" }))),
            put(with(json!({ "resourceVersion": "$resourceVersion", "creationTimestamp": null, "ownerReferences": [{}] }), json!({ "zone": "b" }))),
            put(with(current.clone(), json!({ "zone": "q", "replicas": -1 }))),
            Step::new("PUT", format!("{path}/none"), widget("none", json!({ "zone": "a" }))),
        ];
        for (media_type, body) in [
            (MERGE, json!({ "spec": { "zone": "c" } })),
            (MERGE, json!({ "spec": { "zone": "c" } })),
            (MERGE, json!({ "spec": { "zone": null } })),
            (MERGE, json!({ "spec": { "unknown": 1 } })),
            (MERGE, json!({ "metadata": { "resourceVersion": "1" } })),
            (MERGE, json!({ "metadata": { "name": "b" } })),
            (MERGE, json!({ "metadata": { "namespace": "b" } })),
            (MERGE, json!({ "metadata": { "labels": { "l": "m" }, "annotations": { "a": "b" } } })),
            (MERGE, json!({ "metadata": { "generation": 100, "uid": null } })),
            (MERGE, json!({ "kind": "Other" })),
            (MERGE, json!({ "apiVersion": "x/v1" })),
            (MERGE, json!({ "status": { "replicas": 3 } })),
            (MERGE, json!([])),
            (MERGE, json!("x")),
            (JSON, json!([{ "op": "replace", "path": "/spec/replicas", "value": 7 }])),
            (JSON, json!([{ "op": "test", "path": "/spec/replicas", "value": 8 }])),
            (JSON, json!([{ "op": "remove", "path": "/spec/nothing" }])),
            (JSON, json!([{ "op": "add", "path": "/spec/tags", "value": ["x"] }, { "op": "add", "path": "/spec/tags/-", "value": "y" }])),
            (JSON, json!([{ "op": "jump", "path": "/spec" }])),
            (JSON, json!({ "op": "add" })),
            (JSON, json!([{ "op": "remove", "path": "/spec" }])),
            ("application/strategic-merge-patch+json", json!({ "spec": {} })),
            ("text/plain", json!({ "spec": {} })),
        ] {
            steps.push(Step::new("PATCH", one.clone(), body).of_type(media_type));
        }
        steps.push(Step::new("PATCH", format!("{path}/none"), json!({ "spec": {} })).of_type(MERGE));
        for (media_type, body) in [
            (MERGE, json!({ "status": { "replicas": 3, "selector": "a=b", "x": 1 }, "spec": { "zone": "a" } })),
            (MERGE, json!({ "status": { "phase": "Gone" } })),
            (MERGE, json!({ "status": { "replicas": -3 } })),
            (MERGE, json!({ "metadata": { "labels": { "ignored": "x" } }, "status": { "phase": "Ready" } })),
        ] {
            steps.push(Step::new("PATCH", format!("{one}/status"), body).of_type(media_type));
        }
        steps.push(Step::new("PUT", format!("{one}/status"), with(current.clone(), json!({ "zone": "q" }))));
        steps.push(Step::new("GET", format!("{one}/scale"), Value::Null));
        let scale = |replicas: i64| {
            json!({
                "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "a", "namespace": namespace },
                "spec": { "replicas": replicas },
            })
        };
        for replicas in [4, 4, -1, 200, 0] {
            steps.push(Step::new("PUT", format!("{one}/scale"), scale(replicas)));
        }
        steps.push(Step::new("PATCH", format!("{one}/scale"), json!({ "spec": { "replicas": 9 } })).of_type(MERGE));
        steps
    })
    .await;
}

#[tokio::test]
async fn deletion() {
    compare("deletion", |namespace| {
        let path = widgets(namespace);
        let mut with_finalizer = widget("b", json!({ "zone": "a" }));
        with_finalizer["metadata"]["finalizers"] = json!(["example.com/x"]);
        let mut labelled = widget("c", json!({ "zone": "b" }));
        labelled["metadata"]["labels"] = json!({ "app": "web" });
        let options = |body: Value| {
            let mut options = json!({ "apiVersion": "v1", "kind": "DeleteOptions" });
            options.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            options
        };
        vec![
            Step::new("POST", path.clone(), widget("a", json!({ "zone": "a" }))),
            Step::new("DELETE", format!("{path}/a"), options(json!({ "preconditions": { "uid": "x" } }))),
            Step::new("DELETE", format!("{path}/a"), options(json!({ "preconditions": { "resourceVersion": "1" } }))),
            Step::new("DELETE", format!("{path}/a"), options(json!({ "propagationPolicy": "x" }))),
            Step::new("DELETE", format!("{path}/a?dryRun=All"), Value::Null),
            Step::new("DELETE", format!("{path}/a"), options(json!({ "preconditions": { "uid": "$uid" } }))),
            Step::new("DELETE", format!("{path}/a"), Value::Null),
            Step::new("POST", path.clone(), with_finalizer.clone()),
            Step::new("DELETE", format!("{path}/b"), Value::Null),
            Step::new("DELETE", format!("{path}/b"), Value::Null),
            Step::new(
                "PATCH",
                format!("{path}/b"),
                json!({ "metadata": { "finalizers": ["example.com/x", "example.com/y"] } }),
            )
            .of_type(MERGE),
            Step::new("PATCH", format!("{path}/b"), json!({ "spec": { "zone": "c" } })).of_type(MERGE),
            Step::new("PATCH", format!("{path}/b"), json!({ "metadata": { "deletionTimestamp": null } }))
                .of_type(MERGE),
            Step::new("PATCH", format!("{path}/b"), json!({ "metadata": { "finalizers": null } })).of_type(MERGE),
            Step::new("GET", format!("{path}/b"), Value::Null),
            Step::new("POST", path.clone(), widget("d", json!({ "zone": "a" }))),
            Step::new("DELETE", format!("{path}/d"), options(json!({ "propagationPolicy": "Foreground" }))),
            Step::new("PATCH", format!("{path}/d"), json!({ "metadata": { "finalizers": [] } })).of_type(MERGE),
            Step::new("POST", path.clone(), widget("d", json!({ "zone": "a" }))),
            Step::new("DELETE", format!("{path}/d?propagationPolicy=Orphan"), Value::Null),
            Step::new("PATCH", format!("{path}/d"), json!({ "metadata": { "finalizers": [] } })).of_type(MERGE),
            Step::new("POST", path.clone(), labelled),
            Step::new("POST", path.clone(), widget("e", json!({ "zone": "a" }))),
            Step::new("GET", format!("{path}?labelSelector=app%3Dweb"), Value::Null),
            Step::new("GET", format!("{path}?fieldSelector=spec.zone%3Da"), Value::Null),
            Step::new("GET", format!("{path}?fieldSelector=spec.other%3Da"), Value::Null),
            Step::new("GET", format!("{path}?labelSelector=a%20b"), Value::Null),
            Step::new("DELETE", format!("{path}?labelSelector=app%3Dweb"), Value::Null),
            Step::new("DELETE", path.clone(), Value::Null),
            Step::new("GET", path.clone(), Value::Null),
        ]
    })
    .await;
}

#[tokio::test]
async fn lists() {
    compare("lists", |namespace| {
        let path = widgets(namespace);
        let mut steps: Vec<_> =
            ["a", "b", "c"].map(|name| Step::new("POST", path.clone(), widget(name, json!({ "zone": name })))).into();
        for query in [
            "limit=2",
            "limit=0",
            "limit=x",
            "limit=-1",
            "resourceVersion=0",
            "limit=1&resourceVersion=0",
            "resourceVersion=x",
            "resourceVersion=$resourceVersion&resourceVersionMatch=Exact",
            "resourceVersion=$resourceVersion&resourceVersionMatch=NotOlderThan",
            "resourceVersion=$resourceVersion&resourceVersionMatch=Other",
            "resourceVersionMatch=Exact",
            "resourceVersion=0&resourceVersionMatch=Exact",
            "continue=x",
            "watch=x&timeoutSeconds=1",
            "sendInitialEvents=true",
        ] {
            steps.push(Step::new("GET", format!("{path}?{query}"), Value::Null));
        }
        steps.push(Step::new("GET", format!("{path}/a?resourceVersion=0"), Value::Null));
        steps.push(Step::new("GET", format!("/apis/{GROUP}/v1/widgets/a"), Value::Null));
        steps
    })
    .await;
}

#[tokio::test]
async fn unknown_fields_in_the_metadata_of_embedded_resources() {
    let mut definition = definition();
    definition["metadata"]["name"] = format!("wrappers.{GROUP}").into();
    definition["spec"]["names"] = json!({ "kind": "Wrapper", "plural": "wrappers" });
    let template = json!({
        "type": "object", "x-kubernetes-embedded-resource": true,
        "properties": { "spec": { "type": "object", "properties": { "size": { "type": "integer" } } } },
    });
    let spec = json!({ "type": "object", "properties": { "template": template } });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
    definition["spec"]["versions"] = json!([{ "name": "v1", "served": true, "storage": true, "schema": schema }]);
    let Some(both) = Both::with_definitions("wrappers", &[definition]).await else { return };
    compare_on(both, |namespace| {
        let path = format!("/apis/{GROUP}/v1/namespaces/{namespace}/wrappers");
        let wrapper = |name: &str| {
            let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b", "of": "owner" });
            let metadata = json!({ "name": "inner", "unknown": 1, "another": {}, "labels": { "a": "b" }, "ownerReferences": [owner] });
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Wrapper", "metadata": { "name": name }, "spec": {
                "template": { "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": { "size": 1, "unknown": 1 }, "other": 1 },
            } })
        };
        ["Strict", "Warn", "Ignore"]
            .map(|validation| Step::new("POST", format!("{path}?fieldValidation={validation}"), wrapper(&validation.to_lowercase())))
            .into()
    })
    .await;
}

#[tokio::test]
async fn scales_of_workloads() {
    compare("scales", |namespace| {
        let template = json!({
            "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "x", "image": "i" }] },
        });
        let expression = json!({ "key": "a", "operator": "In", "values": ["c", "b"] });
        let selector = json!({ "matchLabels": { "a": "b" }, "matchExpressions": [expression] });
        let workload = |kind: &str, selector: &Value| {
            let path = format!("/apis/apps/v1/namespaces/{namespace}/{}s", kind.to_lowercase());
            let mut spec = json!({ "replicas": 2, "selector": selector, "template": template });
            if kind == "StatefulSet" {
                spec["serviceName"] = "a".into();
            }
            let object = json!({ "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "a" }, "spec": spec });
            let scale = format!("{path}/a/scale");
            [
                Step::new("POST", path, object),
                Step::new("GET", scale.clone(), Value::Null),
                Step::new("PATCH", scale, json!({ "spec": { "replicas": 3 } })).of_type(MERGE),
            ]
        };
        let kinds = ["Deployment", "ReplicaSet", "StatefulSet"];
        kinds.into_iter().flat_map(|kind| workload(kind, &selector)).collect()
    })
    .await;
}
