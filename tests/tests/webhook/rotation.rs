//! Certificates that are rotated under load.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use crdkit::{
    client::Patch,
    webhook::{
        Webhook, WebhookClient, WebhookServer, Webhooks,
        certificates::{CaTarget, CertRotator, Certificates},
    },
};
use k8s_openapi::{
    ByteString, api::core::v1::Secret, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::conversion::{
    cluster::Cluster,
    kinds::rotated::{GROUP, Machine, MachineSpec, v1alpha1, versions},
};

const CONFIGURATION: &str = "rotated";
const SECRET: &str = "rotated-webhook-cert";
/// The time between two requests of each client.
const PAUSE: Duration = Duration::from_millis(10);

/// One of the replicas of the program. No request may take longer than the time of propagation: it uses the bundle from its start.
fn rotator(cluster: &Cluster, propagation: Duration) -> CertRotator {
    CertRotator::new(&cluster.client, "default", SECRET, ["127.0.0.1"])
        .propagation(propagation)
        .inject(CaTarget::definition_of::<Machine>())
        .inject(CaTarget::mutating(CONFIGURATION))
}

/// Returns the number of authorities in the bundle of the definition.
async fn authorities(cluster: &Cluster) -> usize {
    let definitions = cluster.client.resources::<CustomResourceDefinition>();
    let definition = definitions.get(&format!("machines.{GROUP}")).await.unwrap();
    let config = definition.spec.conversion.unwrap().webhook.unwrap().client_config.unwrap();
    let ByteString(pem) = config.ca_bundle.unwrap_or_default();
    String::from_utf8(pem).unwrap().matches("BEGIN CERTIFICATE").count()
}

async fn check(cluster: Cluster, propagation: Duration, rotations: usize) {
    let cluster = Arc::new(cluster);
    let mutation = Webhook::of::<Machine>().mutate(|machine, _| {
        machine.metadata.labels.get_or_insert_default().insert("mutated".into(), "yes".into());
    });
    let webhooks = Webhooks::new(CONFIGURATION).convert(versions().converter()).add(mutation);
    // Two replicas. The API server calls the first one.
    let rotators = [rotator(&cluster, propagation), rotator(&cluster, propagation)];
    let certificates = rotators.each_ref().map(CertRotator::certificates);
    let server =
        WebhookServer::new(&webhooks, Arc::new(certificates[0].clone())).address("127.0.0.1:0").start().unwrap();
    let client = WebhookClient::url(format!("https://{}", server.address()));
    let definition = versions().versions(client.conversion()).merge().unwrap().crd;
    cluster.client.install([definition]).await.unwrap();
    let configurations = webhooks.configurations(&client).unwrap();
    cluster.client.resources().create(&configurations.mutating.unwrap()).await.unwrap();
    let tasks = rotators.map(|rotator| tokio::spawn(rotator.run()));
    assert_agree(&certificates).await;
    let machines = cluster.client.resources::<Machine>().namespace("default");
    let created = async {
        let machine = Machine::new("web", MachineSpec { memory: "1Gi".into(), number: 0 });
        while machines.create(&machine).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(20), created).await.unwrap();

    let (stop, requests) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let load: Vec<_> = (0..2)
        .map(|_| {
            let (cluster, stop, requests) = (cluster.clone(), stop.clone(), requests.clone());
            tokio::spawn(async move {
                // A request that fails is not sent again.
                let client = cluster.client.max_retries(0);
                let old = client.resources::<v1alpha1::Machine>().namespace("default");
                while !stop.load(Ordering::Relaxed) {
                    let number = requests.fetch_add(1, Ordering::Relaxed);
                    let touched =
                        Patch::merge(json!({ "metadata": { "annotations": { "number": number.to_string() } } }));
                    let patched = old.patch("web", &touched).await.unwrap();
                    assert_eq!(patched.spec.ram, "1Gi");
                    sleep(PAUSE).await;
                }
            })
        })
        .collect();
    let secrets = cluster.client.resources::<Secret>().namespace("default");
    for rotation in 1..=rotations {
        // Another authority is created, and then issues a certificate.
        let loads = certificates[0].metrics().loads;
        secrets.delete(SECRET).await.unwrap();
        let rotated = async {
            while certificates[0].metrics().loads == loads {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(Duration::from_secs(60), rotated).await.unwrap();
        assert!(authorities(&cluster).await > rotation);
    }
    let before = requests.load(Ordering::Relaxed);
    while requests.load(Ordering::Relaxed) < before + 8 {
        sleep(Duration::from_millis(50)).await;
    }
    stop.store(true, Ordering::Relaxed);
    for load in load {
        load.await.unwrap();
    }
    tasks.iter().for_each(|task| task.abort());
    assert!(certificates[0].metrics().loads > rotations.try_into().unwrap());
}

/// Replicas that start at once have the certificate of one authority.
async fn assert_agree(certificates: &[Certificates; 2]) {
    for replica in certificates {
        timeout(Duration::from_secs(20), replica.ready()).await.unwrap();
    }
    let [one, other] = certificates.each_ref().map(|replica| replica.ca_bundle().unwrap());
    assert_eq!(String::from_utf8(one), String::from_utf8(other));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_while_certificates_are_rotated_in_the_process() {
    // It opens a connection for each conversion, one after the other.
    check(Cluster::in_process(), Duration::from_secs(6), 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_while_certificates_are_rotated_on_the_control_plane() {
    let Some(cluster) = Cluster::real("rotated") else { return };
    check(cluster, Duration::from_secs(2), 2).await;
}

/// On the real API server: creation is what decides between replicas.
#[tokio::test]
async fn replicas_that_start_at_once_agree_on_the_control_plane() {
    let Some(cluster) = Cluster::real("rotated") else { return };
    let rotators: Vec<_> =
        (0..4).map(|_| CertRotator::new(&cluster.client, "default", "agreed-webhook-cert", ["127.0.0.1"])).collect();
    let certificates: Vec<_> = rotators.iter().map(CertRotator::certificates).collect();
    let tasks: Vec<_> = rotators.into_iter().map(|rotator| tokio::spawn(rotator.run())).collect();
    for replica in &certificates {
        timeout(Duration::from_secs(20), replica.ready()).await.unwrap();
        assert_eq!(replica.metrics().failures, 0);
    }
    let secret = cluster.client.resources::<Secret>().namespace("default").get("agreed-webhook-cert").await.unwrap();
    let ByteString(bundle) = &secret.data.unwrap()["ca.crt"];
    assert!(certificates.iter().all(|replica| replica.ca_bundle().as_ref() == Some(bundle)));
    tasks.iter().for_each(|task| task.abort());
}
