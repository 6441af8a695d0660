//! How a manager ends, and with which exit code.

use std::{
    env,
    future::pending,
    io::{BufRead, BufReader},
    process::{self, Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crdkit::controller::{
    Action, Context, Controller, Error, ExitStatus, Manager, ManagerError, ObjectEvent, ServeOptions,
};
use crdkit_api_server::Requests;
use k8s_openapi::api::{coordination::v1::Lease, events::v1::Event as ApiEvent};
use tokio::{sync::oneshot, time::sleep};

use crate::cluster::{Cluster, Fleet};

#[tokio::test(start_paused = true)]
async fn running_reconciliations_complete_and_events_are_sent() {
    let cluster = Cluster::new();
    for number in 0..10 {
        cluster.launch(&format!("f{number}"), &[]).await;
    }
    let completed = Arc::new(AtomicUsize::new(0));
    let controller = Controller::of::<Fleet>().concurrency(2).state(completed.clone()).reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, Arc<AtomicUsize>>| -> Result<Action, Error> {
            sleep(Duration::from_secs(10)).await;
            cx.event(&fleet, ObjectEvent::normal("Sailed", "to the end"));
            cx.state().fetch_add(1, Ordering::SeqCst);
            Ok(Action::requeue(Duration::from_secs(1)))
        },
    );
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.operator()).leader_election("fleets").add(controller).until(stopped);
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_secs(5)).await;
    assert_eq!(completed.load(Ordering::SeqCst), 0);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(completed.load(Ordering::SeqCst), 2);
    let events = cluster.client.resources::<ApiEvent>().namespace("default").list().await.unwrap();
    assert_eq!(events.items.len(), 2);
    let lease = cluster.client.resources::<Lease>().namespace("default").get("fleets").await.unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn each_reason_has_a_code() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let hangs = |builder: crdkit::controller::ControllerBuilder<Fleet>| {
        builder.reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| pending::<Result<Action, Error>>().await)
    };
    let cut = Manager::new(cluster.operator())
        .add(hangs(Controller::of::<Fleet>().drain_timeout(Duration::from_secs(3))))
        .until(sleep(Duration::from_secs(5)));
    let error = cut.run().await.unwrap_err();
    let message = "the controller `fleet`: reconciliations did not complete within 3s after shutdown and were cancelled: \
        default/north";
    assert_eq!((error.exit_code(), error.to_string().as_str()), (14, message));

    let faults = cluster.server.faults();
    faults.on(Requests::list().of::<Fleet>()).fail(403);
    faults.on(Requests::watch().of::<Fleet>()).fail(403);
    let unsynced = Manager::new(cluster.operator()).add(hangs(Controller::of::<Fleet>()));
    let error = unsynced.run().await.unwrap_err();
    assert!(matches!(&error, ManagerError::Controller { .. }) && error.exit_code() == 11, "{error}");
    let exit = |result| format!("{:?}", process::Termination::report(ExitStatus::from(result)));
    assert_eq!(exit(Err(error)), format!("{:?}", process::ExitCode::from(11)));
    assert_eq!(exit(Ok(())), format!("{:?}", process::ExitCode::SUCCESS));
}

/// Runs a manager in another process, which reports what it does line by line.
struct Program {
    child: Child,
    lines: Box<dyn Iterator<Item = String>>,
}

const MODE: &str = "CRDKIT_TEST_SHUTDOWN";

impl Program {
    fn start(mode: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["shutdown::program", "--exact", "--nocapture"])
            .env(MODE, mode)
            .env("HEALTH_PROBE_BIND_ADDRESS", "0")
            .env("METRICS_BIND_ADDRESS", "127.0.0.1:0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        Self { child, lines: Box::new(lines) }
    }

    fn wait_for(&mut self, text: &str) {
        assert!(self.lines.any(|line| line.contains(text)), "{text}");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It fails if the program has ended.
        let _ = self.child.kill();
    }
}

/// The other process; nothing in this one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn program() {
    let Ok(mode) = env::var(MODE) else {
        return;
    };
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let controller = Controller::of::<Fleet>().drain_timeout(Duration::from_secs(120)).state(mode).reconcile(
        async |_: Arc<Fleet>, cx: Context<Fleet, String>| -> Result<Action, Error> {
            println!("reconciles");
            match &**cx.state() {
                "blocks" => thread::sleep(Duration::from_secs(100)),
                _ => sleep(Duration::from_millis(300)).await,
            }
            println!("has reconciled");
            Ok(Action::requeue(Duration::from_millis(1)))
        },
    );
    let manager = Manager::new(cluster.operator()).add(controller).serve(ServeOptions::from_env());
    let handle = manager.handle();
    let addresses = manager.handle();
    tokio::spawn(async move { println!("serves {:?}", addresses.addresses().await) });
    // A thread, since a function that blocks may delay all tasks.
    thread::spawn(move || {
        while !handle.readyz().to_string().contains("it shuts down") {
            thread::sleep(Duration::from_millis(10));
        }
        println!("shuts down");
    });
    let ended = manager.run().await;
    process::exit(ended.map_or_else(|error| error.exit_code().into(), |()| 0));
}

#[cfg(unix)]
#[test]
fn the_first_signal_drains() {
    for signal in ["-TERM", "-INT"] {
        let mut program = Program::start("sleeps");
        // The addresses are those of the environment.
        program.wait_for("serves ServeAddresses { health: None, metrics: Some(127.0.0.1:");
        program.wait_for("reconciles");
        program.signal(signal);
        program.wait_for("has reconciled");
        assert_eq!(program.exit_code(), Some(0), "{signal}");
    }
}

/// Also while a reconcile function blocks its thread.
#[cfg(unix)]
#[test]
fn the_second_signal_ends_the_process() {
    let mut program = Program::start("blocks");
    program.wait_for("reconciles");
    program.signal("-TERM");
    // Two pending signals have no order.
    program.wait_for("shuts down");
    program.signal("-INT");
    assert_eq!(program.exit_code(), Some(130));
}
