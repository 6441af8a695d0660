//! Readiness is that of the port, as clients reach it: by TCP, TLS and HTTP, and with the threads of the functions.
//!
//! controller-runtime's check dials its port, too.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use rustls::{
    ClientConfig, DigitallySignedStruct, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;

use crate::webhook::{WebhookService, service::READY_PATH};

/// Kubernetes' default period of readiness probes is 10 s, so that each has a new result.
const INTERVAL: Duration = Duration::from_secs(4);
/// More than the service waits for the threads of functions.
const LIMIT: Duration = Duration::from_secs(3);
/// How often a request is repeated: a single one may lose its connection to others.
const ATTEMPTS: usize = 2;
const OK: &[u8] = b"HTTP/1.1 200 ";

/// Sends requests to a server as long as it runs, and lets the service know how they end.
pub(super) async fn repeat(address: SocketAddr, provider: Arc<CryptoProvider>, service: WebhookService) {
    let Ok(connector) = connector(provider) else {
        return;
    };
    loop {
        let mut failure = None;
        for _ in 0..ATTEMPTS {
            failure = attempt(dialed(address), &connector).await.err();
            if failure.is_none() {
                break;
            }
        }
        service.set_unanswered(failure);
        sleep(INTERVAL).await;
    }
}

async fn attempt(address: SocketAddr, connector: &TlsConnector) -> Result<(), String> {
    match timeout(LIMIT, request(address, connector)).await {
        Ok(Ok(response)) if response.starts_with(OK) => Ok(()),
        Ok(Ok(response)) => {
            let response = String::from_utf8_lossy(&response).into_owned();
            Err(format!("their server responds `{}`", response.lines().last().unwrap_or_default()))
        }
        Ok(Err(error)) => Err(format!("their server does not respond: {error}")),
        Err(_) => Err(format!("their server does not respond within {LIMIT:?}")),
    }
}

async fn request(address: SocketAddr, connector: &TlsConnector) -> io::Result<Vec<u8>> {
    let name = ServerName::from(address.ip());
    let mut stream = connector.connect(name, TcpStream::connect(address).await?).await?;
    let request = format!("GET {READY_PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    Ok(response)
}

/// Returns where a server listens that listens at an address.
fn dialed(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn connector(provider: Arc<CryptoProvider>) -> Result<TlsConnector, rustls::Error> {
    let verifier = Arc::new(AnyCertificate(provider.clone()));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Trusts any certificate: the server is this process, and it receives nothing that is secret.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
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
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
