use std::{future::pending, sync::Arc, time::Duration};

use http_body_util::{BodyExt as _, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::*;
use crate::webhook::{AdmissionContext, Error, Operation, Webhook, failed};

const PATH: &str = "/validate--v1-configmap";

/// Behaves as the name of the object demands.
async fn validate(map: Arc<ConfigMap>, cx: AdmissionContext<ConfigMap>) -> Result<(), Error> {
    match map.metadata.name.as_deref() {
        Some("panic") => panic!("a bug"),
        Some("slow") => pending().await,
        Some("failed") => Err(failed("no connection").into()),
        Some("denied") => Err("no".into()),
        _ => {
            cx.warn("first");
            cx.audit_annotation("checked", "yes");
            Ok(())
        }
    }
}

fn webhooks() -> Webhooks {
    let maps = Webhook::of::<ConfigMap>().validate(validate).mutate(|map, cx| {
        if cx.operation() == Operation::Create {
            map.data.get_or_insert_default().insert("a".into(), "b".into());
        }
    });
    Webhooks::new("maps").add(maps)
}

fn review(name: &str) -> Value {
    json!({
        "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "u", "operation": "CREATE", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "userInfo": { "username": "alice" },
            "object": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "unknown": 1 }, "unknown": { "x": null },
            },
        },
    })
}

fn request(path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json; charset=utf-8");
    request.body(Full::new(body.into())).unwrap()
}

async fn send<B>(service: &WebhookService, request: Request<B>) -> (u16, String)
where
    B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static,
{
    let response = service.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn answer(service: &WebhookService, path: &str, name: &str) -> (u16, String) {
    send(service, request(path, review(name).to_string())).await
}

#[tokio::test]
async fn reviews_are_answered() {
    let service = webhooks().service();
    let (status, body) = answer(&service, PATH, "web").await;
    let expected = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": { "uid": "u", "allowed": true, "warnings": ["first"], "auditAnnotations": { "checked": "yes" } },
    });
    assert_eq!((status, serde_json::from_str::<Value>(&body).unwrap()), (200, expected));

    let (_, body) = answer(&service, "/mutate--v1-configmap", "web").await;
    let response = serde_json::from_str::<Value>(&body).unwrap()["response"].take();
    let patch: k8s_openapi::ByteString = serde_json::from_value(response["patch"].clone()).unwrap();
    let patch: Value = serde_json::from_slice(&patch.0).unwrap();
    assert_eq!(patch, json!([{ "op": "add", "path": "/data", "value": { "a": "b" } }]));
    assert_eq!((&response["allowed"], &response["patchType"]), (&json!(true), &json!("JSONPatch")));

    let (status, body) = answer(&service, PATH, "denied").await;
    let response = serde_json::from_str::<Value>(&body).unwrap()["response"].take();
    assert_eq!((status, &response["allowed"], &response["status"]["code"]), (200, &json!(false), &json!(403)));
}

#[tokio::test]
async fn failures_are_no_answers_to_reviews() {
    let service = webhooks().service();
    assert_eq!(answer(&service, PATH, "failed").await, (500, "no connection".to_owned()));
    assert_eq!(answer(&service, PATH, "panic").await, (500, "the webhook panicked".to_owned()));
    let metrics = service.openmetrics();
    for line in [
        "controller_runtime_webhook_panics_total 1",
        "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"500\"} 2",
        "controller_runtime_webhook_requests_total{webhook=\"/mutate--v1-configmap\",code=\"200\"} 0",
        "controller_runtime_webhook_requests_in_flight{webhook=\"/validate--v1-configmap\"} 0.0",
        "controller_runtime_webhook_latency_seconds_count{webhook=\"/validate--v1-configmap\"} 2",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_review_ends_when_the_api_server_gives_up() {
    let service = webhooks().service();
    let start = tokio::time::Instant::now();
    let path = format!("{PATH}?timeout=2s");
    assert_eq!(answer(&service, &path, "slow").await, (504, "no result within 2s".to_owned()));
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!(answer(&service, &format!("{PATH}?timeout=1h"), "slow").await.0, 504);
    assert_eq!(start.elapsed(), Duration::from_secs(32));
}

#[tokio::test(start_paused = true)]
async fn further_reviews_wait() {
    let service = webhooks().concurrency(1).service();
    let first = tokio::spawn({
        let service = service.clone();
        async move { answer(&service, &format!("{PATH}?timeout=5s"), "slow").await }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let start = tokio::time::Instant::now();
    assert_eq!(answer(&service, PATH, "web").await.0, 200);
    assert_eq!((start.elapsed(), first.await.unwrap().0), (Duration::from_secs(4), 504));
}

#[tokio::test]
async fn other_requests_are_refused() {
    let service = webhooks().max_review_bytes(1000).service();
    let status = |request| async { send(&service, request).await.0 };
    assert_eq!(status(request("/validate--v1-pod", "{}")).await, 404);
    assert_eq!(status(Request::get(PATH).body(Full::default()).unwrap()).await, 405);
    assert_eq!(status(Request::post(PATH).body(Full::default()).unwrap()).await, 415);
    assert_eq!(status(request(PATH, "{}")).await, 400);
    assert_eq!(status(request(PATH, vec![b' '; 1001])).await, 413);
    assert_eq!(status(Request::get("/readyz").body(Full::default()).unwrap()).await, 200);
    service.start_draining();
    assert_eq!(status(Request::get("/readyz").body(Full::default()).unwrap()).await, 503);

    let endless = futures_util::stream::repeat_with(|| {
        Ok::<_, Infallible>(hyper::body::Frame::data(Bytes::from_static(&[b' '; 100])))
    });
    let endless = Request::post(PATH).header(header::CONTENT_TYPE, "application/json").body(StreamBody::new(endless));
    assert_eq!(send(&service, endless.unwrap()).await, (413, "the body is larger than 1000 bytes".to_owned()));
}

/// Replaces a value at any depth.
fn replace(value: &mut Value, steps: &[u8], replacement: Value) {
    let step = steps.first().map(|step| usize::from(*step));
    match (value, step) {
        (Value::Object(members), Some(step)) if !members.is_empty() => {
            let at = step % members.len();
            replace(members.values_mut().nth(at).expect("there is one"), &steps[1..], replacement);
        }
        (Value::Array(items), Some(step)) if !items.is_empty() => {
            let at = step % items.len();
            replace(&mut items[at], &steps[1..], replacement);
        }
        (value, _) => *value = replacement,
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["CREATE", "UPDATE", "DELETE", "CONNECT"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Whether the API server can handle a response: an answer to the review, or a status from 400 on.
fn is_well_formed((status, body): (u16, String)) -> bool {
    let is_answer = || {
        let review: Value = serde_json::from_str(&body).unwrap();
        review["response"]["allowed"].is_boolean() && review["response"]["uid"].is_string()
    };
    status >= 400 || (status == 200 && is_answer())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_review_is_answered(
        steps in prop::collection::vec(any::<u8>(), 0..6),
        replacement in value(),
        is_mutation in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let service = webhooks().service();
        let path = if is_mutation { "/mutate--v1-configmap" } else { PATH };
        let mut review = review("web");
        replace(&mut review, &steps, replacement);
        prop_assert!(is_well_formed(runtime.block_on(send(&service, request(path, review.to_string())))));
        prop_assert!(!service.openmetrics().contains("panics_total 1"));
    }

    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..64), path in "/[ -~]{0,20}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let service = webhooks().service();
        prop_assert!(is_well_formed(runtime.block_on(send(&service, request(PATH, body)))));
        if let Ok(request) = Request::post(path).body(Full::<Bytes>::default()) {
            prop_assert!(runtime.block_on(send(&service, request)).0 >= 400);
        }
    }
}
