use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::client::{
    Limit, Limits, Resources,
    error::TimeoutPhase,
    mock::{Mock, Reply},
    scope::InNamespace,
};

const SECOND: Duration = Duration::from_secs(1);

fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
    let client = mock.client().max_retries(5);
    client.resources::<ConfigMap>().namespace("prod")
}

fn found() -> Reply {
    Reply::json(200, json!({ "metadata": { "name": "web" } }))
}

fn web() -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": "web" } })).unwrap()
}

fn phase(error: &Error) -> (TimeoutPhase, Duration) {
    match error {
        Error::DeadlineExceeded { phase, limit, .. } => (*phase, *limit),
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn repeatable_call_has_time_for_another_attempt() {
    let start = Instant::now();
    let mock = Mock::new([Reply::silent(), found()]);
    configs(&mock).get("web").await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 30);

    let start = Instant::now();
    let mock = Mock::new([Reply::silent(), Reply::silent(), found()]);
    let error = configs(&mock).get("web").await.unwrap_err();
    assert_eq!(phase(&error), (TimeoutPhase::Response, 60 * SECOND));
    assert!(!error.is_outcome_unknown());
    assert_eq!((start.elapsed().as_secs(), mock.sent().len()), (60, 2));
}

#[tokio::test(start_paused = true)]
async fn write_is_sent_once_and_its_outcome_is_unknown() {
    let start = Instant::now();
    let mock = Mock::new([Reply::silent(), found()]);
    let error = configs(&mock).timeout(7 * SECOND).create(&web()).await.unwrap_err();
    assert_eq!(phase(&error), (TimeoutPhase::Response, 7 * SECOND));
    assert!(error.is_outcome_unknown());
    let message = error.to_string();
    assert!(message.contains("unknown whether the change was made"), "{message}");
    assert!(message.contains("`.timeout(...)`"), "{message}");
    assert_eq!((start.elapsed().as_secs(), mock.sent().len()), (7, 1));
}

#[tokio::test(start_paused = true)]
async fn every_verb_has_a_deadline() {
    let mock = Mock::new((0..20).map(|_| Reply::silent()));
    let configs = configs(&mock).max_retries(0).timeout(5 * SECOND);
    let change = crate::client::Patch::merge(json!({ "data": { "a": "b" } }));
    let calls: Vec<super::super::RequestFuture<'_, ()>> = vec![
        Box::pin(async { configs.get("web").await.map(drop) }),
        Box::pin(async { configs.get_opt("web").await.map(drop) }),
        Box::pin(async { configs.list().await.map(drop) }),
        Box::pin(async { configs.watch().await.map(drop) }),
        Box::pin(async { configs.create(&web()).await.map(drop) }),
        Box::pin(async { configs.replace(&web()).await.map(drop) }),
        Box::pin(async { configs.patch("web", &change).await.map(drop) }),
        Box::pin(async {
            let updated = configs.update("web", |_| ()).await;
            updated.map(drop).map_err(Error::from)
        }),
        Box::pin(async {
            let deleted = configs.delete("web").await;
            deleted.map(drop).map_err(|error| match error {
                crate::client::DeleteError::Request(error) => error,
                other => panic!("{other}"),
            })
        }),
        Box::pin(async {
            let discovery = configs.client().discovery();
            discovery.api_resources().await.map(drop).map_err(|error| match error {
                crate::client::discovery::DiscoveryError::Request(error) => error,
                other => panic!("{other}"),
            })
        }),
    ];
    for call in calls {
        let start = Instant::now();
        let error = call.await.unwrap_err();
        assert_eq!(phase(&error), (TimeoutPhase::Response, 5 * SECOND), "{error}");
        assert_eq!(start.elapsed(), 5 * SECOND, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_retry_starts_after_the_deadline() {
    let busy = || Reply::status(429, "TooManyRequests", "web").header("retry-after", "9");
    let mock = Mock::new([busy(), busy(), found()]);
    let start = Instant::now();
    let error = configs(&mock).timeout(15 * SECOND).get("web").await;
    assert!(matches!(error, Err(Error::TooManyRequests(_))), "{error:?}");
    assert!(start.elapsed() < 11 * SECOND);
    assert_eq!(mock.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn maximum_duration_is_no_limit() {
    for reply in [Reply::silent(), found().stalled()] {
        let mock = Mock::new([reply]);
        let configs = configs(&mock).timeout(Duration::MAX).stall_timeout(Duration::MAX);
        let year = 365 * 86_400 * SECOND;
        assert!(tokio::time::timeout(year, configs.get("web")).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn stalled_bodies_are_requested_again() {
    for broken in [found().stalled(), Reply::text(200, "").endless(1, SECOND)] {
        let start = Instant::now();
        let mock = Mock::new([broken, found()]);
        configs(&mock).get("web").await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 30);
    }
    let mock = Mock::new([found().stalled()]);
    let error = configs(&mock).create(&web()).await.unwrap_err();
    assert_eq!(phase(&error), (TimeoutPhase::Body, 30 * SECOND));
    assert!(error.is_outcome_unknown());
}

#[tokio::test(start_paused = true)]
async fn endless_error_bodies_have_the_deadline_of_the_call() {
    let start = Instant::now();
    let slow = Reply::text(500, "").endless(2048, 10 * SECOND);
    let mock = Mock::new([slow]);
    let error = configs(&mock).get("web").await.unwrap_err();
    assert_eq!(phase(&error), (TimeoutPhase::Response, 60 * SECOND));
    assert_eq!(start.elapsed(), 60 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn too_large_responses_are_not_read() {
    let endless = |code| Reply::text(code, "").endless(1 << 16, Duration::ZERO);
    let limits = Limits::default().object(1 << 20).page(2 << 20).watch_event(3 << 20);
    let mock = Mock::new([endless(200), endless(200), endless(200)]);
    let configs = configs(&mock).limits(limits);
    let get = configs.get("web").await.unwrap_err();
    let list = configs.list().await.unwrap_err();
    let watch = configs.watch().await.unwrap().next().await.unwrap().unwrap_err();
    for (error, expected) in
        [(get, (Limit::Object, 1 << 20)), (list, (Limit::Page, 2 << 20)), (watch, (Limit::WatchEvent, 3 << 20))]
    {
        let Error::TooLarge { limit, allowed, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!((*limit, *allowed), expected);
        let message = error.to_string();
        assert!(message.contains(&allowed.to_string()), "{message}");
        assert!(message.contains(".limits(Limits::default()."), "{message}");
    }
    assert_eq!(mock.sent().len(), 3, "no request was repeated");
}

#[tokio::test(start_paused = true)]
async fn messages_quote_the_start_of_long_texts() {
    let mock = Mock::new([Reply::text(500, &"<html>".repeat(20_000))]);
    let error = configs(&mock).get("web").await.unwrap_err();
    assert!(error.to_string().len() < 5000);
}

#[tokio::test(start_paused = true)]
async fn trickling_watch_ends_in_time() {
    for trickle in [
        Reply::text(200, "").stalled(),
        Reply::text(200, "").endless(1, SECOND),
        Reply::text(200, "").endless(100, Duration::from_millis(1)),
    ] {
        let start = Instant::now();
        let mock = Mock::new([trickle]);
        let mut watch = configs(&mock).watch().timeout(20 * SECOND).await.unwrap();
        let error = watch.next().await.unwrap().unwrap_err();
        assert_eq!(phase(&error), (TimeoutPhase::Watch, 30 * SECOND));
        assert_eq!(start.elapsed().as_secs(), 30);
        assert!(watch.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn watches_and_grace_periods_of_any_length_are_supported() {
    let gone = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" });
    let gone = Reply::json(200, gone);
    let mock = Mock::new([Reply::text(200, ""), gone]);
    let configs = configs(&mock);
    let mut watch = configs.watch().timeout(Duration::MAX).await.unwrap();
    assert!(watch.next().await.is_none());
    let deletion = configs.delete("web").grace_period(Duration::MAX);
    deletion.and_wait(Duration::MAX).await.unwrap();
    let sent = mock.sent();
    assert!(sent[0].line.ends_with("timeoutSeconds=2147483647"), "{}", sent[0].line);
    assert_eq!(sent[1].body["gracePeriodSeconds"], 2_147_483_647);
}
