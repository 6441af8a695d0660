//! Continue tokens that expire.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use crdkit::{
    Client,
    client::{Error, Resources, scope::InNamespace},
};
use crdkit_tests::ControlPlane;
use futures_util::StreamExt;
use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use serde_json::json;
use tokio::{sync::OnceCell, time::sleep};

use crate::{
    request_hook::client_with_hook,
    served::{client_of, namespace},
};

const POLL_INTERVAL: Duration = Duration::from_millis(200);
const POLLS: usize = 300;

type Configs = Resources<ConfigMap, InNamespace>;

/// A control plane that soon compacts old versions.
fn compacting_plane() -> Option<&'static ControlPlane> {
    static PLANE: OnceLock<Option<ControlPlane>> = OnceLock::new();
    let start = || ControlPlane::start_with(&["--etcd-compaction-interval=1s"]);
    PLANE.get_or_init(start).as_ref()
}

async fn configs(client: &Client, test: &str) -> Configs {
    let configs = client.resources::<ConfigMap>().namespace(&namespace(client, test).await);
    for _ in 0..25 {
        create_one(&configs).await;
    }
    configs
}

async fn create_one(configs: &Configs) {
    let config = json!({ "metadata": { "generateName": "config-" } });
    let config = serde_json::from_value(config).unwrap();
    configs.create(&config).await.unwrap();
}

/// Waits until the current version is compacted.
async fn wait_until_compacted(configs: Configs) {
    let first_page = configs.list().limit(1).await.unwrap();
    let token = first_page.metadata.continue_.unwrap();
    for _ in 0..POLLS {
        // The newest version is never compacted.
        create_one(&configs).await;
        match configs.list().limit(1).continue_from(&token).await {
            Err(error) if error.is_expired() => return,
            result => drop(result.unwrap()),
        }
        sleep(POLL_INTERVAL).await;
    }
    panic!("no version is compacted");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_compacted_versions_have_expired() {
    let Some(plane) = compacting_plane() else { return };
    let configs = configs(&client_of(plane), "expired-pages").await;
    let mut pages = Box::pin(configs.list().page_size(10).pages());
    let mut objects = Box::pin(configs.list().page_size(10).stream());
    assert_eq!(pages.next().await.unwrap().unwrap().items.len(), 10);
    objects.next().await.unwrap().unwrap();
    wait_until_compacted(configs.clone()).await;

    let error = pages.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Expired(_)), "{error}");
    assert!(pages.next().await.is_none());
    let read: Vec<_> = objects.collect().await;
    let (last, rest) = read.split_last().unwrap();
    assert!(rest.iter().all(Result::is_ok));
    assert_eq!(rest.len(), 9);
    assert!(last.as_ref().is_err_and(Error::is_expired), "{last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_whose_pages_expire_is_read_without_pages() {
    let Some(plane) = compacting_plane() else { return };
    let direct = configs(&client_of(plane), "expired-list").await;
    let (kube, compacted) = (plane.client(), Arc::new(OnceCell::new()));
    let others = direct.clone();
    let client = client_with_hook(move |request| {
        let (kube, compacted, others) = (kube.clone(), compacted.clone(), others.clone());
        async move {
            if is_continuation(&request) {
                compacted.get_or_init(|| wait_until_compacted(others)).await;
            }
            Ok(kube.send(request).await?)
        }
    });
    let slow = client.resources::<ConfigMap>().namespace("expired-list");
    let list = slow.list().page_size(10).await.unwrap();
    let now = direct.list().await.unwrap();
    assert_eq!(list.items, now.items);

    let version = list.metadata.resource_version.unwrap();
    wait_until_compacted(direct.clone()).await;
    let error = direct.list().at(&version).await.unwrap_err();
    assert!(error.is_expired(), "{error}");
}

fn is_continuation(request: &Request<Body>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    query.contains("continue=")
}
