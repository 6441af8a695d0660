//! The threads, files and connections of many informers of one client.

use std::{env, fs, process::Command, time::Duration};

use crdkit::{
    Client,
    informer::{Informers, Timeouts},
};
use crdkit_tests::{ControlPlane, Forwarder};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Config,
    api::{ApiResource, DynamicObject},
    config::{KubeConfigOptions, Kubeconfig},
    core::GroupVersionKind,
};
use tokio::time::sleep;

use crate::{
    served::{Machine, Sample, client_of_control_plane, namespace},
    synced, until, within_limit,
};

/// The variable with the kubeconfig for the test in a separate process, in which other tests do not count.
const KUBECONFIG: &str = "CRDKIT_TEST_CONNECTIONS";
const NAMESPACES: [&str; 5] = ["many-a", "many-b", "many-c", "many-d", "many-e"];
/// Group, kind and plural.
const KINDS: [(&str, &str, &str); 20] = [
    ("", "ConfigMap", "configmaps"),
    ("", "Secret", "secrets"),
    ("", "Pod", "pods"),
    ("", "Service", "services"),
    ("", "Endpoints", "endpoints"),
    ("", "LimitRange", "limitranges"),
    ("", "PersistentVolumeClaim", "persistentvolumeclaims"),
    ("", "PodTemplate", "podtemplates"),
    ("", "ReplicationController", "replicationcontrollers"),
    ("", "ResourceQuota", "resourcequotas"),
    ("", "ServiceAccount", "serviceaccounts"),
    ("apps", "Deployment", "deployments"),
    ("apps", "ReplicaSet", "replicasets"),
    ("apps", "StatefulSet", "statefulsets"),
    ("apps", "DaemonSet", "daemonsets"),
    ("batch", "Job", "jobs"),
    ("batch", "CronJob", "cronjobs"),
    ("networking.k8s.io", "Ingress", "ingresses"),
    ("networking.k8s.io", "NetworkPolicy", "networkpolicies"),
    ("rbac.authorization.k8s.io", "Role", "roles"),
];

/// The resources of the process.
#[derive(Clone, Copy, Debug)]
struct Cost {
    threads: usize,
    files: usize,
    connections: usize,
}

impl Cost {
    fn now(forwarder: &Forwarder) -> Self {
        let count = |folder| fs::read_dir(folder).map_or(0, Iterator::count);
        Self {
            threads: count("/proc/self/task"),
            files: count("/proc/self/fd"),
            connections: forwarder.open_connections(),
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn informers_of_many_kinds_share_resources() {
    if let Ok(kubeconfig) = env::var(KUBECONFIG) {
        return measure(&kubeconfig).await;
    }
    let Some(admin) = client_of_control_plane("it counts connections").await else { return };
    for name in NAMESPACES {
        namespace(&admin, name).await;
    }
    let test = "connections::informers_of_many_kinds_share_resources";
    let mut alone = Command::new(env::current_exe().unwrap());
    alone
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(KUBECONFIG, ControlPlane::shared().unwrap().kubeconfig());
    let output = tokio::task::spawn_blocking(move || alone.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    println!("{printed}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{errors}");
    assert!(printed.contains("1 passed"), "{printed}");
}

async fn measure(kubeconfig: &str) {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let context = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &context).await.unwrap();
    let forwarder = Forwarder::to(&config).await;
    let client = Client::try_from(forwarder.config(config)).unwrap();
    client.resources::<Namespace>().get("many-a").await.unwrap();
    let informers = Informers::new(client.clone());
    let before = Cost::now(&forwarder);
    start(&informers, &KINDS[..2]).await;
    let few = Cost::now(&forwarder);
    start(&informers, &KINDS).await;
    let many = Cost::now(&forwarder);
    println!("before: {before:?}\n2 kinds: {few:?}\n20 kinds: {many:?}");

    expect_changes(&client, &informers).await;
    assert!(many.threads <= few.threads + 2, "threads grow with kinds");
    assert!(many.threads <= before.threads + 4, "too many threads");
    assert!(many.connections <= 8, "too many connections");
    assert!(many.files <= before.files + 32, "too many files");

    // A broken connection does not lead to more connections.
    forwarder.cut();
    sleep(Duration::from_secs(1)).await;
    expect_changes(&client, &informers).await;
    let after = Cost::now(&forwarder);
    println!("after a cut: {after:?}");
    assert!(after.connections <= 8, "too many connections");

    informers.stop();
    until(|| Cost::now(&forwarder).threads <= before.threads + 4).await;
}

fn informer(informers: &Informers, kind: (&str, &str, &str)) -> crdkit::informer::Informer<DynamicObject> {
    let (group, kind, plural) = kind;
    let kind = GroupVersionKind::gvk(group, "v1", kind);
    let kind = ApiResource::from_gvk_with_plural(&kind, plural);
    informers.of_with::<DynamicObject>(kind).namespaces(NAMESPACES).start()
}

/// Starts informers of these kinds, and keeps them running.
async fn start(informers: &Informers, kinds: &[(&str, &str, &str)]) {
    for kind in kinds {
        std::mem::forget(informer(informers, *kind));
    }
    within_limit(informers.synced()).await.unwrap();
    // Unused connections are closed.
    sleep(Duration::from_secs(1)).await;
}

/// Checks that a change in each namespace arrives.
async fn expect_changes(client: &Client, informers: &Informers) {
    let configs = informer(informers, KINDS[0]);
    for namespace in NAMESPACES {
        let mut config = ConfigMap::default();
        config.metadata.generate_name = Some("many-".to_owned());
        let resources = client.resources::<ConfigMap>().namespace(namespace);
        let created = resources.create(&config).await.unwrap();
        let name = created.metadata.name.unwrap();
        until(|| configs.lister().find(namespace, &name).is_some()).await;
    }
}

#[tokio::test]
async fn watches_of_several_namespaces_share_a_connection() {
    let Some(admin) = client_of_control_plane("it counts connections").await else { return };
    let mut names = Vec::new();
    for number in 0..NAMESPACES.len() {
        names.push(namespace(&admin, &format!("informer-share-{number}")).await);
    }
    let config = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&config).await;
    let timeouts = Timeouts::default().backoff(Duration::from_millis(20), Duration::from_millis(200));
    let client = Client::try_from(forwarder.config(config)).unwrap();
    let informer = Informers::new(client).of::<Machine>().namespaces(&names).timeouts(timeouts).start();
    synced(&informer).await;
    // Watches that start together may each connect before the server has negotiated HTTP/2.
    let shares = || (1..NAMESPACES.len()).contains(&forwarder.open_connections());
    until(shares).await;

    // All watches lose the connection, and each resumes.
    forwarder.cut();
    for name in &names {
        let machines = admin.resources::<Machine>().namespace(name);
        machines.create(&Machine::named("a", 1)).await.unwrap();
    }
    until(|| informer.lister().len() == NAMESPACES.len()).await;
    until(shares).await;
}
