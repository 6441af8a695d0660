//! Leader election with client-go's own elector as the other candidate.

use std::{
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::controller::{Action, Context, Controller, Error, LeaderElection, Manager, ManagerError, ManagerHandle};
use crdkit_api_server::{ApiServer, ServerHandle};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

use crate::cluster::Fleet;

const LEASE: &str = "fleets";
const DURATION: Duration = Duration::from_secs(2);
const DEADLINE: Duration = Duration::from_millis(1_500);
const RETRY: Duration = Duration::from_millis(250);
/// After this time something must have happened that takes a lease's duration on a busy machine.
const SOON: Duration = Duration::from_secs(15);

/// A candidate in Go.
struct Elector {
    process: Child,
    lines: Arc<Mutex<Vec<(Instant, String)>>>,
}

impl Elector {
    fn start(program: &std::path::Path, server: &ServerHandle) -> Self {
        let durations = [DURATION, DEADLINE, RETRY].map(|duration| format!("{}ms", duration.as_millis()));
        let mut command = Command::new(program);
        command.arg(format!("http://{}", server.address())).args(["default", LEASE, "go"]).args(durations);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let lines = Arc::<Mutex<Vec<(Instant, String)>>>::default();
        let (log, output) = (lines.clone(), process.stdout.take().unwrap());
        tokio::spawn(async move {
            let mut output = BufReader::new(output).lines();
            while let Ok(Some(line)) = output.next_line().await {
                log.lock().unwrap().push((Instant::now(), line));
            }
        });
        Self { process, lines }
    }

    /// Waits for a line, and returns when it was written.
    async fn wait_for(&self, line: &str) -> Instant {
        let written = async {
            loop {
                let found = self.lines.lock().unwrap().iter().find(|(_, other)| other == line).map(|(at, _)| *at);
                match found {
                    Some(at) => return at,
                    None => sleep(Duration::from_millis(20)).await,
                }
            }
        };
        let written = timeout(SOON, written).await;
        written.unwrap_or_else(|_| panic!("no `{line}`: {:?}", self.lines.lock().unwrap()))
    }

    fn has_led(&self) -> bool {
        self.lines.lock().unwrap().iter().any(|(_, line)| line == "leads")
    }

    async fn release(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().await.unwrap().success());
    }

    async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

/// A candidate in Rust.
struct Candidate {
    handle: ManagerHandle,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl Candidate {
    fn start(server: &ApiServer) -> Self {
        let (stop, stopped) = oneshot::channel();
        let election = LeaderElection::new(LEASE).identity("rust").durations(DURATION, DEADLINE, RETRY);
        let controller =
            Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done));
        let manager = Manager::new(server.client()).leader_election(election).add(controller).until(stopped);
        Self { handle: manager.handle(), stop, task: tokio::spawn(manager.run()) }
    }

    async fn wait_until_leader(&self) -> Instant {
        let leader = async {
            while !self.handle.is_leader() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, leader).await.expect("it becomes the leader");
        Instant::now()
    }

    async fn release(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

async fn record(server: &ApiServer) -> LeaseSpec {
    let leases = server.client().resources::<Lease>().namespace("default");
    leases.get(LEASE).await.unwrap().spec.unwrap()
}

#[tokio::test]
async fn leases_of_client_go_are_respected_and_ours_by_it() {
    let Some(program) = crdkit_oracles::program("elector") else { return };
    let server = ApiServer::new().with::<Fleet>();
    let port = server.serve(([127, 0, 0, 1], 0)).await.unwrap();

    let go = Elector::start(&program, &port);
    go.wait_for("leads").await;
    let rust = Candidate::start(&server);
    sleep(DURATION + RETRY * 2).await;
    assert!(!rust.handle.is_leader(), "a lease that is renewed is respected");
    assert_eq!(record(&server).await.holder_identity.as_deref(), Some("go"));
    go.release().await;
    rust.wait_until_leader().await;
    let held = record(&server).await;
    assert_eq!((held.holder_identity.as_deref(), held.lease_transitions), (Some("rust"), Some(1)));

    let go = Elector::start(&program, &port);
    go.wait_for("sees rust").await;
    sleep(DURATION + RETRY * 2).await;
    assert!(!go.has_led() && rust.handle.is_leader(), "client-go respects a lease that is renewed");
    rust.release().await;
    go.wait_for("leads").await;
    assert_eq!(record(&server).await.lease_transitions, Some(2));

    let rust = Candidate::start(&server);
    sleep(RETRY * 4).await;
    let killed = Instant::now();
    go.kill().await;
    let taken_over = rust.wait_until_leader().await - killed;
    // The last renewal was up to an attempt before.
    assert!(taken_over >= DURATION - RETRY * 2, "{taken_over:?}");

    let go = Elector::start(&program, &port);
    go.wait_for("sees rust").await;
    let crashed = Instant::now();
    rust.task.abort();
    let taken_over = go.wait_for("leads").await - crashed;
    assert!(taken_over >= DURATION - RETRY * 2, "{taken_over:?}");
    assert_eq!(record(&server).await.lease_transitions, Some(4));
    go.release().await;
}
