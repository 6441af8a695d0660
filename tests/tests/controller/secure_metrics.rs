//! Metrics by HTTPS, for those whom the API server permits to read them.

use std::{
    convert::Infallible,
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Manager, SecureMetrics, ServeOptions, StaticKind},
    webhook::certificates::CertWatcher,
};
use crdkit_api_server::{ApiServer, Requests};
use crdkit_tests::{
    ControlPlane,
    tls::{Certificate, authority},
};
use k8s_openapi::api::{
    authentication::v1::{TokenRequest, TokenReview},
    authorization::v1::SubjectAccessReview,
    core::v1::{ConfigMap, ServiceAccount},
    rbac::v1::{ClusterRole, ClusterRoleBinding},
};
use serde_json::{Value, from_value, json};
use tokio::{sync::oneshot, task::JoinHandle};
use tokio_rustls::rustls::{
    self, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme, StreamOwned,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::ring,
    pki_types::{CertificateDer, ServerName, UnixTime},
};

use crate::cluster::Fleet;

/// Trusts each certificate, as `insecureSkipVerify` of Prometheus.
#[derive(Debug)]
struct SkipVerify;

impl ServerCertVerifier for SkipVerify {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[derive(Clone, Copy)]
enum Trust {
    /// The authority of the files.
    Authority,
    Any,
}

fn tls(trust: Trust) -> ClientConfig {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    match trust {
        Trust::Authority => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from(authority())).unwrap();
            config.with_root_certificates(roots).with_no_client_auth()
        }
        Trust::Any => config.dangerous().with_custom_certificate_verifier(Arc::new(SkipVerify)).with_no_client_auth(),
    }
}

/// Returns the response, if the handshake succeeds.
fn try_get(address: SocketAddr, path: &str, token: &str, trust: Trust) -> std::io::Result<(u16, String)> {
    let connection = ClientConnection::new(Arc::new(tls(trust)), ServerName::from(address.ip())).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    write!(stream, "GET {path} HTTP/1.1\r\nHost: crdkit\r\n{authorization}Connection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head[9..12].parse().unwrap();
    assert_eq!(head.contains("www-authenticate: Bearer"), status == 401, "{head}");
    Ok((status, body.to_owned()))
}

fn get(address: SocketAddr, token: &str) -> (u16, String) {
    try_get(address, "/metrics", token, Trust::Any).unwrap()
}

fn plain(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: crdkit\r\nConnection: close\r\n\r\n")?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

/// Creates service accounts: `prometheus` may read metrics, and `stranger` may not.
async fn create_accounts(client: &Client) {
    for name in ["prometheus", "stranger"] {
        create_account(client, name).await;
    }
    bind_path(client, "metrics-reader", "/metrics", "prometheus").await;
}

async fn create_account(client: &Client, name: &str) {
    let account: ServiceAccount = from_value(json!({ "metadata": { "name": name } })).unwrap();
    client.resources().namespace("default").create(&account).await.unwrap();
}

/// Permits a service account to read a path.
async fn bind_path(client: &Client, role: &str, path: &str, account: &str) {
    let rule = json!({ "nonResourceURLs": [path], "verbs": ["get"] });
    let reader: ClusterRole = from_value(json!({ "metadata": { "name": role }, "rules": [rule] })).unwrap();
    let binding: ClusterRoleBinding = from_value(json!({
        "metadata": { "name": role },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role },
        "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": account }],
    }))
    .unwrap();
    client.resources().create(&reader).await.unwrap();
    client.resources().create(&binding).await.unwrap();
}

async fn token(client: &Client, account: &str) -> String {
    let accounts = client.resources::<ServiceAccount>().namespace("default");
    accounts.create_token(account, &TokenRequest::default()).await.unwrap().status.unwrap().token.unwrap()
}

struct Cluster {
    server: ApiServer,
}

impl Cluster {
    async fn new() -> Self {
        let server = ApiServer::new().with::<Fleet>().with_rbac();
        create_accounts(&server.client()).await;
        Self { server }
    }

    async fn token(&self, account: &str) -> String {
        token(&self.server.client(), account).await
    }

    /// How many reviews were sent: of tokens, and of permissions.
    fn reviews(&self) -> (usize, usize) {
        let count = |requests: Requests| self.server.journal().only(requests).len();
        (count(Requests::create().of::<TokenReview>()), count(Requests::create().of::<SubjectAccessReview>()))
    }

    /// Runs an operator whose service account has the roles of its manager.
    async fn operator(&self, options: ServeOptions) -> Operator {
        let client = self.server.as_service_account("default", "fleet-operator").client();
        let manager = Manager::new(client.field_manager("fleet-operator")).add(idle::<Fleet>());
        let manager = manager.serve(on_loopback(options));
        let rbac = manager.rbac();
        let admin = self.server.client();
        admin.resources().create(&rbac.cluster_role().unwrap()).await.unwrap();
        admin.resources().create(&rbac.cluster_role_binding().unwrap()).await.unwrap();
        Operator::start(manager).await
    }
}

struct Operator {
    health: SocketAddr,
    metrics: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Operator {
    async fn start(manager: Manager) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let manager = manager.until(stopped);
        let handle = manager.handle();
        let running = tokio::spawn(async { manager.run().await.unwrap() });
        let addresses = handle.addresses().await;
        Self { health: addresses.health.unwrap(), metrics: addresses.metrics.unwrap(), stop, running }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.running.await.unwrap();
    }
}

fn idle<K: StaticKind>() -> Controller {
    Controller::of::<K>().reconcile(async |_: Arc<K>, _: Context<K>| Ok::<_, Infallible>(Action::Done))
}

fn on_loopback(options: ServeOptions) -> ServeOptions {
    options.health_address("127.0.0.1:0").metrics_address("127.0.0.1:0")
}

fn secure() -> ServeOptions {
    ServeOptions::new().secure_metrics(SecureMetrics::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn metrics_are_for_those_whom_the_api_server_permits_to_read_them() {
    let cluster = Cluster::new().await;
    let (prometheus, stranger) = (cluster.token("prometheus").await, cluster.token("stranger").await);
    let operator = cluster.operator(secure()).await;
    assert_eq!(get(operator.metrics, ""), (401, "Unauthorized\n".into()));
    assert_eq!(cluster.reviews(), (0, 0));
    assert_eq!(get(operator.metrics, "guess"), (401, "Unauthorized\n".into()));
    assert_eq!(cluster.reviews(), (1, 0));
    let denied = "Authorization denied for user system:serviceaccount:default:stranger\n";
    assert_eq!(get(operator.metrics, &stranger), (403, denied.into()));
    assert_eq!(cluster.reviews(), (2, 1));
    let (status, body) = get(operator.metrics, &prometheus);
    assert!(status == 200 && body.contains("controller_runtime_active_workers{"), "{status} {body}");
    assert_eq!(cluster.reviews(), (3, 2));

    // All of that is known for a time.
    for _ in 0..3 {
        assert_eq!(get(operator.metrics, &prometheus).0, 200);
        assert_eq!(get(operator.metrics, &stranger).0, 403);
        assert_eq!(get(operator.metrics, "guess").0, 401);
    }
    assert_eq!(cluster.reviews(), (3, 2));

    // The port speaks nothing else than TLS, and that of health checks needs no token.
    assert!(!plain(operator.metrics, "/metrics").unwrap_or_default().contains("HTTP/1.1 200"));
    assert!(plain(operator.health, "/healthz").unwrap().starts_with("HTTP/1.1 200 OK"));
    // A client that verifies certificates does not trust that of the program.
    assert!(try_get(operator.metrics, "/metrics", &prometheus, Trust::Authority).is_err());
    operator.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_real_api_server_decides_who_reads_metrics() {
    let Some(plane) = ControlPlane::shared() else { return };
    let client = Client::from(plane.client());
    create_accounts(&client).await;
    let (prometheus, stranger) = (token(&client, "prometheus").await, token(&client, "stranger").await);
    let manager = Manager::new(client.clone()).add(idle::<ConfigMap>()).serve(on_loopback(secure()));
    let operator = Operator::start(manager).await;
    assert_eq!(get(operator.metrics, "guess"), (401, "Unauthorized\n".into()));
    // RBAC learns of bindings by a watch.
    let start = Instant::now();
    while get(operator.metrics, &prometheus).0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", get(operator.metrics, &prometheus));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let denied = "Authorization denied for user system:serviceaccount:default:stranger\n";
    assert_eq!(get(operator.metrics, &stranger), (403, denied.into()));
    operator.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn failures_of_the_api_server_are_not_verdicts() {
    let cluster = Cluster::new().await;
    let token = cluster.token("prometheus").await;
    let operator = cluster.operator(secure()).await;
    let faults = cluster.server.faults();
    let refused = faults.on(Requests::create().of::<TokenReview>()).fail(403);
    assert_eq!(get(operator.metrics, &token), (500, "Authentication failed\n".into()));
    refused.remove();
    let refused = faults.on(Requests::create().of::<SubjectAccessReview>()).fail(403);
    let failed = "Authorization for user system:serviceaccount:default:prometheus failed\n";
    assert_eq!(get(operator.metrics, &token), (500, failed.into()));
    refused.remove();
    assert_eq!(get(operator.metrics, &token).0, 200);
    operator.stop().await;
}

/// Somebody guesses tokens: the API server has few reviews of them, and the token that is good is not delayed.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn guesses_delay_neither_good_tokens_nor_the_api_server() {
    let cluster = Cluster::new().await;
    let token = cluster.token("prometheus").await;
    let operator = cluster.operator(secure()).await;
    let address = operator.metrics;
    assert_eq!(get(address, &token).0, 200);

    let start = Instant::now();
    let is_over = Arc::new(AtomicBool::new(false));
    let attackers: Vec<_> = (0..40)
        .map(|attacker| {
            let is_over = is_over.clone();
            thread::spawn(move || {
                let mut statuses = Vec::new();
                for guess in 0.. {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    statuses.push(get(address, &format!("guess-{attacker}-{guess}")).0);
                    // Handshakes take the processors otherwise.
                    thread::sleep(Duration::from_millis(5));
                }
                statuses
            })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    while start.elapsed() < Duration::from_secs(2) {
        let sent = Instant::now();
        assert_eq!(get(address, &token).0, 200);
        slowest = slowest.max(sent.elapsed());
    }
    is_over.store(true, Ordering::SeqCst);
    let statuses: Vec<_> = attackers.into_iter().flat_map(|attacker| attacker.join().unwrap()).collect();
    let most = 2 + usize::try_from(start.elapsed().as_millis() / 100).unwrap();
    let (tokens, _) = cluster.reviews();
    assert!(tokens <= most, "{tokens} reviews in {:?}", start.elapsed());
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
    // 40 requests at a time are more than may wait.
    assert!(statuses.contains(&429), "{statuses:?}");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    operator.stop().await;
}

fn write(directory: &Path, certificate: &[u8], key: &[u8]) {
    fs::write(directory.join("tls.crt"), certificate).unwrap();
    fs::write(directory.join("tls.key"), key).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn certificates_are_those_of_files() {
    let cluster = Cluster::new().await;
    let token = cluster.token("prometheus").await;
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), Certificate::First.pem(), include_bytes!("../../src/tls/first.key"));
    let watcher = CertWatcher::new(directory.path()).interval(Duration::from_millis(50));
    let options = ServeOptions::new().secure_metrics(SecureMetrics::new().certificates(watcher));
    let operator = cluster.operator(options).await;
    let verified = || try_get(operator.metrics, "/metrics", &token, Trust::Authority);
    let first = loop {
        // Until the file is read.
        match verified() {
            Ok((status, _)) => break status,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    assert_eq!(first, 200);
    let untrusted = include_bytes!("../../src/tls/untrusted.key");
    write(directory.path(), Certificate::Untrusted.pem(), untrusted);
    while verified().is_ok() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    operator.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn encrypted_metrics_may_be_for_everybody() {
    let cluster = Cluster::new().await;
    let secure = SecureMetrics::new().without_authorization();
    let operator = cluster.operator(ServeOptions::new().secure_metrics(secure)).await;
    assert_eq!(get(operator.metrics, "").0, 200);
    assert_eq!(cluster.reviews(), (0, 0));
    operator.stop().await;
}

#[tokio::test]
async fn health_checks_at_the_same_address_are_encrypted_and_need_no_token() {
    let cluster = Cluster::new().await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = secure().health_address(&free.to_string()).metrics_address(&free.to_string());
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.server.client()).add(idle::<Fleet>()).serve(options).until(stopped);
    let running = tokio::spawn(manager.run());
    let (health, metrics) = tokio::task::spawn_blocking(move || {
        let status = |path: &str| {
            let start = Instant::now();
            loop {
                match try_get(free, path, "", Trust::Any) {
                    Ok((status, _)) => break status,
                    Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error}"),
                }
            }
        };
        (status("/healthz"), status("/metrics"))
    })
    .await
    .unwrap();
    assert_eq!((health, metrics), (200, 401));
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn pages_for_diagnosis_have_a_permission_of_their_own() {
    let cluster = Cluster::new().await;
    let token = cluster.token("prometheus").await;
    let (begin, begun) = mpsc::channel::<()>();
    let (release, released) = mpsc::channel::<()>();
    let state = Mutex::new((begin, released));
    let options = secure()
        .debug_page("pprof/slow", "application/octet-stream", move |_| {
            let state = state.lock().unwrap();
            state.0.send(()).unwrap();
            state.1.recv().unwrap();
            Ok(vec![1, 2])
        })
        .debug_page("echo", "text/plain", |parameters| match parameters.get("seconds") {
            Some(seconds) if seconds == "panic" => panic!("a page that panics"),
            Some(seconds) => Ok(seconds.clone().into_bytes()),
            None => Err("`seconds` is missing".into()),
        });
    let operator = cluster.operator(options).await;
    let address = operator.metrics;
    let page = move |path: &str, token: &str| try_get(address, path, token, Trust::Any).unwrap();
    assert_eq!(page("/debug/echo?seconds=1", "").0, 401);
    // The role permits metrics.
    assert_eq!(page("/debug/echo?seconds=1", &token).0, 403);
    assert_eq!(page("/metrics", &token).0, 200);
    assert_eq!(page("/debug/other", &token).0, 404);
    assert_eq!(page("/debug/", &token).0, 404);
    assert!(plain(operator.health, "/debug/echo").unwrap().starts_with("HTTP/1.1 404"));

    create_account(&cluster.server.client(), "jane").await;
    bind_path(&cluster.server.client(), "debug", "/debug/*", "jane").await;
    let jane = cluster.token("jane").await;
    assert_eq!(page("/debug/echo?seconds=1", &jane), (200, "1".into()));
    assert_eq!(page("/debug/echo", &jane), (500, "`seconds` is missing\n".into()));
    assert_eq!(page("/debug/echo?seconds=panic", &jane), (500, "the function of the page panicked\n".into()));
    assert_eq!(page("/metrics", &jane).0, 403);

    // One profile at a time; metrics and health checks are answered meanwhile.
    let slow = {
        let jane = jane.clone();
        thread::spawn(move || page("/debug/pprof/slow", &jane))
    };
    begun.recv().unwrap();
    assert_eq!(page("/debug/pprof/slow", &jane).0, 429);
    assert_eq!(page("/metrics", &token).0, 200);
    release.send(()).unwrap();
    assert_eq!(slow.join().unwrap(), (200, "\u{1}\u{2}".into()));
    operator.stop().await;
}

#[tokio::test]
async fn roles_permit_reviews() {
    let reviews = |options: ServeOptions| {
        let rules = Manager::new(Client::offline()).serve(options).rbac().cluster_role();
        let rules = rules.and_then(|role| role.rules).unwrap_or_default();
        rules.iter().map(|rule| json!([rule.resources, rule.verbs])).collect::<Vec<Value>>()
    };
    assert_eq!(
        reviews(secure()),
        [json!([["tokenreviews"], ["create"]]), json!([["subjectaccessreviews"], ["create"]])]
    );
    let everybody = SecureMetrics::new().without_authorization();
    assert_eq!(reviews(ServeOptions::new().secure_metrics(everybody)), [] as [Value; 0]);
    assert_eq!(reviews(ServeOptions::new()), [] as [Value; 0]);
}
