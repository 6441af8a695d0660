//! The API server of these tests.
//!
//! `CRDKIT_API_SERVER` selects it: `control-plane` is the real one, `process` the one in the process. Without the variable, it is the
//! real one if there is one. Tests that need the real one start a [`ControlPlane`], or call [`control_plane`] with the reason.

use std::sync::LazyLock;

use crdkit::{Client, testing::ApiServer};
use crdkit_tests::{Answer, ControlPlane, Request, Verdict};
use kube::client::{Body, ClientBuilder};
use serde_json::Value;
use tower::{ServiceExt, util::MapRequestLayer};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[derive(Clone, Copy)]
pub(crate) enum Server {
    ControlPlane(&'static ControlPlane),
    Process(&'static ApiServer),
}

/// Returns the server of the tests; `None` if a control plane is selected and there is none.
pub(crate) fn server() -> Option<Server> {
    static IN_PROCESS: LazyLock<ApiServer> = LazyLock::new(ApiServer::new);
    match ControlPlane::shared() {
        Some(plane) => Some(Server::ControlPlane(plane)),
        None if selected() == "control-plane" => None,
        None => Some(Server::Process(&IN_PROCESS)),
    }
}

/// Returns the control plane for a test that the server in the process cannot serve, for a reason.
pub(crate) fn control_plane(reason: &str) -> Option<&'static ControlPlane> {
    let plane = ControlPlane::shared();
    if plane.is_none() {
        println!("only on a control plane: {reason}");
    }
    plane
}

fn selected() -> String {
    std::env::var("CRDKIT_API_SERVER").unwrap_or_default()
}

impl Server {
    /// Returns a client for the runtime of the caller.
    pub(crate) fn client(self) -> Client {
        match self {
            Self::ControlPlane(plane) => Client::try_from(plane.config()).unwrap(),
            Self::Process(server) => server.client(),
        }
    }

    pub(crate) fn kube(self) -> kube::Client {
        match self {
            Self::ControlPlane(plane) => plane.client(),
            Self::Process(server) => server.kube_client(),
        }
    }

    /// Returns a client of which each request is changed, or seen, before it is sent.
    pub(crate) fn changing_requests(
        self,
        change: impl Fn(&mut http::Request<Body>) + Clone + Send + Sync + 'static,
    ) -> Client {
        let changed = move |mut request| {
            change(&mut request);
            request
        };
        match self {
            Self::ControlPlane(plane) => {
                let kube = ClientBuilder::try_from(plane.config()).unwrap();
                Client::from(kube.with_layer(&MapRequestLayer::new(changed)).build())
            }
            Self::Process(server) => Client::from(kube::Client::new(server.service().map_request(changed), "default")),
        }
    }

    /// Sends any request, as the administrator.
    pub(crate) async fn raw(self, request: Request) -> Answer {
        match self {
            Self::ControlPlane(plane) => plane.raw(request).await,
            Self::Process(server) => request.send(server.kube_client()).await.unwrap(),
        }
    }

    /// Creates a definition, and waits until it is served.
    pub(crate) async fn install(self, definition: &Value) -> Verdict {
        match self {
            Self::ControlPlane(plane) => plane.install(definition).await,
            Self::Process(_) => self.raw(Request::post(DEFINITIONS, definition.clone())).await.into(),
        }
    }
}
