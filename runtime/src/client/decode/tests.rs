//! Tests of the nesting depth.

use futures_util::StreamExt;
use k8s_openapi::{api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps};
use kube_core::ApiResource;

use super::*;
use crate::client::{
    Limits, WatchEvent,
    dynamic::Unstructured,
    mock::{Mock, Reply},
};

/// Returns an object with this number of levels.
fn object(levels: usize) -> String {
    let (begin, end) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
    let metadata = r#"{"name":"web","resourceVersion":"7"}"#;
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata},"data":{begin}{end}}}"#)
}

fn list(item: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMapList","metadata":{{"resourceVersion":"7"}},"items":[{item}]}}"#)
}

fn event(object: &str) -> String {
    format!("{{\"type\":\"ADDED\",\"object\":{object}}}\n")
}

#[track_caller]
fn assert_depth<T>(read: Result<T, Error>, allowed: usize, fits: bool) {
    let Err(error) = read else { return assert!(fits, "{allowed}") };
    let is_depth = matches!(
        error,
        Error::TooLarge { limit: Limit::Depth, allowed: named, .. } if named == allowed
    );
    assert!(is_depth && !fits, "{allowed}: {error}");
    let message = format!("an object is nested more than {allowed} deep");
    assert!(error.to_string().contains(&message), "{error}");
}

#[tokio::test]
async fn objects_are_decoded_up_to_the_depth_limit() {
    for (allowed, levels) in [(3, 3), (3, 4), (124, 125), (125, 126), (126, 126), (126, 127)].into_iter().chain([
        (127, 127),
        (127, 128),
        (127, 129),
        (1000, 127),
        (1000, 128),
    ]) {
        let deep = object(levels);
        let mock = Mock::new([
            Reply::text(200, &deep),
            Reply::text(200, &list(&deep)),
            Reply::text(200, &(event(&deep) + &event(&object(3)))),
        ]);
        let kind = ApiResource::erase::<ConfigMap>(&());
        let client = mock.client().limits(Limits::default().depth(allowed));
        let configs = client.resources_with::<Unstructured>(kind).namespace("prod");
        let (allowed, fits) = (allowed.min(127), levels <= allowed.min(127));
        assert_depth(configs.get("web").await, allowed, fits);
        let listed = configs.list().await;
        assert_eq!(listed.as_ref().map_or(0, |list| list.items.len()), usize::from(fits));
        assert_depth(listed, allowed, fits);
        let mut events = configs.watch().await.unwrap();
        assert_depth(events.next().await.unwrap(), allowed, fits);
        let next = events.next().await.unwrap();
        assert!(matches!(next, Ok(WatchEvent::Added(_))), "the other items are decoded: {next:?}");
    }
}

#[tokio::test]
async fn list_of_another_kind_is_rejected_at_any_depth() {
    let secrets = list(&object(128)).replace("ConfigMapList", "SecretList");
    for allowed in [3, 127] {
        let mock = Mock::new([Reply::text(200, &secrets.replace("\"ConfigMap\"", "\"Secret\""))]);
        let client = mock.client().limits(Limits::default().depth(allowed));
        let configs = client.resources::<ConfigMap>().namespace("prod");
        let error = configs.list().await.unwrap_err();
        assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    }
}

/// Nests `not`, with a type mismatch at the innermost level.
fn schema(levels: usize) -> String {
    let around = levels - 1;
    format!("{}{{\"type\":3}}{}", "{\"not\":".repeat(around), "}".repeat(around))
}

#[test]
fn errors_are_located_at_any_depth() {
    for levels in [8, 127] {
        let failure = super::object::<JSONSchemaProps>(schema(levels).as_bytes()).unwrap_err();
        assert_eq!(failure.path, Some("not.".repeat(levels - 1) + "type"));
        let message = failure.source.to_string();
        assert!(message.starts_with("invalid type: integer, expected a string"), "{message}");
    }
}
