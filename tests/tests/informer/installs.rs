//! Informers of kinds whose definition has just been installed.

use crdkit::{
    CustomResource, CustomResourceExt, KubeSchema,
    client::Error,
    informer::{Informers, Problem, WatchError},
};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};

use crate::{served::client, synced};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "after-installs.example.com", version = "v1", kind = "Fresh", namespaced)]
struct FreshSpec {
    size: i32,
}

/// For a moment, the API server may answer requests for a new kind with 429, because its storage is not ready.
#[tokio::test]
async fn an_informer_waits_until_the_storage_of_a_new_kind_is_ready() {
    let Some(client) = client().await else { return };
    client.field_manager("installs").install([Fresh::crd()]).await.unwrap();
    let informer = Informers::new(client.clone()).of::<Fresh>().start();
    let mut problems = informer.problems();
    synced(&informer).await;
    while let Some(Some(problem)) = problems.next().now_or_never() {
        let Problem::Watch { error, .. } = &problem else { panic!("{problem:?}") };
        assert!(matches!(&**error, WatchError::Request(Error::TooManyRequests(_))), "{problem:?}");
    }
}
