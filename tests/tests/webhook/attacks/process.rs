//! The process that is attacked.

use std::{
    env, fs,
    net::SocketAddr,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crdkit::{
    controller::{Manager, ServeOptions},
    webhook::{AdmissionContext, Error, Webhook, WebhookServer, Webhooks},
};
use crdkit_api_server::ApiServer;
use crdkit_tests::tls::{Certificate, resolver};
use example_resources::virtual_machine;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command as AsyncCommand},
};

use super::Usage;

/// Makes a process the one that is attacked.
pub(crate) const PROGRAM: &str = "CRDKIT_TEST_ATTACKED_PROGRAM";
/// What begins the line with the addresses.
const ADDRESSES: &str = "attacked at ";

/// Where the servers listen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub(crate) webhooks: SocketAddr,
    pub(crate) health: SocketAddr,
    pub(crate) metrics: SocketAddr,
    pub(crate) api_server: SocketAddr,
}

/// A running process.
pub(crate) struct Attacked {
    child: Child,
    pub(crate) addresses: Addresses,
}

impl Attacked {
    pub(crate) async fn start() -> Self {
        let mut command = AsyncCommand::new(env::current_exe().unwrap());
        command.args(["attacks::program", "--exact", "--nocapture"]).env(PROGRAM, "yes");
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = loop {
            let line = lines.next_line().await.unwrap().expect("the program ended");
            if let Some((_, addresses)) = line.split_once(ADDRESSES) {
                break addresses.to_owned();
            }
        };
        let mut addresses = line.split(' ').map(|it| it.parse().unwrap());
        // The test of the process writes a line after a minute, and ends if no one reads it.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let mut next = || addresses.next().unwrap();
        let addresses = Addresses { webhooks: next(), health: next(), metrics: next(), api_server: next() };
        Self { child, addresses }
    }

    pub(crate) fn usage(&self) -> Usage {
        let id = self.child.id().expect("it runs");
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let memory = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
        };
        let files = fs::read_dir(format!("/proc/{id}/fd")).unwrap().count();
        Usage { memory: memory("VmRSS:"), most_memory: memory("VmHWM:"), files }
    }

    /// Sends SIGTERM, and returns how long the process takes to end.
    pub(crate) async fn terminate(mut self) -> Duration {
        let start = Instant::now();
        let id = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        assert!(self.child.wait().await.unwrap().success());
        start.elapsed()
    }
}

/// Serves until SIGTERM.
pub(crate) async fn run() {
    let api_server = ApiServer::new();
    let served = api_server.serve(([127, 0, 0, 1], 0)).await.unwrap();
    let options = ServeOptions::new().health_address("127.0.0.1:0").metrics_address("127.0.0.1:0");
    let manager = Manager::new(api_server.client()).webhooks(webhooks()).serve(options);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let addresses = handle.addresses().await;
    let [webhooks, health, metrics] = [addresses.webhooks, addresses.health, addresses.metrics].map(Option::unwrap);
    println!("\n{ADDRESSES}{webhooks} {health} {metrics} {}", served.address());
    running.await.unwrap().unwrap();
    // A function that blocks would keep the runtime.
    std::process::exit(0);
}

fn webhooks() -> WebhookServer {
    let validate = |_, _: AdmissionContext<ConfigMap>| async { Ok::<_, Error>(()) };
    let block = |pod: &mut Pod, _: &AdmissionContext<Pod>| {
        if pod.metadata.name.as_deref() == Some("block") {
            thread::sleep(Duration::from_secs(600));
        }
    };
    let webhooks = Webhooks::new("attacked")
        .add(Webhook::of::<ConfigMap>().validate(validate))
        .add(Webhook::of::<Pod>().mutate(block))
        .convert(virtual_machine::versions().converter());
    WebhookServer::new(&webhooks, resolver(Certificate::First)).address("127.0.0.1:0")
}
