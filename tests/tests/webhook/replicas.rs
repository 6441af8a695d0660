//! Replicas that share certificates in a Secret, on a paused clock: for hours, with faults.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime},
};

use crdkit::{
    client::{Patch, Resources, scope::InNamespace},
    webhook::certificates::{CaTarget, CertRotator, Certificates},
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::{
    ByteString,
    api::{admissionregistration::v1::ValidatingWebhookConfiguration, core::v1::Secret},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::rustls::{
    RootCertStore,
    client::{verify_server_cert_signed_by_trust_anchor, verify_server_name},
    crypto::ring,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOST: &str = "machines.operators.svc";
const TLS_SECRET: &str = "kubernetes.io/tls";

/// A replica, which runs until this is dropped.
struct Replica {
    certificates: Certificates,
    task: JoinHandle<()>,
}

impl Replica {
    fn start(rotator: CertRotator) -> Self {
        Self { certificates: rotator.certificates(), task: tokio::spawn(rotator.run()) }
    }

    fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.certificates.chain().unwrap()
    }

    fn not_after(&self) -> SystemTime {
        self.certificates.not_after().unwrap()
    }

    /// Whether a client that trusts the authorities accepts the certificate.
    fn is_accepted(&self, authorities: &[CertificateDer<'static>], now: SystemTime) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(authorities.iter().cloned());
        let chain = self.chain();
        let certificate = ParsedCertificate::try_from(&chain[0]).unwrap();
        let now_of_tls = UnixTime::since_unix_epoch(now.duration_since(SystemTime::UNIX_EPOCH).unwrap());
        let algorithms = ring::default_provider().signature_verification_algorithms.all;
        // rustls accepts it at its last second too.
        now < self.not_after()
            && verify_server_cert_signed_by_trust_anchor(&certificate, &roots, &chain[1..], now_of_tls, algorithms)
                .is_ok()
            && verify_server_name(&certificate, &ServerName::try_from(HOST).unwrap()).is_ok()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Cluster {
    server: ApiServer,
    start: Instant,
    epoch: SystemTime,
}

impl Cluster {
    async fn new() -> Self {
        let server = ApiServer::new();
        let cluster = Self { server, start: Instant::now(), epoch: SystemTime::UNIX_EPOCH + 20_000 * DAY };
        let client = cluster.server.client();
        let service = json!({ "service": { "namespace": "operators", "name": "machines" } });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "machines.example.com" },
            "spec": {
                "group": "example.com", "scope": "Namespaced", "names": { "kind": "Machine", "plural": "machines" },
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": { "openAPIV3Schema": { "type": "object" } },
                }],
                "conversion": { "strategy": "Webhook", "webhook": {
                    "clientConfig": service, "conversionReviewVersions": ["v1"],
                } },
            },
        });
        let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
        client.resources().create(&definition).await.unwrap();
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "machines" },
            "webhooks": [{
                "name": "machines.example.com", "clientConfig": service, "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }],
        });
        let configuration: ValidatingWebhookConfiguration = serde_json::from_value(configuration).unwrap();
        client.resources().create(&configuration).await.unwrap();
        cluster
    }

    /// The wall clock, which follows tokio's.
    fn now(&self) -> SystemTime {
        self.epoch + self.start.elapsed()
    }

    fn rotator(&self) -> CertRotator {
        let (epoch, start) = (self.epoch, self.start);
        CertRotator::for_service(&self.server.client(), "default", "machines")
            .name(HOST)
            .inject(CaTarget::definition("machines.example.com"))
            .inject(CaTarget::validating("machines"))
            .clock(move || epoch + start.elapsed())
    }

    async fn secret(&self) -> Secret {
        self.secrets().get("machines-webhook-cert").await.unwrap()
    }

    fn secrets(&self) -> Resources<Secret, InNamespace> {
        self.server.client().resources().namespace("default")
    }

    /// The bundles that API servers trust.
    async fn bundles(&self) -> [Vec<CertificateDer<'static>>; 2] {
        let client = self.server.client();
        let definition = client.resources::<CustomResourceDefinition>().get("machines.example.com").await.unwrap();
        let conversion = definition.spec.conversion.unwrap().webhook.unwrap().client_config.unwrap().ca_bundle;
        let configuration = client.resources::<ValidatingWebhookConfiguration>().get("machines").await.unwrap();
        let admission = configuration.webhooks.unwrap().remove(0).client_config.ca_bundle;
        [conversion, admission].map(|bundle| {
            let bundle: Vec<u8> = bundle.map(|ByteString(bundle)| bundle).unwrap_or_default();
            CertificateDer::pem_slice_iter(&bundle).collect::<Result<_, _>>().unwrap()
        })
    }

    #[track_caller]
    fn assert_trusted(&self, replica: &Replica, bundle: &[CertificateDer<'static>]) {
        assert!(replica.is_accepted(bundle, self.now()), "at {:?}", self.start.elapsed());
    }
}

async fn until(mut condition: impl AsyncFnMut() -> bool) {
    let met = async {
        while !condition().await {
            sleep(Duration::from_secs(1)).await;
        }
    };
    timeout(HOUR, met).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn replicas_that_start_at_once_have_one_authority() {
    let cluster = Cluster::new().await;
    let replicas: Vec<_> = (0..8).map(|_| Replica::start(cluster.rotator())).collect();
    for replica in &replicas {
        replica.certificates.ready().await;
    }
    let first = &replicas[0];
    for replica in &replicas {
        assert_eq!(replica.chain(), first.chain());
        assert_eq!(replica.certificates.ca_bundle(), first.certificates.ca_bundle());
        assert_eq!(replica.certificates.metrics().failures, 0);
    }
    until(async || cluster.bundles().await.iter().all(|bundle| bundle.len() == 1)).await;
    for bundle in cluster.bundles().await {
        cluster.assert_trusted(first, &bundle);
    }
    let secret = cluster.secret().await;
    assert_eq!(secret.type_.as_deref(), Some(TLS_SECRET));
    assert_eq!(secret.data.unwrap().into_keys().collect::<Vec<_>>(), ["ca.crt", "ca.key", "tls.crt", "tls.key"]);
}

/// Waits until one of the replicas has another certificate or bundle, or until the time has passed.
async fn changed(replicas: &[Replica; 2], longest: Duration) -> bool {
    let current = || replicas.each_ref().map(|it| (it.certificates.chain(), it.certificates.ca_bundle()));
    let (first, end) = (current(), Instant::now() + longest);
    while current() == first && Instant::now() < end {
        sleep(Duration::from_secs(1)).await;
    }
    current() != first
}

#[tokio::test(start_paused = true)]
async fn certificates_are_trusted_at_each_time_of_rotations() {
    const PROPAGATION: Duration = Duration::from_secs(90);
    let cluster = Cluster::new().await;
    let replica = || {
        let rotator = cluster.rotator().validity(2 * HOUR).authority_validity(6 * HOUR);
        Replica::start(rotator.propagation(PROPAGATION).check_interval(HOUR / 2))
    };
    let replicas = [replica(), replica()];
    for replica in &replicas {
        replica.certificates.ready().await;
    }
    until(async || cluster.bundles().await.iter().all(|bundle| !bundle.is_empty())).await;
    let mut authorities = HashSet::new();
    let (mut before, mut chains) = (cluster.bundles().await, Vec::new());
    // After a change, the objects and the other replica follow.
    let mut steps_after_change = 0_u32;
    while cluster.start.elapsed() < 9 * HOUR {
        match steps_after_change {
            0 if changed(&replicas, HOUR / 2).await => steps_after_change = 8,
            0 => {}
            _ => {
                sleep(PROPAGATION / 6).await;
                steps_after_change -= 1;
            }
        }
        let (bundles, presented) = (cluster.bundles().await, replicas.each_ref().map(Replica::chain).to_vec());
        if bundles != before || presented != chains {
            steps_after_change = 8;
            // API servers may be late.
            for bundle in bundles.iter().chain(&before) {
                replicas.iter().for_each(|replica| cluster.assert_trusted(replica, bundle));
            }
            authorities.extend(bundles[0].iter().cloned());
            assert!(bundles[0].len() <= 3, "{}", bundles[0].len());
        }
        assert!(replicas.iter().all(|replica| replica.not_after() > cluster.now()));
        (before, chains) = (bundles, presented);
    }
    assert_eq!(authorities.len(), 3, "one each four hours");
    for replica in &replicas {
        let metrics = replica.certificates.metrics();
        assert!((6..=10).contains(&metrics.loads), "{metrics:?}");
        assert_eq!(metrics.failures, 0);
        assert_eq!(metrics.not_after, Some(replica.not_after()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_bundle_that_others_change_is_restored() {
    let cluster = Cluster::new().await;
    let replica = Replica::start(cluster.rotator());
    replica.certificates.ready().await;
    let is_set = async || cluster.bundles().await.iter().all(|bundle| bundle.len() == 1);
    until(is_set).await;
    let client = cluster.server.client();
    let remove = Patch::json(json!([{ "op": "remove", "path": "/spec/conversion/webhook/clientConfig/caBundle" }]));
    let definitions = client.resources::<CustomResourceDefinition>();
    let changed = definitions.patch("machines.example.com", &remove).await.unwrap();
    let config = changed.spec.conversion.unwrap().webhook.unwrap().client_config.unwrap();
    assert_eq!(config.ca_bundle, None);
    let configurations = client.resources::<ValidatingWebhookConfiguration>();
    let mut recreated = configurations.get("machines").await.unwrap();
    recreated.metadata = ObjectMeta { name: recreated.metadata.name, ..ObjectMeta::default() };
    recreated.webhooks.as_mut().unwrap()[0].client_config.ca_bundle = None;
    configurations.delete("machines").await.unwrap();
    configurations.create(&recreated).await.unwrap();
    let start = Instant::now();
    until(is_set).await;
    assert!(start.elapsed() <= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn after_a_deletion_of_the_secret_the_certificate_is_used_until_the_new_authority_is_trusted() {
    let cluster = Cluster::new().await;
    let replica = Replica::start(cluster.rotator());
    replica.certificates.ready().await;
    until(async || cluster.bundles().await.iter().all(|bundle| bundle.len() == 1)).await;
    let first = replica.chain();
    cluster.secrets().delete("machines-webhook-cert").await.unwrap();
    let start = Instant::now();
    until(async || {
        for bundle in cluster.bundles().await {
            cluster.assert_trusted(&replica, &bundle);
        }
        replica.chain() != first
    })
    .await;
    assert!((60..=62).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    assert_eq!(cluster.bundles().await[0].len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_another_program_remains() {
    let cluster = Cluster::new().await;
    let data = |name: &str| (name.to_owned(), ByteString(b"other".to_vec()));
    let secret = Secret {
        metadata: ObjectMeta { name: Some("machines-webhook-cert".into()), ..ObjectMeta::default() },
        type_: Some(TLS_SECRET.into()),
        data: Some([data("tls.crt"), data("tls.key")].into()),
        ..Secret::default()
    };
    let other = cluster.secrets().create(&secret).await.unwrap();
    let replica = Replica::start(cluster.rotator());
    until(async || replica.certificates.metrics().failures >= 3).await;
    assert_eq!(cluster.secret().await, other);
    assert!(!replica.certificates.is_ready());
    // An empty one is filled, as charts create them.
    cluster.secrets().delete("machines-webhook-cert").await.unwrap();
    let empty = ["tls.crt", "tls.key"].map(|key| (key.to_owned(), ByteString(Vec::new())));
    let empty = Secret { data: Some(empty.into()), ..secret };
    cluster.secrets().create(&empty).await.unwrap();
    replica.certificates.ready().await;
}

#[tokio::test(start_paused = true)]
async fn without_the_api_server_the_certificate_stays_in_use() {
    let cluster = Cluster::new().await;
    let replica = Replica::start(cluster.rotator());
    replica.certificates.ready().await;
    let chain = replica.chain();
    let faults = cluster.server.faults().on(Requests::all()).fail_with(500, "InternalError", "down");
    sleep(HOUR).await;
    assert_eq!(replica.chain(), chain);
    assert!(replica.certificates.metrics().failures > 0);
    faults.remove();
}

#[tokio::test(start_paused = true)]
async fn no_private_key_is_in_debug_output() {
    let cluster = Cluster::new().await;
    let rotator = cluster.rotator();
    let debug = format!("{rotator:?}");
    let replica = Replica::start(rotator);
    replica.certificates.ready().await;
    let debug = format!("{debug}{:?}{:#?}", replica.certificates, replica.certificates);
    for (_, value) in cluster.secret().await.data.unwrap() {
        let pem = String::from_utf8(value.0).unwrap();
        assert!(pem.lines().all(|line| !debug.contains(line)), "{debug}");
    }
}
