//! A restart of the API server.

use std::time::Duration;

use crdkit::client::Error;
use crdkit_tests::ControlPlane;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::served::client_of;

fn config(name: &str) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_survive_a_restart() {
    let Some(mut plane) = ControlPlane::start() else {
        return;
    };
    let client = client_of(&plane);
    let configs = client.resources::<ConfigMap>().namespace("default");
    configs.create(&config("a")).await.unwrap();
    plane.halt();

    let error = configs.max_retries(0).get("a").await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");

    let patient = configs.max_retries(1000);
    let during = tokio::spawn(async move {
        let read = patient.get("a").await.unwrap();
        // The connection is refused, so even a creation can be sent again.
        let created = patient.create(&config("b")).await.unwrap();
        (read, created)
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!during.is_finished());
    tokio::task::block_in_place(|| plane.resume());
    let (read, created) = during.await.unwrap();
    assert_eq!(read.metadata.name.as_deref(), Some("a"));
    assert_eq!(created.metadata.name.as_deref(), Some("b"));
}
