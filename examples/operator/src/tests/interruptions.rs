//! The life of a VirtualMachine while the operator is killed, the API server is away, or permissions are missing.

use std::{
    future::{pending, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};

use crdkit_tests::{case_count, faults::Random, number};
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use tokio::task::JoinHandle;

use super::*;

/// The number of moments at which the operator is killed.
const KILLS: &str = "CRDKIT_OPERATOR_KILLS";
/// The seed of these moments.
const SEED: &str = "CRDKIT_OPERATOR_SEED";

/// Longer than a lease, and than the delays of retries that follow a short interruption.
async fn settle() {
    sleep(Duration::from_secs(60)).await;
}

impl Cluster {
    /// Returns a cluster whose operator is started by others.
    fn without_operator(server: &ApiServer) -> Self {
        let client = server.client();
        let (vms, pods) = (client.resources().namespace("default"), client.resources().namespace("default"));
        Self { vms, pods, _stop: oneshot::channel().0 }
    }

    /// Creates a VirtualMachine, changes it and what it owns, and deletes it. `follow` lets the operator react to each step.
    async fn live(&self, follow: impl AsyncFn(), context: &str) {
        self.vms.create(&web("debian:13", 2)).await.unwrap();
        follow().await;
        assert_eq!(self.pod_names().await, ["web-0", "web-1"], "{context}");

        for name in self.pod_names().await {
            set_phase(&self.pods, &name, "Running").await;
        }
        follow().await;
        let status = self.vms.get("web").await.unwrap().status.unwrap();
        assert_eq!((status.phase, status.replicas), (Phase::Running, 2), "{context}");

        self.vms.update("web", |vm| vm.spec.replicas = 3).await.unwrap();
        follow().await;
        assert_eq!(self.pod_names().await, ["web-0", "web-1", "web-2"], "{context}");

        self.pods.delete("web-1").await.unwrap();
        follow().await;
        assert_eq!(self.pod_names().await, ["web-0", "web-1", "web-2"], "{context}");

        self.vms.delete("web").await.unwrap();
        follow().await;
        assert!(self.vms.get_opt("web").await.unwrap().is_none(), "{context}");
        assert!(self.pod_names().await.is_empty(), "{context}");
    }
}

fn operator(server: &ApiServer) -> Manager {
    manager(server.client().field_manager("vm-operator")).until(pending::<()>())
}

/// Runs an operator until it has continued this often, and another one afterwards. Counts how often the first one continued.
async fn run(server: ApiServer, until: usize, polls: Arc<AtomicUsize>) {
    {
        let mut first = pin!(operator(&server).run());
        let killed = poll_fn(|context| match polls.fetch_add(1, Ordering::Relaxed) {
            count if count == until => Poll::Ready(()),
            _ => first.as_mut().poll(context).map(Result::unwrap),
        });
        killed.await;
    }
    operator(&server).run().await.unwrap();
}

/// Returns how often the operator continued.
async fn live_with_a_kill(until: usize) -> usize {
    let server = ApiServer::new().with::<VirtualMachine>();
    let (cluster, polls) = (Cluster::without_operator(&server), Arc::<AtomicUsize>::default());
    let running = tokio::spawn(run(server, until, polls.clone()));
    cluster.live(settle, &format!("killed at poll {until}")).await;
    assert!(!running.is_finished());
    running.abort();
    polls.load(Ordering::Relaxed)
}

/// An operator that is killed has reached an await.
#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_await_is_replaced() {
    let polls = live_with_a_kill(usize::MAX).await;
    assert!(polls > 50, "{polls}");
    let mut random = Random::new(number(SEED).unwrap_or(1));
    for _ in 0..case_count::<u64>(KILLS, 6) {
        live_with_a_kill(random.below(polls)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_continues_after_the_api_server_was_away() {
    let server = ApiServer::new().with::<VirtualMachine>();
    let cluster = Cluster::without_operator(&server);
    let running = tokio::spawn(run(server.clone(), usize::MAX, Arc::default()));
    let away = async || {
        server.stop();
        // A leader that cannot renew its lease for longer ends.
        sleep(Duration::from_secs(5)).await;
        server.start();
        settle().await;
    };
    cluster.live(away, "the API server was away").await;
    assert!(!running.is_finished());
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn an_operator_continues_after_its_permissions_were_missing() {
    let server = ApiServer::new().with::<VirtualMachine>().with_rbac();
    let operator = server.as_service_account("default", "vm-operator");
    let roles =
        manager(operator.client().field_manager("vm-operator")).rbac().service_account("default", "vm-operator");
    let server = server.with_objects(&roles.to_yaml());
    let (cluster, admin) = (Cluster::without_operator(&server), server.client());
    let running: JoinHandle<()> = tokio::spawn(run(operator, usize::MAX, Arc::default()));
    settle().await;
    let bindings = admin.resources::<ClusterRoleBinding>();
    let binding = roles.cluster_role_binding().unwrap();
    let revoked = async || {
        bindings.delete(binding.name()).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        bindings.create(&binding).await.unwrap();
        sleep(Duration::from_secs(6 * 60)).await;
    };
    cluster.live(revoked, "the permissions were missing").await;
    assert!(!running.is_finished());
    running.abort();
}
