//! API servers, and webhooks for them.

use std::sync::Arc;

use crdkit::{
    Client,
    convert::Converter,
    webhook::{WebhookClient, WebhookServer, WebhookServerHandle, Webhooks, certificates::Certificates},
};
use crdkit_api_server::ApiServer;
use crdkit_tests::{Answer, ControlPlane, Request};

/// An API server. The webhooks and the clients belong to the runtime of a test.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    kube: kube::Client,
}

impl Cluster {
    pub(crate) fn in_process() -> Self {
        let server = ApiServer::new();
        Self { client: server.client().field_manager("conversion"), kube: server.kube_client() }
    }

    /// Returns the real API server, if there is one. The field manager is that of the test: it is what recognizes definitions again.
    pub(crate) fn real(manager: &str) -> Option<Self> {
        let plane = ControlPlane::shared()?;
        let client = Client::try_from(plane.config()).unwrap().field_manager(manager);
        Some(Self { client, kube: plane.client() })
    }

    pub(crate) async fn send(&self, request: Request) -> Answer {
        request.send(self.kube.clone()).await.unwrap()
    }

    /// As [`Self::send`], for requests that succeed.
    #[track_caller]
    pub(crate) fn expect(&self, request: Request) -> impl Future<Output = serde_json::Value> {
        let caller = std::panic::Location::caller();
        let kube = self.kube.clone();
        async move {
            let answer = request.send(kube).await.unwrap();
            assert!(answer.is_success(), "{caller}: {} {}", answer.status, answer.body);
            answer.body
        }
    }
}

/// A webhook that converts these kinds, and how the API server reaches it.
pub(crate) fn serve(converters: impl IntoIterator<Item = Converter>) -> (WebhookServerHandle, WebhookClient) {
    let certificates = Certificates::generate(["127.0.0.1"]).unwrap();
    let ca_bundle = certificates.ca_bundle().unwrap();
    let webhooks = converters.into_iter().fold(Webhooks::new("conversion"), Webhooks::convert);
    let server = WebhookServer::new(&webhooks, Arc::new(certificates)).address("127.0.0.1:0").start().unwrap();
    let client = WebhookClient::url(format!("https://{}", server.address())).ca_bundle(ca_bundle);
    (server, client)
}
