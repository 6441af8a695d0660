//! Outages of control planes that a test has for itself.

use std::time::Duration;

use crdkit_tests::{ControlPlane, Request};
use serde_json::{Value, json};
use tokio::{task::block_in_place, time::timeout};

const CONFIGS: &str = "/api/v1/namespaces/default/configmaps";

async fn create(plane: &ControlPlane, name: &str) -> u64 {
    let config = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    let created = plane.raw(Request::post(CONFIGS, config)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    version(&created.body)
}

async fn status(plane: &ControlPlane, name: &str) -> u16 {
    let path = format!("{CONFIGS}/{name}");
    plane.raw(Request::get(path)).await.status
}

fn version(object: &Value) -> u64 {
    let version = &object["metadata"]["resourceVersion"];
    version.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_is_frozen_killed_and_put_back() {
    let Some(mut plane) = ControlPlane::start() else {
        return;
    };
    create(&plane, "past").await;
    plane.freeze();
    let frozen = timeout(Duration::from_millis(500), status(&plane, "past")).await;
    assert!(frozen.is_err(), "{frozen:?}");
    plane.thaw();
    assert_eq!(status(&plane, "past").await, 200);

    let backup = plane.back_up();
    let mut newest = 0;
    for name in ["lost-1", "lost-2", "lost-3"] {
        newest = create(&plane, name).await;
    }
    block_in_place(|| {
        plane.kill();
        plane.resume();
    });
    assert_eq!(status(&plane, "lost-3").await, 200);

    block_in_place(|| plane.restore(&backup));
    assert_eq!(status(&plane, "past").await, 200);
    assert_eq!(status(&plane, "lost-1").await, 404);
    // The API server writes some objects of its own when it starts.
    let again = create(&plane, "again").await;
    assert!(again < newest + 1000, "{again} after {newest}");
}
