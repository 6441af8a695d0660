//! Replicas of an operator that write all the time, and a log by which each write is judged.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context as TaskContext, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use crdkit::{
    Client,
    client::{Patch, set_controller_reference},
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ManagerError, ManagerHandle},
    informer::CacheObject,
};
use crdkit_api_server::{ApiServer, ApiServerService};
use crdkit_tests::faults::Random;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::{Body as HttpBody, Frame};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::client::Body;
use serde_json::{Value, json};
use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
    time::{Instant, sleep},
};
use tower::{BoxError, ServiceExt, service_fn};

use crate::cluster::{Fleet, fleet};

type ServerBody = UnsyncBoxBody<Bytes, BoxError>;

pub(crate) const GROUP: &str = "fleets";

/// Returns a random duration of less than these milliseconds.
pub(crate) fn millis_below(random: &mut Random, bound: u64) -> Duration {
    Duration::from_millis(random.number() % bound)
}

/// Returns the shard of an object: FNV-1a of its uid, in ranges of the same size.
pub(crate) fn shard_of(uid: &str, count: u16) -> u16 {
    let hash = uid
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let shard = u128::from(hash) / ((1_u128 << 64) / u128::from(count));
    u16::try_from(shard).unwrap().min(count - 1)
}

/// A cluster with fleets, and what the API server received from the replicas.
#[derive(Clone)]
pub(crate) struct Sea {
    pub(crate) server: ApiServer,
    pub(crate) count: u16,
    /// Whether a leader is elected, who has the only shard.
    has_leader: bool,
    /// The durations of a lease, of the attempts to renew it, and between them.
    pub(crate) durations: [Duration; 3],
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    /// The shards of the fleets, by the names of these.
    shards: BTreeMap<String, u16>,
    /// The holders of the shards, as the API server stores them.
    holders: HashMap<u16, String>,
    /// The times of the writes for each fleet, with the replicas that wrote.
    writes: BTreeMap<String, Vec<(Instant, String)>>,
    /// Writes for a fleet by a replica that did not hold its shard.
    violations: Vec<String>,
    refusals: usize,
    /// The shard selectors of requests.
    selectors: BTreeSet<String>,
}

/// Whether a replica runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    /// Nothing arrives, and what the replica sends is lost: a stopped process sends nothing.
    Frozen,
    /// Requests for leases fail.
    CutOff,
    /// Watches deliver nothing.
    Stale,
}

pub(crate) struct Replica {
    pub(crate) handle: ManagerHandle,
    gate: watch::Sender<Gate>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ManagerError>>,
}

/// What a reconcile function of a replica uses.
struct Operator {
    sea: Sea,
    random: Mutex<Random>,
    gate: watch::Receiver<Gate>,
}

impl Operator {
    /// Waits while the replica is frozen: its code does not run then.
    async fn pass(&self) {
        pass(&mut self.gate.clone()).await;
    }
}

async fn pass(gate: &mut watch::Receiver<Gate>) {
    // An error means that the replica is gone.
    let _ = gate.wait_for(|gate| *gate != Gate::Frozen).await;
}

/// Creates a child unless there is one, writes twice, with a pause, and again a second later.
async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet, Operator>) -> Result<Action, Error> {
    cx.state().pass().await;
    if cx.owned::<Secret>(&fleet).is_empty() {
        let mut child = Secret::default();
        child.metadata.generate_name = Some(format!("{}-", fleet.name()));
        child.metadata.namespace = fleet.metadata.namespace.clone();
        set_controller_reference(&mut child, &*fleet)?;
        cx.client().resources().namespace("default").create(&child).await?;
    }
    for part in ["first", "last"] {
        cx.state().pass().await;
        write(cx.client(), fleet.name(), part).await.inspect_err(|_| cx.state().sea.log().refusals += 1)?;
        let pause = millis_below(&mut cx.state().random.lock().unwrap(), 2_000);
        sleep(pause).await;
    }
    Ok(Action::requeue(Duration::from_secs(1)))
}

async fn write(client: &Client, name: &str, part: &str) -> Result<(), Error> {
    let flags = client.resources::<ConfigMap>().namespace("default");
    flags.patch(name, &Patch::merge(json!({ "data": { "part": part } }))).await?;
    Ok(())
}

impl Sea {
    pub(crate) async fn new(server: ApiServer, fleets: usize, count: u16) -> Self {
        let durations = [15, 10, 2].map(Duration::from_secs);
        let sea = Self { server: server.with::<Fleet>(), count, has_leader: false, durations, log: Arc::default() };
        for number in 0..fleets {
            sea.launch(&format!("fleet-{number}")).await;
        }
        sea
    }

    /// Returns the same cluster for replicas with another number of shards.
    pub(crate) fn with_count(&self, count: u16) -> Self {
        Self { count, ..self.clone() }
    }

    /// Returns the same cluster for replicas that elect a leader. It must have been created with one shard.
    pub(crate) fn with_leader(self) -> Self {
        assert_eq!(self.count, 1, "a leader has all objects");
        Self { has_leader: true, ..self }
    }

    pub(crate) fn with_durations(self, durations: [Duration; 3]) -> Self {
        Self { durations, ..self }
    }

    pub(crate) async fn launch(&self, name: &str) {
        let fleets = self.server.client().resources::<Fleet>().namespace("default");
        let created = fleets.create(&fleet(name, &[])).await.unwrap();
        let shard = shard_of(created.uid().unwrap(), self.count);
        self.log().shards.insert(name.to_owned(), shard);
        let mut flag = ConfigMap::default();
        flag.metadata.name = Some(name.to_owned());
        self.server.client().resources().namespace("default").create(&flag).await.unwrap();
    }

    /// Starts a replica that writes all the time.
    pub(crate) fn start(&self, identity: &str, seed: u64) -> Replica {
        let gate = watch::Sender::new(Gate::Open);
        let operator = Operator { sea: self.clone(), random: Mutex::new(Random::new(seed)), gate: gate.subscribe() };
        let controller = Controller::of::<Fleet>()
            .state(operator)
            .owns::<Secret>()
            .concurrency(8)
            .drain_timeout(Duration::from_secs(10));
        self.start_gated(identity, seed, controller.reconcile(reconcile), gate)
    }

    pub(crate) fn start_with(&self, identity: &str, seed: u64, controller: Controller) -> Replica {
        self.start_gated(identity, seed, controller, watch::Sender::new(Gate::Open))
    }

    fn start_gated(&self, identity: &str, seed: u64, controller: Controller, gate: watch::Sender<Gate>) -> Replica {
        let client = self.client(identity, seed, gate.subscribe());
        let (stop, stopped) = oneshot::channel();
        let [lease, renew, retry] = self.durations;
        let election = LeaderElection::new(GROUP).identity(identity).durations(lease, renew, retry);
        let manager = Manager::new(client).add(controller).until(stopped);
        let manager =
            if self.has_leader { manager.leader_election(election) } else { manager.shards(election, self.count) };
        Replica { handle: manager.handle(), gate, stop: Some(stop), task: tokio::spawn(manager.run()) }
    }

    /// Returns a client whose requests take some time, and none that arrives while the replica is frozen.
    fn client(&self, identity: &str, seed: u64, gate: watch::Receiver<Gate>) -> Client {
        let (sea, service, identity) = (self.clone(), self.server.service(), identity.to_owned());
        let random = Arc::new(Mutex::new(Random::new(seed ^ 0x5eed)));
        let skew = i64::try_from(seed % 7).unwrap() - 3;
        let delayed = service_fn(move |request: Request<Body>| {
            let (sea, service, identity, mut gate) = (sea.clone(), service.clone(), identity.clone(), gate.clone());
            let delays = [(); 2].map(|()| millis_below(&mut random.lock().unwrap(), 40));
            async move {
                let now = *gate.borrow();
                match now {
                    Gate::Frozen => {
                        pass(&mut gate).await;
                        return Err(BoxError::from("the process was stopped"));
                    }
                    Gate::CutOff if request.uri().path().contains("/leases") => {
                        return Err(BoxError::from("the connection is broken"));
                    }
                    Gate::CutOff | Gate::Stale | Gate::Open => {}
                }
                let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
                sleep(delays[0]).await;
                let response = sea.deliver(service, request, &identity, skew).await?;
                sleep(delays[1]).await;
                pass(&mut gate).await;
                Ok(response.map(|inner| Gated { inner: Box::pin(inner), gate, is_watch, opened: None }))
            }
        });
        Client::from(kube::Client::new(delayed, "default")).field_manager("operator")
    }

    /// Passes a request to the API server, and logs it at the moment at which that processes it.
    async fn deliver(
        &self,
        service: ApiServerService,
        request: Request<Body>,
        identity: &str,
        skew: i64,
    ) -> Result<Response<ServerBody>, BoxError> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await?.to_bytes();
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let selectors = query.filter(|(key, _)| key == "shardSelector").map(|(_, selector)| selector.into_owned());
        self.log().selectors.extend(selectors);
        let body = if path.contains("/leases") { skewed(&bytes, skew) } else { bytes };
        let holder: Value = serde_json::from_slice(&body).unwrap_or_default();
        let response = service.oneshot(Request::from_parts(parts, Body::from(body))).await?;
        if response.status().is_success() && method != Method::GET {
            self.log().record(&method, &path, &holder, identity);
        }
        Ok(response)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }

    /// Returns the writes for each fleet.
    pub(crate) fn writes(&self) -> BTreeMap<String, Vec<(Instant, String)>> {
        self.log().writes.clone()
    }

    /// Returns the fleets that do not have exactly one child.
    pub(crate) async fn wrong_children(&self) -> Vec<String> {
        let client = self.server.client();
        let fleets = client.resources::<Fleet>().namespace("default").list().await.unwrap().items;
        let children = client.resources::<Secret>().namespace("default").list().await.unwrap().items;
        let count = |fleet: &Fleet| {
            children.iter().filter(|child| child.owners().any(|it| Some(it.uid) == fleet.uid())).count()
        };
        let wrong = fleets.iter().map(|fleet| (fleet, count(fleet))).filter(|(_, count)| *count != 1);
        wrong.map(|(fleet, count)| format!("{} has {count} children", fleet.name())).collect()
    }

    pub(crate) fn selectors(&self) -> BTreeSet<String> {
        self.log().selectors.clone()
    }

    pub(crate) fn refusals(&self) -> usize {
        self.log().refusals
    }

    /// Returns the holders of the shards.
    pub(crate) fn holders(&self) -> BTreeMap<u16, String> {
        self.log().holders.iter().map(|(shard, holder)| (*shard, holder.clone())).collect()
    }

    /// Returns what is wrong: writes by others than the holders, and fleets without a write since a time.
    pub(crate) fn problems(&self, since: Instant) -> Vec<String> {
        let log = self.log();
        let neglected = log
            .shards
            .keys()
            .filter(|name| {
                let last = log.writes.get(*name).and_then(|writes| writes.last());
                last.is_none_or(|(at, _)| *at < since)
            })
            .map(|name| format!("{name} is neglected: {:?}", log.writes.get(name).map(|all| all.last())));
        log.violations.iter().cloned().chain(neglected).collect()
    }
}

impl Log {
    fn record(&mut self, method: &Method, path: &str, body: &Value, identity: &str) {
        let name = path.rsplit('/').next().unwrap_or_default();
        if path.contains("/leases") {
            self.record_lease(method, body);
        } else if let Some(shard) = self.shards.get(name) {
            let holder = self.holders.get(shard).cloned().unwrap_or_default();
            if holder != identity && !is_of(&holder, identity) {
                let at = Instant::now();
                self.violations.push(format!("{identity} wrote for {name} in shard {shard} of `{holder}` at {at:?}"));
            }
            self.writes.entry(name.to_owned()).or_default().push((Instant::now(), identity.to_owned()));
        }
    }

    fn record_lease(&mut self, method: &Method, body: &Value) {
        let of_leader = (body["metadata"]["name"] == GROUP).then_some("0");
        let shard = body["metadata"]["labels"]["shards.crdkit.dev/shard"].as_str().or(of_leader);
        if let Some(shard) = shard.filter(|_| *method != Method::DELETE) {
            let holder = body["spec"]["holderIdentity"].as_str().unwrap_or_default();
            self.holders.insert(shard.parse().unwrap(), holder.to_owned());
        }
    }
}

/// Whether a membership is one of a replica.
pub(crate) fn is_of(holder: &str, identity: &str) -> bool {
    holder.strip_prefix(identity).is_some_and(|rest| rest.starts_with('_'))
}

/// Moves the times in a Lease by hours, as a replica with another clock writes them.
fn skewed(body: &Bytes, hours: i64) -> Bytes {
    let Ok(mut lease) = serde_json::from_slice::<Value>(body) else {
        return body.clone();
    };
    for field in ["acquireTime", "renewTime"] {
        let time = &mut lease["spec"][field];
        if let Some(Ok(at)) = time.as_str().map(str::parse::<k8s_openapi::jiff::Timestamp>) {
            let moved = at + k8s_openapi::jiff::SignedDuration::from_hours(hours);
            *time = format!("{moved:.6}").into();
        }
    }
    lease.to_string().into()
}

impl Replica {
    pub(crate) fn freeze(&self) {
        self.gate.send_replace(Gate::Frozen);
    }

    pub(crate) fn cut_off(&self) {
        self.gate.send_replace(Gate::CutOff);
    }

    /// Ends what [`Self::freeze`] or [`Self::cut_off`] has begun.
    pub(crate) fn heal(&self) {
        self.gate.send_replace(Gate::Open);
    }

    /// Freezes its caches.
    pub(crate) fn freeze_watches(&self) {
        self.gate.send_replace(Gate::Stale);
    }

    /// Whether its manager has ended, as that of a leader does that loses its lease.
    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    pub(crate) fn is_impaired(&self) -> bool {
        *self.gate.borrow() != Gate::Open
    }

    /// Ends it without a farewell, as `kill -9` does.
    pub(crate) async fn crash(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    pub(crate) async fn stop(mut self) -> Result<(), ManagerError> {
        let _ = self.stop.take().unwrap().send(());
        self.task.await.unwrap()
    }
}

/// A body of which nothing arrives while the replica is frozen, or watches are.
struct Gated {
    inner: Pin<Box<ServerBody>>,
    gate: watch::Receiver<Gate>,
    is_watch: bool,
    /// Completes when the replica continues.
    opened: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl HttpBody for Gated {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let is_closed = |gate: Gate, is_watch: bool| gate == Gate::Frozen || is_watch && gate == Gate::Stale;
        let is_watch = self.is_watch;
        if is_closed(*self.gate.borrow(), is_watch) {
            let mut gate = self.gate.clone();
            let opened = async move {
                let _ = gate.wait_for(|gate| !is_closed(*gate, is_watch)).await;
            };
            self.opened.get_or_insert_with(|| Box::pin(opened));
        }
        if let Some(opened) = &mut self.opened {
            ready!(opened.as_mut().poll(context));
            self.opened = None;
        }
        self.inner.as_mut().poll_frame(context)
    }
}
