//! A cluster with fleets of ships, and a log of the requests that write.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context as TaskContext, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use crdkit::{
    Client, CustomResource, KubeSchema,
    client::{Resources, scope::InNamespace},
    controller::{Controller, Manager, ManagerError, ManagerHandle},
};
use crdkit_api_server::ApiServer;
use hyper::body::{Body, Frame};
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::Condition};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Sleep, sleep},
};
use tower::{ServiceExt, service_fn};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Fleet", namespaced, status = "FleetStatus")]
pub(crate) struct FleetSpec {
    pub(crate) ships: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetStatus {
    #[serde(default)]
    pub(crate) afloat: usize,
    pub(crate) observed_generation: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
}

pub(crate) struct Cluster {
    pub(crate) server: ApiServer,
    pub(crate) client: Client,
    pub(crate) fleets: Resources<Fleet, InNamespace>,
    pub(crate) ships: Resources<ConfigMap, InNamespace>,
    /// The writes of the operator: method and path.
    writes: Arc<Mutex<Vec<String>>>,
    operator: Client,
}

/// A running manager.
pub(crate) struct Running {
    pub(crate) handle: ManagerHandle,
    stop: oneshot::Sender<()>,
    pub(crate) task: JoinHandle<Result<(), ManagerError>>,
}

impl Cluster {
    pub(crate) fn new() -> Self {
        Self::with_watch_delay("", Duration::ZERO)
    }

    /// Creates a cluster in which the operator receives each watch event of a kind later.
    pub(crate) fn with_watch_delay(plural: &'static str, delay: Duration) -> Self {
        let server = ApiServer::new().with::<Fleet>();
        let service = server.service();
        let writes = Arc::<Mutex<Vec<String>>>::default();
        let log = writes.clone();
        let observed = service_fn(move |request: http::Request<kube::client::Body>| {
            let (service, path) = (service.clone(), request.uri().path().to_owned());
            // Reviews of permissions write nothing.
            if request.method() != http::Method::GET && !path.starts_with("/apis/authorization.k8s.io/") {
                log.lock().unwrap().push(format!("{} {path}", request.method()));
            }
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let delay = if is_watch && path.ends_with(plural) { delay } else { Duration::ZERO };
            async move {
                let response = service.oneshot(request).await?;
                Ok::<_, tower::BoxError>(response.map(|inner| Delayed { inner: Box::pin(inner), delay, held: None }))
            }
        });
        let client = server.client();
        Self {
            fleets: client.resources().namespace("default"),
            ships: client.resources().namespace("default"),
            client,
            server,
            writes,
            operator: Client::from(kube::Client::new(observed, "default")).field_manager("fleet-operator"),
        }
    }

    /// Returns the client of the operator.
    pub(crate) fn operator(&self) -> Client {
        self.operator.clone()
    }

    pub(crate) async fn launch(&self, name: &str, ships: &[&str]) -> Fleet {
        self.fleets.create(&fleet(name, ships)).await.unwrap()
    }

    pub(crate) fn start(&self, controller: Controller) -> Running {
        Running::of(Manager::new(self.operator.clone()).add(controller))
    }

    /// Returns the writes of the operator since the last call.
    pub(crate) fn take_writes(&self) -> Vec<String> {
        std::mem::take(&mut *self.writes.lock().unwrap())
    }

    pub(crate) async fn ship_names(&self) -> Vec<String> {
        let ships = self.ships.list().await.unwrap().items.into_iter();
        ships.filter_map(|ship| ship.metadata.name).collect()
    }
}

impl Running {
    pub(crate) fn of(manager: Manager) -> Self {
        let (stop, stopped) = oneshot::channel();
        let manager = manager.until(stopped);
        Self { handle: manager.handle(), stop, task: tokio::spawn(manager.run()) }
    }

    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }

    /// Ends it without a shutdown.
    pub(crate) async fn crash(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

pub(crate) fn fleet(name: &str, ships: &[&str]) -> Fleet {
    Fleet::new(name, FleetSpec { ships: ships.iter().map(|ship| (*ship).to_owned()).collect() })
}

/// Lets everything happen that does not wait longer than this.
pub(crate) async fn settle() {
    sleep(Duration::from_secs(5)).await;
}

/// Returns the ships of a fleet as they should be.
pub(crate) fn ships(fleet: &Fleet) -> Vec<ConfigMap> {
    let ship = |name: &String| {
        let mut ship = ConfigMap::default();
        ship.metadata.name = Some(format!("{}-{name}", fleet.metadata.name.as_deref().unwrap()));
        ship.data = Some([("flag".to_owned(), "white".to_owned())].into());
        ship
    };
    fleet.spec.ships.iter().map(ship).collect()
}

/// A body whose frames arrive later.
struct Delayed<B: Body> {
    inner: Pin<Box<B>>,
    delay: Duration,
    held: Option<HeldFrame<B::Data>>,
}

/// A frame, and the time when it arrives.
type HeldFrame<D> = (Frame<D>, Pin<Box<Sleep>>);

impl<B: Body<Data = Bytes>> Body for Delayed<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.held.is_none() {
            match ready!(self.inner.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => self.held = Some((frame, Box::pin(sleep(self.delay)))),
                end => return Poll::Ready(end),
            }
        }
        if let Some((_, delay)) = &mut self.held {
            ready!(delay.as_mut().poll(context));
        }
        Poll::Ready(self.held.take().map(|(frame, _)| Ok(frame)))
    }
}
