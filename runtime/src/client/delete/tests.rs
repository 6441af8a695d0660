use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::*;
use crate::client::{
    mock::{Mock, Reply, unexpected::assert_unexpected},
    scope::InNamespace,
};

const MINUTE: Duration = Duration::from_secs(60);

fn config(uid: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "web", "uid": uid, "finalizers": ["example.com/cleanup"],
            "deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0,
        },
    })
}

fn list(items: &[Value]) -> Reply {
    Reply::json(200, json!({ "metadata": { "resourceVersion": "7" }, "items": items }))
}

fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
    mock.client().resources().namespace("prod")
}

#[tokio::test]
async fn options_are_sent() {
    let mock = Mock::new([Reply::success()]);
    let deleted = configs(&mock)
        .delete("web")
        .uid("u")
        .resource_version("7")
        .propagation(Propagation::Foreground)
        .grace_period(Duration::from_secs(5))
        .await;
    assert_eq!(deleted.unwrap(), Deleted::Gone);
    assert_eq!(mock.lines(), ["DELETE /api/v1/namespaces/prod/configmaps/web"]);
    let options = json!({
        "gracePeriodSeconds": 5,
        "propagationPolicy": "Foreground",
        "preconditions": { "uid": "u", "resourceVersion": "7" },
    });
    assert_eq!(mock.sent()[0].body, options);
}

#[tokio::test]
async fn object_with_finalizers_is_terminating() {
    let mock = Mock::new([Reply::json(200, config("u"))]);
    let deleted = configs(&mock).delete("web").await.unwrap();
    assert!(matches!(deleted, Deleted::Terminating(_)), "{deleted:?}");
    assert_eq!(mock.sent()[0].body, json!({}));
}

#[tokio::test]
async fn deletion_waits_for_the_deleted_object() {
    let event = |kind: &str, uid: &str| json!({ "type": kind, "object": config(uid) });
    let mock = Mock::new([
        Reply::json(200, config("u")),
        list(&[config("u")]),
        Reply::lines([event("DELETED", "another"), event("MODIFIED", "u")]),
        list(&[config("u")]),
        Reply::lines([event("DELETED", "u")]),
    ]);
    let deleted = configs(&mock).delete("web").and_wait(MINUTE).await;
    assert_eq!(deleted.unwrap(), Deleted::Gone);
    let lines = mock.lines();
    assert_eq!(lines.len(), 5);
    assert!(lines[1].contains("fieldSelector=metadata.name%3Dweb"), "{lines:?}");
    assert!(lines[2].contains("resourceVersion=7&watch=true"), "{lines:?}");
}

#[tokio::test]
async fn deletion_does_not_wait_for_another_object_of_the_same_name() {
    let mock = Mock::new([Reply::json(200, config("u")), list(&[config("another")])]);
    let deleted = configs(&mock).delete("web").and_wait(MINUTE).await;
    assert_eq!(deleted.unwrap(), Deleted::Gone);
}

#[tokio::test(start_paused = true)]
async fn timeout_error_lists_the_finalizers() {
    let watches = (0..20).flat_map(|_| [list(&[config("u")]), Reply::lines([])]);
    let mock = Mock::new([Reply::json(200, config("u"))].into_iter().chain(watches));
    let wait = Duration::from_secs(1);
    let error = configs(&mock).delete("web").and_wait(wait).await.unwrap_err();
    let DeleteError::StillExists { finalizers, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(finalizers, &["example.com/cleanup"]);
}

fn missing() -> Reply {
    Reply::status(404, "NotFound", "web")
}

#[tokio::test(start_paused = true)]
async fn deletion_without_response_is_retried_only_with_a_uid() {
    let lost = || Reply::status(504, "Timeout", "web").header("retry-after", "1");
    for lost in [Reply::lost(), lost()] {
        let mock = Mock::new([lost, missing()]);
        let configs = configs(&mock).max_retries(5);
        let deleted = configs.delete("web").uid("u").await;
        assert_eq!(deleted.unwrap(), Deleted::Gone);
        assert_eq!(mock.sent().len(), 2);
    }
    for lost in [Reply::lost(), lost()] {
        let mock = Mock::new([lost, missing()]);
        let error = configs(&mock).max_retries(5).delete("web").await;
        assert!(!error.unwrap_err().is_not_found());
        assert_eq!(mock.sent().len(), 1);
    }
    let mock = Mock::new([Reply::lost()]);
    let deletion = configs(&mock).max_retries(5).delete("web").uid("u");
    deletion.resource_version("7").await.unwrap_err();
    assert_eq!(mock.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn missing_object_was_not_deleted() {
    let busy = Reply::status(429, "TooManyRequests", "web");
    let mock = Mock::new([busy, missing()]);
    let deletion = configs(&mock).max_retries(5).delete("web").uid("u");
    assert!(deletion.await.unwrap_err().is_not_found());
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test]
async fn object_without_finalizers_and_grace_period_is_gone() {
    let time = "2026-01-01T00:00:00Z";
    for (metadata, is_gone) in [
        (json!({ "name": "web", "finalizers": ["a"] }), true),
        (json!({ "deletionTimestamp": time, "deletionGracePeriodSeconds": 0 }), true),
        (json!({ "deletionTimestamp": time, "deletionGracePeriodSeconds": 30 }), false),
        (json!({ "deletionTimestamp": time, "deletionGracePeriodSeconds": 0, "finalizers": ["a"] }), false),
        (json!({ "deletionTimestamp": time }), false),
    ] {
        let mock = Mock::new([Reply::json(200, json!({ "metadata": metadata }))]);
        let deleted = configs(&mock).delete("web").await.unwrap();
        assert_eq!(deleted == Deleted::Gone, is_gone, "{metadata}");
    }
}

#[tokio::test]
async fn unexpected_response_does_not_report_a_deletion() {
    let mut secret = config("u");
    secret["kind"] = json!("Secret");
    let mut other = config("u");
    other["metadata"]["name"] = json!("db");
    for odd in [json!({}), json!({ "status": "ok" }), json!([]), secret, other] {
        let mock = Mock::new([Reply::exactly(200, &odd)]);
        let error = configs(&mock).delete("web").await.unwrap_err();
        let unexpected = matches!(error, DeleteError::Request(Error::Unexpected { .. }));
        assert!(unexpected, "{odd}: {error}");
    }
    let of_another = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Success", "details": { "name": "db" },
    });
    let mock = Mock::new([Reply::exactly(200, &of_another)]);
    let deleted = configs(&mock).delete("web").await;
    let Err(DeleteError::Request(error)) = deleted else {
        panic!("{deleted:?}");
    };
    assert_unexpected(&error);
    let mock = Mock::new([Reply::status(200, "Conflict", "web")]);
    let error = configs(&mock).delete("web").await.unwrap_err();
    assert_eq!(error.status().unwrap().reason, "Conflict");
}

#[tokio::test]
async fn mismatched_object_is_deleted() {
    let mut odd = config("u");
    odd["data"] = json!({ "size": 1 });
    let mock = Mock::new([Reply::json(200, odd)]);
    let deleted = configs(&mock).delete("web").await.unwrap();
    assert!(matches!(&deleted, Deleted::Terminating(metadata) if metadata.uid.as_deref() == Some("u")));
}

#[tokio::test(start_paused = true)]
async fn waiting_continues_after_a_broken_connection() {
    let mock = Mock::new([
        Reply::json(200, config("u")),
        Reply::lost(),
        Reply::status(429, "TooManyRequests", ""),
        list(&[config("u")]),
        Reply::status(503, "ServiceUnavailable", ""),
        list(&[config("u")]),
        Reply::lost(),
        list(&[]),
    ]);
    let deleted = configs(&mock).delete("web").and_wait(MINUTE).await;
    assert_eq!(deleted.unwrap(), Deleted::Gone);
    assert_eq!(mock.sent().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn unknown_state_at_the_deadline_is_the_last_error() {
    let found = [Reply::json(200, config("u")), list(&[config("u")])];
    let mock = Mock::new(found.into_iter().chain((0..1000).map(|_| Reply::lost())));
    let wait = Duration::from_secs(1);
    let error = configs(&mock).delete("web").and_wait(wait).await.unwrap_err();
    assert!(matches!(error, DeleteError::Request(Error::Transport { .. })), "{error}");
}
