//! Webhooks, which both servers call over TLS.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit_api_server::ApiServer;
use crdkit_tests::{Request, Webhook, WebhookAnswer};
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
    example::get,
};

pub(crate) const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

fn widget(name: &str, case: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name, "labels": { "case": case } },
        "spec": { "zone": "a" },
    })
}

fn response(review: &Value, mut response: Value) -> Value {
    response["uid"] = review["request"]["uid"].clone();
    json!({ "kind": "AdmissionReview", "apiVersion": review["apiVersion"], "response": response })
}

fn patch(operations: Value, is_base64: bool) -> Value {
    let bytes = operations.to_string().into_bytes();
    let patch = if is_base64 { json!(ByteString(bytes)) } else { json!(bytes) };
    json!({ "allowed": true, "patchType": "JSONPatch", "patch": patch })
}

/// Answers as the path demands.
fn answer(path: &str, review: &Value) -> WebhookAnswer {
    let of = |answer: Value| response(review, answer);
    let object = &review["request"]["object"];
    match path {
        "/label" => of(patch(json!([{ "op": "add", "path": "/metadata/labels/labelled", "value": "yes" }]), true)),
        "/note" => {
            let note = object["spec"]["note"].as_str().unwrap_or_default().to_owned() + "n";
            of(patch(json!([{ "op": "add", "path": "/spec/note", "value": note }]), false))
        }
        "/invalid" => of(patch(json!([{ "op": "add", "path": "/spec/zone", "value": 1 }]), false)),
        "/not-applicable" => {
            let operation = match object["metadata"]["name"].as_str() {
                Some("not-applicable-1") => json!({ "op": "add", "path": "/spec/absent/x", "value": 1 }),
                Some("not-applicable-2") => json!({ "op": "remove", "path": "/spec/absent" }),
                Some("not-applicable-3") => json!({ "op": "replace", "path": "/spec/absent/x", "value": 1 }),
                Some("not-applicable-4") => json!({ "op": "test", "path": "/spec/zone", "value": "b" }),
                _ => json!({ "op": "remove", "path": "/spec/absent/x" }),
            };
            of(patch(json!([operation]), false))
        }
        "/undecodable" => of(patch(json!({ "op": "add" }), true)),
        "/other-type" => {
            let patch = patch(json!([{ "op": "remove", "path": "/spec/zone" }]), true);
            of(json!({ "allowed": true, "patchType": "MergePatch", "patch": patch["patch"] }))
        }
        "/no-type" => of(json!({ "allowed": true, "patch": "W10=" })),
        "/warn" => of(json!({ "allowed": true, "warnings": ["first \"warning\"", "second"], "auditAnnotations": { "a": "b" } })),
        "/deny" => of(json!({ "allowed": false })),
        "/reason" => of(json!({ "allowed": false, "status": { "code": 403, "reason": "Forbidden" } })),
        "/message" => of(json!({ "allowed": false, "status": {
            "code": 409, "reason": "Conflict", "message": "no & <no>", "details": { "kind": "x", "causes": [{ "field": "spec.zone" }] },
        } })),
        "/success" => of(json!({ "allowed": false, "status": { "status": "Success", "code": 200, "message": "fine" } })),
        "/uid" => json!({ "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": { "uid": "x", "allowed": true } }),
        "/absent" => json!({ "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1" }),
        "/error" => return WebhookAnswer { status: 500, body: "it broke".into(), delay: Duration::ZERO },
        "/missing" => return WebhookAnswer { status: 404, body: String::new(), delay: Duration::ZERO },
        "/slow" => return WebhookAnswer { delay: Duration::from_secs(3), ..of(json!({ "allowed": true })).into() },
        _ => of(json!({ "allowed": true })),
    }
    .into()
}

/// A webhook that is called for the widgets of a namespace with the label `case`.
pub(crate) fn webhook(case: &str, url: String, rest: Value) -> Value {
    let mut webhook = json!({
        "name": format!("{case}.example.com"),
        "rules": [{ "apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets", "widgets/status", "widgets/scale"] }],
        "clientConfig": { "url": url, "caBundle": ByteString(Webhook::authority().to_vec()) },
        "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "$namespace" } },
        "objectSelector": { "matchLabels": { "case": case } },
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    });
    for (name, value) in rest.as_object().into_iter().flatten() {
        webhook[name] = value.clone();
    }
    webhook
}

pub(crate) fn configuration(kind: &str, name: &str, webhooks: Vec<Value>) -> Value {
    json!({ "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": { "name": name }, "webhooks": webhooks })
}

/// What differs between the requests of both servers, and what every request has.
fn without_generated(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "deletionTimestamp"] {
                members.remove(name);
            }
            members.retain(|name, value| name != "extra" || *value != json!({}));
            members.values_mut().for_each(without_generated);
        }
        Value::Array(items) => items.iter_mut().for_each(without_generated),
        _ => {}
    }
}

/// The servers, with a webhook for each, and the requests to it.
struct Reviewed {
    both: Both,
    webhooks: Vec<Webhook>,
    reviews: [Arc<Mutex<Vec<Value>>>; 2],
}

impl Reviewed {
    async fn start(namespace: &str) -> Option<Self> {
        let both = Both::with_server(&ApiServer::new(), namespace, &[definition()]).await?;
        let reviews: [Arc<Mutex<Vec<Value>>>; 2] = Default::default();
        let mut webhooks = Vec::new();
        for reviews in &reviews {
            let reviews = reviews.clone();
            let webhook = Webhook::start(move |path, review| {
                let mut request = review["request"].clone();
                if request["name"] != "probe" {
                    without_generated(&mut request);
                    reviews.lock().unwrap().push(json!({ "path": path, "request": request }));
                }
                answer(path, &review)
            });
            webhooks.push(webhook.await);
        }
        Some(Self { both, webhooks, reviews })
    }

    /// Creates a configuration on both servers, and waits until it is in effect: the last webhook denies the widget `probe`.
    async fn configure(&mut self, kind: &str, configure: impl Fn(&dyn Fn(&str) -> String) -> Vec<Value>) {
        let namespace = self.both.namespace.clone();
        let plural = format!("{}s", kind.to_lowercase());
        for (client, webhook) in self.both.clients().into_iter().zip(&self.webhooks) {
            let url = |path: &str| webhook.url(path);
            let mut list = configure(&url);
            let probe = if kind.starts_with("Mutating") { "probe-mutating" } else { "probe-validating" };
            list.push(self::webhook(probe, url("/deny"), json!({})));
            let name = format!("{namespace}-{}", kind.to_lowercase());
            let body = configuration(kind, &name, list).to_string().replace("$namespace", &namespace);
            let body = serde_json::from_str(&body).unwrap();
            let created = Request::post(format!("{CONFIGURATIONS}/{plural}"), body).send(client).await.unwrap();
            assert_eq!(created.status, 201, "{}", created.body);
        }
        let probe = if kind.starts_with("Mutating") { "probe-mutating" } else { "probe-validating" };
        let step = Step::new("POST", format!("{}?dryRun=All", widgets(&namespace)), widget("probe", probe));
        let difference = self.both.send_eventually(&step, |_| {}).await;
        assert!(difference.is_none(), "{}", difference.unwrap());
    }

    async fn compare(&mut self, steps: Vec<Step>) {
        let mut differences = Vec::new();
        for step in steps {
            let mut responses = self.both.respond(&step).await;
            for (response, webhook) in responses.iter_mut().zip(&self.webhooks) {
                hide_port(response, webhook.port());
            }
            let [embedded, real] = responses;
            differences.extend(Both::difference(&step, embedded, real).map(|it| it.to_string()));
            let [ours, theirs] = [0, 1].map(|at| {
                let mut reviews = std::mem::take(&mut *self.reviews[at].lock().unwrap());
                // Validating webhooks are called at the same time.
                reviews.sort_by_key(ToString::to_string);
                Value::from(reviews)
            });
            differences.extend(Both::difference(&step, ours, theirs).map(|it| format!("reviews: {it}")));
        }
        assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    }
}

fn hide_port(value: &mut Value, port: u16) {
    let mut text = value.to_string().replace(&format!(":{port}/"), ":PORT/");
    let before = "expected response.uid=\\\"";
    for (start, _) in text.clone().match_indices(before) {
        const LENGTH: usize = 36;
        let start = start + before.len();
        text.replace_range(start..start + LENGTH, &"u".repeat(LENGTH));
    }
    *value = serde_json::from_str(&text).unwrap();
}

#[tokio::test]
async fn mutating_webhooks_change_objects() {
    let Some(mut servers) = Reviewed::start("mutating-webhooks").await else { return };
    let configure = |url: &dyn Fn(&str) -> String| {
        vec![
            webhook("note", url("/note"), json!({ "reinvocationPolicy": "IfNeeded" })),
            webhook(
                "label",
                url("/label"),
                json!({ "objectSelector": { "matchExpressions": [{ "key": "case", "operator": "In", "values": ["note", "label"] }] } }),
            ),
            webhook(
                "later",
                url("/note"),
                json!({ "objectSelector": { "matchLabels": { "labelled": "yes" } }, "reinvocationPolicy": "Never" }),
            ),
            webhook("invalid", url("/invalid"), json!({})),
            webhook("not-applicable", url("/not-applicable"), json!({})),
            webhook("no-type", url("/no-type"), json!({})),
            webhook("undecodable", url("/undecodable"), json!({ "failurePolicy": "Ignore" })),
            webhook("other-type", url("/other-type"), json!({ "failurePolicy": "Ignore" })),
            webhook("refused-type", url("/other-type"), json!({})),
            webhook("warn", url("/warn"), json!({})),
            webhook("deny", url("/message"), json!({})),
        ]
    };
    servers.configure("MutatingWebhookConfiguration", configure).await;
    let path = widgets(&servers.both.namespace);
    let mut steps = Vec::new();
    let cases = ["note", "label", "invalid", "not-applicable", "no-type", "undecodable", "other-type", "refused-type"];
    for case in cases.into_iter().chain(["warn", "deny", "other"]) {
        steps.push(Step::new("POST", &path, widget(case, case)));
    }
    for number in 1..=4 {
        steps.push(Step::new("POST", &path, widget(&format!("not-applicable-{number}"), "not-applicable")));
    }
    steps.extend([
        get(format!("{path}/note")),
        Step::new("PATCH", format!("{path}/label"), json!({ "spec": { "replicas": 2 } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/label/status"), json!({ "status": { "phase": "x" } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/applied?fieldManager=me"), widget("applied", "label")).of_type(APPLY),
        Step::new("PATCH", format!("{path}/applied?fieldManager=me&dryRun=All"), widget("applied", "note"))
            .of_type(APPLY),
        Step::new("DELETE", format!("{path}/label"), Value::Null),
        Step::new("DELETE", format!("{path}/warn"), Value::Null),
    ]);
    servers.compare(steps).await;
}

#[tokio::test]
async fn validating_webhooks_refuse_requests() {
    let Some(mut servers) = Reviewed::start("validating-webhooks").await else { return };
    let rule = |rest: Value| {
        let mut rule = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": ["*/*"] });
        for (name, value) in rest.as_object().into_iter().flatten() {
            rule[name] = value.clone();
        }
        json!({ "rules": [rule] })
    };
    let with = |mut one: Value, other: Value| {
        for (name, value) in other.as_object().into_iter().flatten() {
            one[name] = value.clone();
        }
        one
    };
    let condition = |expression: &str| json!({ "matchConditions": [{ "name": "c", "expression": expression }] });
    let configure = |url: &dyn Fn(&str) -> String| {
        let closed = "https://127.0.0.1:1/closed".to_owned();
        let mut list: Vec<Value> =
            ["deny", "reason", "message", "success", "uid", "absent", "error", "missing", "warn", "label"]
                .map(|case| webhook(case, url(&format!("/{case}")), json!({})))
                .into();
        list.extend([
            webhook("closed", closed.clone(), json!({})),
            webhook("ignored", closed, json!({ "failurePolicy": "Ignore" })),
            webhook("slow", url("/slow"), json!({ "timeoutSeconds": 1 })),
            webhook("true", url("/deny"), condition("object.metadata.name == 'true' && request.operation == 'CREATE'")),
            webhook("false", url("/deny"), condition("has(object.spec.note)")),
            webhook("failing", url("/deny"), condition("object.spec.absent == 1")),
            webhook(
                "failing-ignored",
                url("/deny"),
                with(condition("object.spec.absent == 1"), json!({ "failurePolicy": "Ignore" })),
            ),
            webhook("equivalent", url("/deny"), rule(json!({ "apiVersions": ["v2"], "resources": ["widgets"] }))),
            webhook(
                "exact",
                url("/deny"),
                with(rule(json!({ "apiVersions": ["v2"] })), json!({ "matchPolicy": "Exact" })),
            ),
            webhook("cluster", url("/deny"), rule(json!({ "scope": "Cluster" }))),
            webhook("status", url("/reason"), rule(json!({ "resources": ["widgets/status"] }))),
            webhook(
                "scale",
                url("/reason"),
                with(rule(json!({ "resources": ["*/scale"] })), json!({ "objectSelector": {} })),
            ),
            webhook("update", url("/reason"), rule(json!({ "operations": ["UPDATE"] }))),
            webhook("delete", url("/reason"), rule(json!({ "operations": ["DELETE"] }))),
        ]);
        list
    };
    servers.configure("ValidatingWebhookConfiguration", configure).await;
    let path = widgets(&servers.both.namespace);
    let cases = [
        "deny",
        "reason",
        "message",
        "success",
        "uid",
        "absent",
        "error",
        "missing",
        "warn",
        "label",
        "closed",
        "ignored",
        "slow",
        "true",
        "false",
        "failing",
        "failing-ignored",
        "equivalent",
        "exact",
        "cluster",
        "status",
        "update",
        "delete",
    ];
    let mut steps: Vec<_> = cases.map(|case| Step::new("POST", &path, widget(case, case))).into();
    steps.extend([
        Step::new("PATCH", format!("{path}/status/status"), json!({ "status": { "phase": "x" } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/status"), json!({ "spec": { "replicas": 2 } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/status/scale"), json!({ "spec": { "replicas": 3 } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/update"), json!({ "spec": { "replicas": 2 } })).of_type(MERGE),
        Step::new("PATCH", format!("{path}/update"), json!({ "metadata": { "labels": { "case": "other" } } }))
            .of_type(MERGE),
        Step::new("DELETE", format!("{path}/delete"), Value::Null),
        Step::new(
            "DELETE",
            format!("{path}/update"),
            json!({ "kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background" }),
        ),
        Step::new("DELETE", format!("{path}?labelSelector=case%20in%20(ignored,delete,warn)"), Value::Null),
        get(&path),
    ]);
    servers.compare(steps).await;
}
