//! The API server of these tests.
//!
//! `CRDKIT_API_SERVER` selects it: `control-plane` is the real one, `process` the one in the process. Without the variable, it is the
//! real one if there is one. Tests that need the real one start a [`ControlPlane`], or call [`control_plane`] with the reason.

use std::sync::LazyLock;

use crdkit::Client;
use crdkit_api_server::ApiServer;
use kube::client::{Body, ClientBuilder};
use serde_json::Value;
use tower::{ServiceExt, util::MapRequestLayer};

use crate::{Answer, ControlPlane, Request, Verdict};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// An API server that tests use.
#[derive(Clone, Copy)]
pub enum Server {
    /// The real one.
    ControlPlane(&'static ControlPlane),
    /// The one in the process.
    Process(&'static ApiServer),
}

/// Returns the server of the tests of a binary; `None` if a control plane is selected and there is none.
pub fn server() -> Option<Server> {
    static IN_PROCESS: LazyLock<ApiServer> = LazyLock::new(|| ApiServer::new().with_rbac());
    match ControlPlane::shared() {
        Some(plane) => Some(Server::ControlPlane(plane)),
        None if selected() == "control-plane" => None,
        None => Some(Server::Process(&IN_PROCESS)),
    }
}

/// Returns the control plane for a test that the server in the process cannot serve. Prints the reason if there is
/// none.
pub fn control_plane(reason: &str) -> Option<&'static ControlPlane> {
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
    ///
    /// # Panics
    ///
    /// If the configuration of the control plane is invalid.
    pub fn client(self) -> Client {
        match self {
            Self::ControlPlane(plane) => Client::try_from(plane.config()).unwrap(),
            Self::Process(server) => server.client(),
        }
    }

    /// Returns a client of a user, who may do what roles allow.
    ///
    /// # Panics
    ///
    /// If the name is no value of a header, or the configuration of the control plane is invalid.
    pub fn client_of_user(self, user: &str) -> Client {
        match self {
            Self::ControlPlane(plane) => {
                let mut config = plane.config();
                config.headers.push(("impersonate-user".parse().unwrap(), user.parse().unwrap()));
                Client::try_from(config).unwrap()
            }
            Self::Process(server) => server.as_user(user, [] as [&str; 0]).client(),
        }
    }

    /// Returns kube's client for the runtime of the caller.
    pub fn kube(self) -> kube::Client {
        match self {
            Self::ControlPlane(plane) => plane.client(),
            Self::Process(server) => server.kube_client(),
        }
    }

    /// Returns a client, with a function that changes or inspects each request before it is sent.
    pub fn changing_requests(
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
    pub async fn raw(self, request: Request) -> Answer {
        match self {
            Self::ControlPlane(plane) => plane.raw(request).await,
            Self::Process(server) => request.send(server.kube_client()).await.unwrap(),
        }
    }

    /// Returns the server's verdict on a definition, and stores nothing. Unknown and duplicate fields are errors.
    pub async fn dry_run(self, definition: &Value) -> Verdict {
        let path = format!("{DEFINITIONS}?dryRun=All&fieldValidation=Strict");
        self.raw(Request::post(path, definition.clone())).await.into()
    }

    /// Creates a definition, and waits until it is served. Unknown and duplicate fields are errors.
    pub async fn install(self, definition: &Value) -> Verdict {
        match self {
            Self::ControlPlane(plane) => plane.install(definition).await,
            Self::Process(_) => {
                let path = format!("{DEFINITIONS}?fieldValidation=Strict");
                self.raw(Request::post(path, definition.clone())).await.into()
            }
        }
    }
}
