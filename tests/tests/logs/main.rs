//! No log message, at any level, contains a value of an object, a token or a header, unless a reconcile function panics with it.

mod capture;
mod server;
mod start;

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use crdkit::{
    Client,
    informer::{Action, Event, Filter, Index, Informer, Informers, ObjectKey},
    kube::Config,
};
use http::Uri;
use k8s_openapi::api::core::v1::Secret;
use serde_json::json;
use tokio::time::sleep;

use capture::Lines;

/// What must not be in a line.
const SECRET: &str = "hunter2";

/// The same, as an object has it.
const ENCODED: &str = "aHVudGVyMg==";

const LIMIT: Duration = Duration::from_secs(60);

fn client(uri: Uri) -> Client {
    let mut config = Config::new(uri);
    config.auth_info = serde_json::from_value(json!({ "token": SECRET })).unwrap();
    Client::try_from(config).unwrap()
}

/// Fails with the value, as `unwrap()` on an error does.
fn panics(secret: &Secret) {
    let value = &secret.data.as_ref().unwrap()["key"].0;
    panic!("{}", str::from_utf8(value).unwrap());
}

fn watch(informers: &Informers, namespace: &str) -> Informer<Secret> {
    let secrets = informers.of::<Secret>().namespace(namespace);
    secrets.labels(format!("password={SECRET}")).start()
}

/// An informer whose closures panic on the object, one after the other.
fn all_panic(informers: &Informers) -> Informer<Secret> {
    let index = Index::new("key", |secret: &Secret| {
        panics(secret);
        [0]
    });
    let secrets = informers.of::<Secret>().namespace("prod");
    secrets.transform(|secret| panics(secret)).index(&index).start()
}

async fn reconcile(key: ObjectKey) -> Result<Action, Infallible> {
    assert_ne!(key.name(), "mapped", "a key of another object");
    Ok(Action::Done)
}

fn work(informer: &Informer<Secret>) -> impl Future<Output = ()> + Send + 'static {
    let filter = Filter::new(|_: &Secret, new: &Secret| {
        panics(new);
        true
    });
    let mapping = |event: &Event<Secret>| {
        if let Event::Updated { new, .. } = event {
            panics(new);
        }
        [ObjectKey::new("prod", "mapped")]
    };
    let work = informer.reconciler().filter(filter).watches(informer, mapping).run(1, reconcile);
    async move { work.await.unwrap() }
}

async fn until_logged(lines: &Lines, texts: &[&str]) {
    let began = Instant::now();
    while !lines.have(texts) {
        let all = lines.all().join("\n");
        assert!(began.elapsed() < LIMIT, "nothing has {texts:?}:\n{all}");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_line_has_a_secret() {
    let lines = Lines::capture();
    let uri = server::serve().await;
    let client = client(uri.clone());
    let informers = Informers::new(client.clone());

    let panicking = all_panic(&informers);
    panicking.synced().await.unwrap();
    let working = tokio::spawn(work(&panicking));
    let namespaces = ["unauthorized", "invalid", "proxy", "broken", "odd"];
    let others = namespaces.map(|namespace| (namespace, watch(&informers, namespace)));
    let secrets = client.resources::<Secret>();
    for namespace in ["unauthorized", "invalid", "proxy", "prod"] {
        let error = secrets.namespace(namespace).max_retries(0).get("web").await;
        assert!(error.is_err(), "{namespace}");
    }
    let over_tls = uri.to_string().replace("http:", "https:").parse().unwrap();
    let secrets = self::client(over_tls).max_retries(0).resources::<Secret>();
    assert!(secrets.namespace("prod").get("web").await.is_err());

    for (namespace, _informer) in &others[..4] {
        until_logged(&lines, &["WARN", "the watch of secrets failed", namespace]).await;
    }
    for texts in [
        &["WARN", "`odd/web` does not match the type"][..],
        &["ERROR", "the transform panicked", "web"],
        &["ERROR", "the index `key` panicked", "web"],
        &["ERROR", "an event filter panicked", "web"],
        &["ERROR", "a function that maps events to keys panicked", "web"],
        &["ERROR", "reconciliation panicked", "mapped", "a key of another object"],
        &["DEBUG", "no response: client error (Connect)", "corrupt"],
        &["DEBUG", "http.url", "labelSelector=[hidden]"],
    ] {
        until_logged(&lines, texts).await;
    }
    let all = lines.all();
    for secret in [SECRET, ENCODED] {
        let shown = all.iter().find(|line| line.contains(secret));
        assert_eq!(shown, None, "among {} lines", all.len());
    }
    working.abort();
}
