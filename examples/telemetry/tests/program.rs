//! The program on an API server with a port, with a collector.

mod collector;

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use crdkit::{Client, kube::Config};
use crdkit_api_server::ApiServer;
use example_resources::at::{At, AtPhase, AtSpec};

use self::collector::Collector;

const LIMIT: Duration = Duration::from_secs(60);

/// Ends the program with the test, also when that fails.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a program has traced is sent before it ends.
#[tokio::test]
async fn the_program_sends_its_traces() {
    let collector = Collector::start();
    let port = ApiServer::new().with::<At>().serve(([127, 0, 0, 1], 0)).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("kubeconfig.yaml");
    std::fs::write(&kubeconfig, port.kubeconfig()).unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_example-telemetry"))
        .env("KUBECONFIG", &kubeconfig)
        .env("HEALTH_PROBE_BIND_ADDRESS", "127.0.0.1:0")
        .env("METRICS_BIND_ADDRESS", "127.0.0.1:0")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
        // Nothing is sent before the end.
        .env("OTEL_BSP_SCHEDULE_DELAY", "600000")
        .stderr(Stdio::inherit())
        .spawn();
    let mut program = Program(program.unwrap());

    let client = Client::try_from(Config::new(port.url().parse().unwrap())).unwrap();
    let ats = client.resources::<At>().namespace("default");
    let spec = AtSpec { schedule: "2030-01-31T12:00:00Z".into(), command: "echo".into() };
    ats.create(&At::new("greeting", spec)).await.unwrap();
    let is_done = |at: &At| at.status.as_ref().is_some_and(|status| status.phase == AtPhase::Done);
    ats.wait_until("greeting", is_done).within(LIMIT).await.unwrap();
    assert!(Command::new("kill").arg(program.0.id().to_string()).status().unwrap().success());
    let ended = tokio::task::spawn_blocking(move || program.0.wait().unwrap());
    let ended = tokio::time::timeout(LIMIT, ended).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");

    let spans = collector.take();
    let reconciliation = spans.iter().find(|span| span.name() == "reconcile").unwrap();
    assert_eq!((reconciliation.attribute("name"), reconciliation.service()), ("greeting".into(), "at-operator".into()));
    assert!(spans.iter().any(|span| span.name() == "run" && span.is_child_of(reconciliation)));
}
