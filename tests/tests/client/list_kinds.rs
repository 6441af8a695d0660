//! Kinds with an irregular list kind.

use crdkit::{
    CustomResource, CustomResourceExt, KubeSchema,
    client::{Error, dynamic::Unstructured},
    kube::core::ApiResource,
};
use serde::{Deserialize, Serialize};

use crate::{
    served::{client, namespace},
    server::server,
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "lists.example.com", version = "v1", kind = "Goose", plural = "geese")]
#[crd(list_kind = "Gaggle", namespaced)]
struct GooseSpec {}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_is_recognized_by_its_kind() {
    let Some(client) = client().await else { return };
    let server = server().expect("there is a client");
    let crd = serde_json::to_value(Goose::crd()).unwrap();
    server.install(&crd).await.expect_accepted();
    let namespace = namespace(&client, "lists").await;
    let geese = client.resources::<Goose>().namespace(&namespace);
    assert!(geese.list().await.unwrap().items.is_empty());
    assert!(geese.metadata().list().await.unwrap().items.is_empty());
    assert!(geese.delete_collection().await.unwrap().is_empty());

    let kind = ApiResource::erase::<Goose>(&());
    let any = client.resources_with::<Unstructured>(kind).namespace(&namespace);
    let error = any.list().await.unwrap_err();
    assert!(matches!(error, Error::Unexpected { .. }), "{error}");
    assert!(error.to_string().contains("`.list_kind(...)`"), "{error}");
    assert!(any.list_kind("Gaggle").list().await.unwrap().items.is_empty());

    geese.create(&Goose::new("a", GooseSpec {})).await.unwrap();
    assert_eq!(any.list().await.unwrap().items.len(), 1);
    assert_eq!(geese.list().await.unwrap().items.len(), 1);
}
