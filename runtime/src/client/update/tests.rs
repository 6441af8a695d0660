use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::{DynamicObject, ObjectMeta};
use serde_json::json;

use super::*;
use crate::client::{
    mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    },
    scope::InNamespace,
};

fn config(version: &str, size: &str) -> Reply {
    let metadata = json!({ "name": "web", "resourceVersion": version });
    let data = json!({ "size": size, "other": "kept" });
    Reply::json(200, json!({ "metadata": metadata, "data": data, "unknown": { "to": "the type" } }))
}

fn conflict() -> Reply {
    Reply::status(409, "Conflict", "web")
}

fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
    mock.client().resources().namespace("prod")
}

fn resize(size: &'static str) -> impl FnMut(&mut ConfigMap) {
    move |config| {
        let data = config.data.get_or_insert_default();
        data.insert("size".into(), size.into());
    }
}

#[tokio::test]
async fn only_the_change_is_sent_with_the_version_that_was_read() {
    let mock = Mock::new([config("7", "1"), config("8", "2")]);
    let updated = configs(&mock).update("web", resize("2")).await.unwrap();
    assert_eq!(updated.metadata.resource_version.as_deref(), Some("8"));
    let patch = json!({ "metadata": { "resourceVersion": "7" }, "data": { "size": "2" } });
    assert_eq!(mock.sent()[1].body, patch);
    assert_eq!(mock.sent()[1].content_type, "application/merge-patch+json");
}

#[tokio::test]
async fn a_null_is_sent_in_a_json_patch() {
    let values = |values: Value| {
        let metadata = json!({ "name": "web", "resourceVersion": "7" });
        json!({ "apiVersion": "example.com/v1", "kind": "Chart", "metadata": metadata, "spec": { "values": values } })
    };
    let mock = Mock::new([values(json!({ "b": { "d": 1 } })), values(Value::Null)].map(|it| Reply::exactly(200, &it)));
    let kind = kube_core::GroupVersionKind::gvk("example.com", "v1", "Chart");
    let kind = kube_core::ApiResource::from_gvk_with_plural(&kind, "charts");
    let charts = mock.client().resources_with::<DynamicObject>(kind).namespace("prod");
    charts.update("web", |chart| chart.data["spec"]["values"]["b"]["d"] = Value::Null).await.unwrap();
    let patch = json!([
        { "op": "add", "path": "/spec/values/b/d", "value": null },
        { "op": "add", "path": "/metadata/resourceVersion", "value": "7" },
    ]);
    assert_eq!(mock.sent()[1].body, patch);
    assert_eq!(mock.sent()[1].content_type, "application/json-patch+json");
}

#[tokio::test]
async fn a_response_with_another_object_or_an_earlier_version_is_rejected() {
    let config = |uid: &str, version: &str| {
        let metadata = json!({ "name": "web", "uid": uid, "resourceVersion": version });
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })
    };
    for (uid, version, is_right) in [("a", "8", true), ("a", "7", true), ("a", "6", false), ("b", "8", false)] {
        let replies = || [config("a", "7"), config(uid, version)].map(|it| Reply::exactly(200, &it));
        let mock = Mock::new(replies());
        let updated = configs(&mock).update("web", resize("2")).await.map_err(Error::from);
        let mock = Mock::new(replies().into_iter().skip(1));
        let given: ConfigMap = serde_json::from_value(config("a", "7")).unwrap();
        let replaced = configs(&mock).replace(&given).await;
        let mock = Mock::new(replies().into_iter().skip(1));
        let from = configs(&mock).update_from(&given, resize("2")).await.map_err(Error::from);
        for outcome in [updated, replaced, from] {
            match outcome {
                Ok(_) => assert!(is_right, "{uid} {version}"),
                Err(error) if is_right => panic!("{error}"),
                Err(error) => assert_unexpected(&error),
            }
        }
    }
}

#[tokio::test]
async fn unchanged_object_is_not_sent() {
    let mock = Mock::new([config("7", "1")]);
    configs(&mock).update("web", resize("1")).await.unwrap();
    assert_eq!(mock.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn conflict_is_retried_with_the_newer_object() {
    let replies = [config("7", "1"), conflict(), config("8", "5"), config("9", "2")];
    let mock = Mock::new(replies);
    configs(&mock).update("web", resize("2")).await.unwrap();
    let sent = mock.sent();
    assert_eq!(sent.len(), 4);
    assert_eq!(sent[3].body["metadata"]["resourceVersion"], "8");
}

/// Runs an update that counts up, and returns its result and the count.
async fn counted(replies: impl IntoIterator<Item = Reply>) -> (Result<ConfigMap, UpdateError>, u32) {
    let mock = Mock::new(replies);
    let configs = mock.client().max_retries(5).resources().namespace("prod");
    let mut count = 0;
    let count_up = |config: &mut ConfigMap| {
        count += 1;
        resize("2")(config);
    };
    let result = configs.create_or_update(&web(), count_up).await;
    (result.map(|(object, _)| object), count)
}

#[tokio::test(start_paused = true)]
async fn change_without_response_is_not_retried() {
    let timeout = || Reply::status(504, "Timeout", "web");
    for lost in [Reply::lost(), timeout(), timeout().header("retry-after", "1")] {
        let (result, count) = counted([config("7", "1"), lost, conflict(), config("8", "2")]).await;
        let error = Error::from(result.unwrap_err());
        assert!(matches!(error, Error::Transport { .. } | Error::Timeout(_)), "{error}");
        assert_eq!(count, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn creation_without_response_is_not_retried() {
    let missing = Reply::status(404, "NotFound", "web");
    let taken = Reply::status(409, "AlreadyExists", "web");
    let (result, count) = counted([missing, Reply::lost(), taken, config("8", "2")]).await;
    assert!(matches!(result, Err(UpdateError::Request(Error::Transport { .. }))), "{result:?}");
    assert_eq!(count, 1);
}

#[tokio::test(start_paused = true)]
async fn change_that_was_not_made_is_retried() {
    let busy = Reply::status(429, "TooManyRequests", "web");
    let (result, count) = counted([config("7", "1"), busy, config("8", "2")]).await;
    assert_eq!(result.unwrap().metadata.resource_version.as_deref(), Some("8"));
    assert_eq!(count, 1);
}

#[tokio::test(start_paused = true)]
async fn endless_conflicts_exhaust_the_attempts() {
    let replies = (0..3).flat_map(|_| [config("7", "1"), conflict()]);
    let mock = Mock::new(replies);
    let configs = configs(&mock).max_attempts(3);
    let error = configs.update("web", resize("2")).await.unwrap_err();
    assert!(matches!(error, UpdateError::RetriesExhausted { attempts: 3, .. }), "{error}");
    assert_eq!(error.status().unwrap().code, 409);
    assert_eq!(mock.sent().len(), 6);
}

#[tokio::test]
async fn closure_can_abort_the_change() {
    let mock = Mock::new([config("7", "1")]);
    let off = |_: &mut ConfigMap| Err("not today");
    let error = configs(&mock).update("web", off).await.unwrap_err();
    assert!(matches!(error, UpdateError::Aborted("not today")), "{error}");
    assert_eq!(mock.sent().len(), 1);
}

fn web() -> ConfigMap {
    ConfigMap { metadata: ObjectMeta { name: Some("web".into()), ..Default::default() }, ..Default::default() }
}

#[tokio::test(start_paused = true)]
async fn missing_object_is_created_with_the_change() {
    let missing = || Reply::status(404, "NotFound", "web");
    let replies = [missing(), Reply::status(409, "AlreadyExists", "web"), missing(), config("1", "2")];
    let mock = Mock::new(replies);
    let made = configs(&mock).create_or_update(&web(), resize("2")).await;
    assert_eq!(made.unwrap().1, OperationResult::Created);
    assert_eq!(mock.sent()[3].body["data"], json!({ "size": "2" }));
}

#[tokio::test]
async fn existing_object_is_updated_or_unchanged() {
    for (size, outcome) in [("2", OperationResult::Updated), ("1", OperationResult::Unchanged)] {
        let mock = Mock::new([config("7", "1"), config("8", "2")]);
        let made = configs(&mock).create_or_update(&web(), resize(size)).await;
        assert_eq!(made.unwrap().1, outcome);
    }
}

#[tokio::test]
async fn dropped_change_is_not_an_update() {
    let mock = Mock::new([config("7", "1"), config("7", "1")]);
    let made = configs(&mock).create_or_update(&web(), resize("2")).await;
    assert_eq!(made.unwrap().1, OperationResult::Unchanged);

    // As in a dry run, or if the update removes the last finalizer.
    let mock = Mock::new([config("7", "1"), config("7", "2")]);
    let made = configs(&mock).create_or_update(&web(), resize("2")).await;
    assert_eq!(made.unwrap().1, OperationResult::Updated);
}

#[tokio::test]
async fn responses_must_be_the_updated_object() {
    let metadata = json!({ "name": "web", "namespace": "prod", "resourceVersion": "7" });
    let web = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
    let mut object = ConfigMap::default();
    object.metadata.name = Some("web".into());
    for odd in in_place_of(&web) {
        let right = || Reply::exactly(200, &web);
        let missing = || Reply::status(404, "NotFound", "web");
        let odd = || Reply::exactly(200, &odd);
        let mock = Mock::new([odd(), right(), odd(), missing(), odd(), odd()]);
        let configs = configs(&mock);
        for updated in [
            configs.update("web", resize("2")).await.map(drop),
            configs.update("web", resize("2")).await.map(drop),
            configs.create_or_update(&object, resize("2")).await.map(drop),
            configs.create_or_update(&object, resize("2")).await.map(drop),
        ] {
            let Err(UpdateError::Request(error)) = updated else {
                panic!("{updated:?}");
            };
            assert_unexpected(&error);
        }
        assert_eq!(mock.sent().len(), 6);
    }
}
