use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use serde_json::{Value, json};

use super::*;
use crate::{
    client::{
        error::Error,
        mock::{Mock, Reply},
    },
    conditions,
};

const SECOND: Duration = Duration::from_secs(1);

fn deployment(uid: &str, available: i64) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "namespace": "prod", "uid": uid, "resourceVersion": "5", "generation": 1 },
        "spec": { "replicas": 2, "selector": {}, "template": {} },
        "status": {
            "observedGeneration": 1,
            "replicas": 2,
            "updatedReplicas": 2,
            "readyReplicas": 2,
            "availableReplicas": available,
            "conditions": [{ "type": "Available", "status": if available == 2 { "True" } else { "False" }, "reason": "Pods" }],
        },
    })
}

fn list(items: &[Value]) -> Reply {
    Reply::json(
        200,
        json!({ "apiVersion": "apps/v1", "kind": "DeploymentList", "metadata": { "resourceVersion": "7" }, "items": items }),
    )
}

fn event(kind: &str, object: &Value) -> Value {
    json!({ "type": kind, "object": object })
}

fn deployments(mock: &Mock) -> Resources<Deployment, super::super::scope::InNamespace> {
    mock.client().resources::<Deployment>().namespace("prod")
}

#[tokio::test]
async fn the_object_is_returned_when_the_state_is_there() {
    let mock = Mock::new([list(&[deployment("u", 2)])]);
    let web = deployments(&mock).wait_until("web", status::of).await.unwrap();
    assert_eq!(web.metadata.uid.as_deref(), Some("u"));
    let [line] = &mock.lines()[..] else { panic!("{:?}", mock.lines()) };
    assert!(line.contains("fieldSelector=metadata.name%3Dweb"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn the_object_may_come_later_and_anew() {
    let mock = Mock::new([
        list(&[]),
        Reply::lines([
            event("ADDED", &deployment("a", 0)),
            event("DELETED", &deployment("a", 2)),
            event("ADDED", &deployment("b", 1)),
        ]),
        Reply::lost(),
        list(&[deployment("b", 1)]),
        Reply::lines([event("MODIFIED", &deployment("b", 2))]),
    ]);
    let web = deployments(&mock).wait_until("web", conditions::is_true("Available")).await.unwrap();
    assert_eq!(web.metadata.uid.as_deref(), Some("b"));
    assert_eq!(mock.sent().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn the_error_says_what_the_object_looked_like() {
    let rounds = (0..50).flat_map(|_| [list(&[deployment("u", 1)]), Reply::lines([])]);
    let mock = Mock::new(rounds);
    let error = deployments(&mock).wait_until("web", |_: &Deployment| false).within(SECOND).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Deployment `web` in namespace `prod` was not in the state that was waited for within 1s: it is InProgress: LessAvailable; \
         its conditions are Available=False (Pods)"
    );
    let mock = Mock::new((0..50).flat_map(|_| [list(&[deployment("u", 1)]), Reply::lines([])]));
    let quoting = mock.client().quote_values().resources::<Deployment>().namespace("prod");
    let error = quoting.wait_until("web", |_: &Deployment| false).within(SECOND).await.unwrap_err().to_string();
    assert!(error.contains("LessAvailable: 1 of 2 replicas are available; its conditions"), "{error}");
    let mock = Mock::new((0..50).flat_map(|_| [list(&[]), Reply::lines([])]));
    let error = deployments(&mock).wait_until("web", status::of).within(SECOND).await.unwrap_err();
    assert!(error.to_string().ends_with("within 1s: it does not exist"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_state_is_the_last_error() {
    let mock = Mock::new(std::iter::once(list(&[deployment("u", 1)])).chain((0..50).map(|_| Reply::lost())));
    let error = deployments(&mock).wait_until("web", status::of).within(SECOND).await.unwrap_err();
    let WaitUntilError::Elapsed { source: Some(source), .. } = &error else { panic!("{error}") };
    assert!(matches!(**source, Error::Transport { .. }), "{source}");
    assert!(error.to_string().ends_with("its state is unknown since, because the last request failed"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_decoded_may_be_followed_by_others() {
    let mut odd = deployment("u", 1);
    odd["spec"]["replicas"] = json!("two");
    let broken = Reply::status(500, "InternalError", "");
    for first in [list(std::slice::from_ref(&odd)), broken] {
        let events = [event("MODIFIED", &odd), event("MODIFIED", &deployment("u", 2))];
        let mock = Mock::new([first, list(&[deployment("u", 1)]), Reply::lines(events)]);
        deployments(&mock).wait_until("web", status::of).within(60 * SECOND).await.unwrap();
        assert_eq!(mock.sent().len(), 3);
    }
}

#[tokio::test]
async fn a_failure_ends_the_wait() {
    let mut failed = deployment("u", 1);
    failed["status"]["conditions"] =
        json!([{ "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded" }]);
    let mock = Mock::new([list(&[failed])]);
    let error = deployments(&mock).wait_until("web", status::of).await.unwrap_err();
    assert!(matches!(error, WaitUntilError::Never { .. }), "{error}");
    assert!(error.to_string().ends_with("it is Failed: ProgressDeadlineExceeded"), "{error}");
}

#[tokio::test]
async fn a_refused_request_ends_the_wait() {
    let mock = Mock::new([Reply::status(403, "Forbidden", "")]);
    let error = deployments(&mock).wait_until("web", status::of).await.unwrap_err();
    assert!(matches!(error, WaitUntilError::Request(Error::Forbidden(_))), "{error}");
}

#[tokio::test]
async fn a_given_object_is_waited_for_by_its_uid() {
    let given: Deployment = serde_json::from_value(deployment("u", 1)).unwrap();
    let changed = Reply::lines([event("DELETED", &deployment("older", 1)), event("MODIFIED", &deployment("u", 2))]);
    let mock = Mock::new([list(&[deployment("u", 1)]), changed]);
    let all = mock.client().resources::<Deployment>().all_namespaces();
    all.wait_for(&given, status::of).await.unwrap();
    assert!(mock.lines()[0].contains("/namespaces/prod/deployments?"), "{:?}", mock.lines());

    let deleted = Reply::lines([event("DELETED", &deployment("u", 2))]);
    for replies in [vec![list(&[])], vec![list(&[deployment("newer", 2)])], vec![list(&[deployment("u", 1)]), deleted]]
    {
        let mock = Mock::new(replies);
        let error = deployments(&mock).wait_for(&given, status::of).await.unwrap_err();
        assert_eq!(error.to_string(), "Deployment `web` in namespace `prod` was deleted");
    }

    let mock = Mock::new([]);
    let new = Deployment { metadata: ObjectMeta::default(), ..given };
    let error = deployments(&mock).wait_for(&new, status::of).await.unwrap_err();
    assert!(matches!(error, WaitUntilError::Request(Error::MissingName { .. })), "{error}");
    assert!(error.to_string().starts_with("cannot watch "), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_object_is_waited_for() {
    let object = |uid: &str| json!({ "metadata": { "name": "web", "namespace": "prod", "uid": uid } });
    let metadata = |items: &[Value]| {
        let types = json!({ "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata" });
        let items: Vec<_> = items.iter().map(|item| json!({ "metadata": item["metadata"], "kind": types["kind"], "apiVersion": types["apiVersion"] })).collect();
        Reply::json(
            200,
            json!({
                "apiVersion": "meta.k8s.io/v1",
                "kind": "PartialObjectMetadataList",
                "metadata": { "resourceVersion": "7" },
                "items": items,
            }),
        )
    };
    for replies in [vec![metadata(&[])], vec![metadata(&[object("a")]), Reply::lines([]), metadata(&[object("b")])]] {
        let count = replies.len();
        let mock = Mock::new(replies);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.wait_until_deleted("web").await.unwrap();
        assert_eq!(mock.sent().len(), count);
    }
    let mut held = object("a");
    held["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    held["metadata"]["finalizers"] = json!(["example.com/a", "example.com/b"]);
    let mock = Mock::new((0..50).flat_map(|_| [metadata(std::slice::from_ref(&held)), Reply::lines([])]));
    let configs = mock.client().resources::<ConfigMap>().namespace("prod");
    let error = configs.wait_until_deleted("web").within(SECOND).await.unwrap_err().to_string();
    assert!(
        error.ends_with("it is being deleted, and waits for its finalizers example.com/a, example.com/b"),
        "{error}"
    );
    let mock = Mock::new((0..50).flat_map(|_| [metadata(&[object("a")]), Reply::lines([])]));
    let configs = mock.client().resources::<ConfigMap>().namespace("prod");
    let error = configs.wait_until_deleted("web").within(SECOND).await.unwrap_err().to_string();
    assert!(error.ends_with("within 1s: it exists, and is not being deleted"), "{error}");
}
