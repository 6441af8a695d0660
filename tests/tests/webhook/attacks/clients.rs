//! Clients that attack. Each keeps a number of connections open, and opens another one for each that ends.

use std::{
    io,
    sync::{Arc, LazyLock},
    time::Duration,
};

use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::sleep,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName},
    },
};

use super::{honest::post, process::Addresses};

const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n";
const HEALTH: &[u8] = b"GET /healthz?verbose HTTP/1.1\r\nhost: a\r\n\r\n";

/// What the clients do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attack {
    /// They declare large bodies, and send a byte a second.
    SlowBodies,
    /// They are silent after the handshake, send a part of the preface of HTTP/2, or are HTTP/2 without requests.
    Silent,
    /// They are silent, or send requests again and again, at the ports of health checks and metrics.
    HealthAndMetrics,
    /// They send requests and never read.
    Unread,
    /// They send small text with large values.
    Values,
    /// Their reviews block threads.
    Blocking,
    /// They send large bodies slowly to the API server for tests, or nothing.
    ApiServer,
}

impl Attack {
    pub(crate) const ALL: [Self; 7] = [
        Self::SlowBodies,
        Self::Silent,
        Self::HealthAndMetrics,
        Self::Unread,
        Self::Values,
        Self::Blocking,
        Self::ApiServer,
    ];

    /// Starts the clients.
    pub(crate) fn start(self, addresses: Addresses, connections: usize) -> JoinSet<()> {
        // Those that send much are busy with few connections.
        let connections = match self {
            Self::Values | Self::Blocking => connections.min(20),
            _ => connections,
        };
        let mut clients = JoinSet::new();
        for number in 0..connections {
            clients.spawn(async move {
                loop {
                    // It fails when the server ends the connection.
                    let _ = self.connect(addresses, number).await;
                    sleep(Duration::from_millis(100)).await;
                }
            });
        }
        clients
    }

    async fn connect(self, addresses: Addresses, number: usize) -> io::Result<()> {
        let webhooks = async || encrypt(TcpStream::connect(addresses.webhooks).await?).await;
        match self {
            Self::SlowBodies => slow_body(webhooks().await?, number).await,
            Self::Silent => match number % 3 {
                0 => silent(webhooks().await?, b"").await,
                1 => silent(webhooks().await?, b"PRI * HTTP/2.0\r\n").await,
                _ => idle_http2(webhooks().await?).await,
            },
            Self::HealthAndMetrics => {
                let address = if number.is_multiple_of(2) { addresses.health } else { addresses.metrics };
                let stream = TcpStream::connect(address).await?;
                if number % 4 < 2 { silent(stream, b"GET /h").await } else { repeated(stream).await }
            }
            Self::Unread => match number % 8 {
                // Four megabytes, more than the sockets hold.
                2 => unread(webhooks().await?, conversion(20 << 10, "\"unknown\":1").as_bytes()).await,
                1 | 3 | 5 | 7 => unread(TcpStream::connect(addresses.metrics).await?, METRICS).await,
                _ => unread(TcpStream::connect(addresses.health).await?, HEALTH).await,
            },
            Self::Values => {
                let request = if number.is_multiple_of(2) { options() } else { conversion(1, &unknown()) };
                let mut stream = webhooks().await?;
                stream.write_all(request.as_bytes()).await?;
                read_all(stream).await
            }
            Self::Blocking => silent(webhooks().await?, blocking().as_bytes()).await,
            Self::ApiServer => {
                let stream = TcpStream::connect(addresses.api_server).await?;
                if number.is_multiple_of(2) { silent(stream, b"").await } else { slow_body(stream, number).await }
            }
        }
    }
}

/// Opens a connection of each bad kind, which stays until the server ends it.
pub(crate) async fn hold(addresses: Addresses) -> JoinSet<()> {
    let mut held = JoinSet::new();
    for attack in [Attack::SlowBodies, Attack::Silent, Attack::HealthAndMetrics, Attack::Unread, Attack::ApiServer] {
        for number in 0..6 {
            held.spawn(async move {
                let _ = attack.connect(addresses, number).await;
            });
        }
    }
    sleep(Duration::from_secs(1)).await;
    held
}

/// Encrypts a connection, as a client that trusts the authority.
pub(crate) async fn encrypt(stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    static CONFIG: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(crdkit_tests::tls::authority())).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        Arc::new(config.with_no_client_auth())
    });
    let name = ServerName::from(stream.peer_addr()?.ip());
    TlsConnector::from(CONFIG.clone()).connect(name, stream).await
}

/// Sends something, and then waits for the end.
async fn silent(mut stream: impl AsyncRead + AsyncWrite + Unpin, first: &[u8]) -> io::Result<()> {
    stream.write_all(first).await?;
    stream.flush().await?;
    read_all(stream).await
}

async fn read_all(mut stream: impl AsyncRead + Unpin) -> io::Result<()> {
    let mut buffer = vec![0; 4 << 10];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn slow_body(mut stream: impl AsyncWrite + Unpin, number: usize) -> io::Result<()> {
    let path = ["/convert", "/validate--v1-configmap", "/api/v1/namespaces/default/configmaps"][number % 3];
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 6000000\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    loop {
        stream.write_all(b" ").await?;
        stream.flush().await?;
        sleep(Duration::from_secs(1)).await;
    }
}

/// HTTP/2 without requests, which answers pings.
async fn idle_http2(stream: TlsStream<TcpStream>) -> io::Result<()> {
    let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let handshake = builder.handshake::<_, http_body_util::Full<bytes::Bytes>>(TokioIo::new(stream));
    let (sender, connection) = handshake.await.map_err(io::Error::other)?;
    let ended = connection.await.map_err(io::Error::other);
    drop(sender);
    ended
}

/// Requests on one connection, again and again.
async fn repeated(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        stream.write_all(METRICS).await?;
        if stream.read(&mut buffer).await? == 0 {
            return Ok(());
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Sends a request until the server takes no more, and reads nothing.
async fn unread(mut stream: impl AsyncWrite + Unpin, request: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(request).await?;
        stream.flush().await?;
        sleep(Duration::from_millis(20)).await;
    }
}

/// A review with seven megabytes of options.
fn options() -> String {
    static REQUEST: LazyLock<String> = LazyLock::new(|| {
        let options = "{\"\":0},".repeat(900_000);
        let template = json!({
            "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
            "request": {
                "uid": "u", "operation": "CREATE", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
                "object": { "metadata": { "name": "web" } }, "options": "OPTIONS",
            },
        });
        let review = template.to_string().replace("\"OPTIONS\"", &format!("{{\"a\":[{options}0]}}"));
        post("/validate--v1-configmap", &review)
    });
    REQUEST.clone()
}

/// Twenty megabytes that the other version does not have.
fn unknown() -> String {
    static MEMBER: LazyLock<String> = LazyLock::new(|| format!("\"unknown\":[{}0]", "{\"\":0},".repeat(2_800_000)));
    MEMBER.clone()
}

/// A review of conversion of many equal objects.
fn conversion(objects: usize, member: &str) -> String {
    let object = format!(
        "{{\"apiVersion\":\"infra.example.com/v1alpha1\",\"kind\":\"VirtualMachine\",\"metadata\":{{\"name\":\"web\"}},\
         \"spec\":{{\"cpu\":\"2\",\"memory\":\"4Gi\",\"image\":\"debian:13\",\"replicas\":2,\"disks\":[],{member}}}}}"
    );
    let objects = vec![object; objects].join(",");
    let review = format!(
        "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"request\":{{\"uid\":\"u\",\
         \"desiredAPIVersion\":\"infra.example.com/v1\",\"objects\":[{objects}]}}}}"
    );
    post("/convert", &review)
}

fn blocking() -> String {
    let review = json!({
        "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "u", "operation": "CREATE", "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "object": { "metadata": { "name": "block" } },
        },
    });
    post("/mutate--v1-pod?timeout=1s", &review.to_string())
}
