//! What clients in other languages use, and those of crdkit and kube do not.

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    cluster_tables::encoded_request,
    definition::{GROUP, widgets},
    example::{MERGE, TABLE, compare, get},
};

const APPLY: &str = "application/apply-patch+yaml";
const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

fn patch(path: impl Into<String>, patch: Value) -> Step {
    Step::new("PATCH", path, patch).of_type(MERGE)
}

fn put(path: impl Into<String>, object: Value) -> Step {
    Step::new("PUT", path, object)
}

fn post(path: impl Into<String>, object: Value) -> Step {
    Step::new("POST", path, object)
}

fn delete(path: impl Into<String>, options: Value) -> Step {
    Step::new("DELETE", path, options)
}

fn deployment(name: &str) -> Value {
    json!({ "metadata": { "name": name }, "spec": {
        "selector": { "matchLabels": { "app": name } },
        "template": { "metadata": { "labels": { "app": name } }, "spec": { "containers": [{ "name": "main", "image": "web" }] } },
    } })
}

fn widget(name: &str) -> Value {
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": { "zone": "a", "replicas": 2 } })
}

#[tokio::test]
async fn namespaces_are_finalized() {
    let Some(mut both) = Both::with_namespace("finalize").await else { return };
    let (name, path) = ("finalized", "/api/v1/namespaces/finalized");
    let finalize = |finalizers: Value| {
        let metadata = json!({ "name": name, "labels": { "a": "b", "kubernetes.io/metadata.name": name } });
        let status = json!({ "phase": "Other" });
        put(
            format!("{path}/finalize"),
            json!({ "metadata": metadata, "spec": { "finalizers": finalizers }, "status": status }),
        )
    };
    let methods = ["GET", "POST", "PATCH", "DELETE"];
    let methods = methods.map(|method| Step::new(method, format!("{path}/finalize"), Value::Null));
    let steps = [
        post("/api/v1/namespaces", json!({ "metadata": { "name": name } })),
        finalize(json!(["kubernetes", "bad"])),
        finalize(json!(["kubernetes", "example.com/wait"])),
        get(path),
        delete(path, Value::Null),
        finalize(json!(["example.com/wait"])),
        finalize(json!([])),
        get(path),
        finalize(json!([])),
    ];
    compare(&mut both, methods.into_iter().chain(steps), |_| {}).await;
}

#[tokio::test]
async fn scales_of_built_in_kinds_are_applied() {
    let namespace = "applied-scales";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let deployments = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
    let scale = format!("{deployments}/web/scale");
    let apply = |query: &str, spec: Value| {
        let body =
            json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "web" }, "spec": spec });
        Step::new("PATCH", format!("{scale}?fieldManager={query}"), body).of_type(APPLY)
    };
    let set = |replicas: i64| {
        let metadata = json!({ "name": "web", "namespace": namespace });
        put(
            &scale,
            json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": { "replicas": replicas } }),
        )
    };
    let whole = get(format!("{deployments}/web"));
    let steps = [
        post(&deployments, deployment("web")),
        apply("one", json!({ "replicas": 3 })),
        apply("one&force=true", json!({ "replicas": 3 })),
        whole.clone(),
        apply("one", json!({ "replicas": 5 })),
        apply("two", json!({ "replicas": 6 })),
        apply("two", json!({ "replicas": 5 })),
        apply("two", json!({ "replicas": -1 })),
        apply("two&force=true", json!({ "replicas": -1 })),
        whole.clone(),
        set(-1),
        set(2),
        patch(&scale, json!({ "spec": { "replicas": -2 } })),
        whole,
    ];
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test]
async fn the_status_is_written_with_metadata() {
    let namespace = "status-metadata";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let core = format!("/api/v1/namespaces/{namespace}");
    let pod = json!({ "metadata": { "name": "one", "labels": { "old": "1" } }, "spec": { "containers": [{ "name": "a", "image": "b" }] } });
    let ingress = json!({ "metadata": { "name": "one" }, "spec": { "defaultBackend": { "service": { "name": "a", "port": { "number": 1 } } } } });
    let budget = json!({ "metadata": { "name": "one" }, "spec": { "minAvailable": 1 } });
    let kinds = [
        (format!("{core}/pods"), pod),
        (format!("{core}/services"), json!({ "metadata": { "name": "one" }, "spec": { "clusterIP": "None" } })),
        (format!("/apis/apps/v1/namespaces/{namespace}/deployments"), deployment("one")),
        (format!("/apis/apps/v1/namespaces/{namespace}/replicasets"), deployment("one")),
        (format!("/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses"), ingress),
        (format!("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"), budget),
        (widgets(namespace), widget("one")),
    ];
    let owner = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1" });
    let metadata = json!({
        "labels": { "new": "1" }, "annotations": { "new": "1" }, "finalizers": ["example.com/wait"], "ownerReferences": [owner],
    });
    let steps = kinds.into_iter().flat_map(|(path, object)| {
        let status = format!("{path}/one/status");
        [
            post(path, object),
            patch(&status, json!({ "metadata": metadata })),
            patch(&status, json!({ "metadata": { "labels": null, "finalizers": null, "ownerReferences": null } })),
        ]
    });
    // The Service has further addresses.
    let hide = |responses: &mut [Value; 2]| {
        for response in responses {
            if response["body"]["kind"] == "Service" {
                response["body"]["spec"].take();
            }
        }
    };
    compare(&mut both, steps.collect::<Vec<_>>(), hide).await;
}

#[tokio::test]
async fn options_of_deletions_are_checked() {
    let namespace = "delete-options";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let one = format!("{path}/one");
    let bodies = [
        json!({ "dryRun": ["Some"] }),
        json!({ "dryRun": ["a", "All"], "propagationPolicy": "Other" }),
        json!({ "dryRun": "All" }),
        json!({ "dryRun": [1] }),
        json!({ "orphanDependents": true, "propagationPolicy": "Foreground" }),
        json!({ "orphanDependents": "true" }),
        json!({ "preconditions": { "uid": 1 } }),
        json!({ "preconditions": { "resourceVersion": 1 } }),
        json!({ "preconditions": [] }),
        json!({ "propagationPolicy": 3 }),
        json!({ "gracePeriodSeconds": "1" }),
        json!({ "gracePeriodSeconds": 1.5 }),
        json!({ "preconditions": { "uid": "1" }, "ignoreStoreReadErrorWithClusterBreakingPotential": true }),
        json!({ "preconditions": { "uid": "1" } }),
        json!({ "dryRun": ["All"], "unknown": 1 }),
    ];
    let queries =
        ["dryRun=Some", "dryRun=Some&propagationPolicy=Other", "propagationPolicy=Orphan&orphanDependents=false"];
    let created = post(&path, json!({ "metadata": { "name": "one" } }));
    let of_bodies = bodies.into_iter().map(|body| delete(&one, body));
    let of_queries = queries.map(|query| delete(format!("{one}?{query}"), Value::Null));
    let steps = [created].into_iter().chain(of_bodies).chain(of_queries).chain([get(&one)]);
    compare(&mut both, steps.collect::<Vec<_>>(), |_| {}).await;
}

#[tokio::test]
async fn the_uid_cannot_change() {
    let namespace = "uids";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let configs = format!("/api/v1/namespaces/{namespace}/configmaps");
    let steps = [(configs, json!({ "metadata": { "name": "one" } })), (widgets(namespace), widget("one"))]
        .into_iter()
        .flat_map(|(path, object)| {
            let one = format!("{path}/one");
            let mut other = object.clone();
            other["metadata"] = json!({ "name": "one", "uid": "1", "resourceVersion": "$resourceVersion" });
            [post(path, object), put(&one, other), patch(&one, json!({ "metadata": { "uid": "1" } })), get(one)]
        });
    compare(&mut both, steps.collect::<Vec<_>>(), |_| {}).await;
}

#[tokio::test]
async fn invalid_versions_of_watches_and_tokens_of_lists() {
    let namespace = "bad-versions";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let steps =
        [format!("/api/v1/namespaces/{namespace}/configmaps"), widgets(namespace)].into_iter().flat_map(|path| {
            let versions = ["abc", "-1", "1.5"].into_iter().flat_map(|version| {
                let initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
                [
                    format!("watch=true&resourceVersion={version}"),
                    format!("watch=true&{initial}&resourceVersion={version}"),
                    format!("resourceVersion={version}"),
                ]
            });
            let tokens = ["!!", "abcd", "eyJhIjoxfQ", "eyJ2IjoieCJ9", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"];
            let queries: Vec<_> = versions.chain(tokens.map(|token| format!("limit=1&continue={token}"))).collect();
            queries.into_iter().map(move |query| get(format!("{path}?{query}")))
        });
    compare(&mut both, steps.collect::<Vec<_>>(), |_| {}).await;
}

#[tokio::test]
async fn health_checks() {
    let Some(mut both) = Both::with_namespace("health").await else { return };
    let paths = [
        "/livez",
        "/livez/ping",
        "/livez/none",
        "/livez/informer-sync",
        "/livez/poststarthook/rbac/bootstrap-roles",
        "/livez?verbose",
        "/livez/ping?verbose",
        "/healthz",
        "/healthz/etcd",
        "/healthz?verbose=1",
        "/readyz",
        "/readyz/",
        "/readyz/informer-sync",
        "/readyz?verbose&exclude=etcd&exclude=none",
    ];
    let others = ["POST", "PUT"].map(|method| Step::new(method, "/livez", Value::Null));
    compare(&mut both, paths.into_iter().map(get).chain(others), |_| {}).await;
}

#[tokio::test]
async fn definitions_get_their_finalizer_with_the_deletion() {
    let Some(mut both) = Both::with_namespace("definition-finalizer").await else { return };
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let one = format!("{definitions}/sails.finalizer.example.com");
    let version =
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } } });
    let spec = json!({
        "group": "finalizer.example.com", "scope": "Namespaced", "names": { "plural": "sails", "kind": "Sail" }, "versions": [version],
    });
    // When the conditions change is a matter of time.
    let hide = |responses: &mut [Value; 2]| {
        for response in responses {
            let body = &mut response["body"];
            let conditions = body["status"]["conditions"].take();
            let terminating = conditions.as_array().and_then(|all| all.iter().find(|it| it["type"] == "Terminating"));
            body["status"] = terminating.map_or(Value::Null, |it| json!([it["reason"], it["message"]]));
            for member in ["managedFields", "resourceVersion"] {
                body["metadata"][member].take();
            }
        }
    };
    let object = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "sails.finalizer.example.com" }, "spec": spec });
    compare(&mut both, [post(definitions, object), get(&one)], hide).await;
    let labels = json!({ "metadata": { "labels": { "a": "b" } } });
    let steps = [
        patch(format!("{one}/status"), labels),
        delete(format!("{one}?dryRun=All"), Value::Null),
        delete(&one, json!({ "propagationPolicy": "Foreground", "gracePeriodSeconds": 5 })),
    ];
    compare(&mut both, steps, hide).await;
}

#[tokio::test]
async fn deprecated_kinds_have_warnings() {
    let namespace = "deprecated";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let path = format!("/api/v1/namespaces/{namespace}/endpoints");
    let steps = [
        post(&path, json!({ "metadata": { "name": "one" } })),
        get(format!("{path}/one")),
        get(format!("{path}/none")),
        get(&path),
        patch(format!("{path}/one"), json!({ "metadata": { "labels": { "a": "b" } } })),
        delete(format!("{path}/one"), Value::Null),
        patch(&path, json!({})),
    ];
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test]
async fn objects_that_are_not_stored() {
    let Some(mut both) = Both::with_namespace("component-statuses").await else { return };
    let path = "/api/v1/componentstatuses";
    let of = |rest: &str| get(format!("{path}{rest}"));
    let steps = [
        of(""),
        of("").accepting(TABLE),
        of("/scheduler"),
        of("/scheduler").accepting(TABLE),
        of("/etcd-0").accepting(PARTIAL),
        of("/none"),
        of("/etcd-0/status"),
        of("?labelSelector=a%3Db"),
        of("?fieldSelector=metadata.name%3Detcd-0"),
        of("?watch=true"),
        post(path, json!({ "metadata": { "name": "one" } })),
        patch(format!("{path}/etcd-0"), json!({ "metadata": { "labels": { "a": "b" } } })),
        delete(format!("{path}/etcd-0"), Value::Null),
        delete(path, Value::Null),
        get("/apis/authorization.k8s.io/v1/subjectaccessreviews?watch=true"),
        get("/api/v1/namespaces/component-statuses/bindings?watch=true"),
    ];
    compare(&mut both, steps, |responses| {
        // The real server asks all components at the same time.
        let lists = responses.iter_mut().filter_map(|response| response["body"].as_object_mut()).flatten();
        for list in lists.filter_map(|(name, value)| value.as_array_mut().filter(|_| name == "items" || name == "rows"))
        {
            list.sort_by_key(Value::to_string);
        }
    })
    .await;
}

#[tokio::test]
async fn tables_of_scales() {
    let namespace = "shown-scales";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let deployments = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
    let steps = [(deployments, deployment("one")), (widgets(namespace), widget("one"))].into_iter().flat_map(
        |(path, object)| {
            let scale = format!("{path}/one/scale");
            let shown = [TABLE, PARTIAL, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"];
            let shown = shown.map(|accept| get(&scale).accepting(accept));
            let patched = patch(&scale, json!({ "spec": { "replicas": 3 } })).accepting(TABLE);
            [post(path, object)].into_iter().chain(shown).chain([patched])
        },
    );
    compare(&mut both, steps.collect::<Vec<_>>(), |_| {}).await;
}

/// A client does not own the spec of its request, which it cannot change.
#[tokio::test]
async fn managers_of_a_signing_request() {
    let Some(mut both) = Both::with_namespace("signing-requests").await else { return };
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let one = format!("{path}/managers");
    let spec = json!({ "request": encoded_request(), "signerName": "example.com/s", "usages": ["client auth"] });
    let steps = [
        post(path, json!({ "metadata": { "name": "managers" }, "spec": spec })),
        patch(&one, json!({ "metadata": { "labels": { "a": "b" } } })),
        patch(&one, json!({ "spec": { "usages": ["server auth"] } })),
        delete(&one, Value::Null),
    ];
    compare(&mut both, steps, |responses| {
        for response in responses {
            // The users of the tests differ.
            let managers = response["body"]["metadata"]["managedFields"].take();
            response["body"] = json!({ "managers": managers });
        }
    })
    .await;
}
