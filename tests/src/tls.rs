//! TLS for servers of tests, with certificates that can be renewed.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::{CryptoProvider, ring},
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::{NoClientAuth, ResolvesServerCert, WebPkiClientVerifier, danger::ClientCertVerifier},
        sign::{CertifiedKey, SingleCertAndKey},
    },
    server::TlsStream,
};

use crate::faults::Stream;

/// The authority that clients trust, in PEM.
pub(crate) const AUTHORITY: &[u8] = include_bytes!("tls/authority.crt");
/// An authority that clients do not trust.
const UNTRUSTED_AUTHORITY: &[u8] = include_bytes!("tls/untrusted-authority.crt");

/// A certificate of a server at `127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The initial certificate.
    First,
    /// Another one of the same authority, with an intermediate certificate.
    Renewed,
    /// One of an authority that clients do not trust.
    Untrusted,
    /// One that the server has signed itself, as an authority.
    SelfSigned,
    /// Such a one of another host.
    OtherName,
    /// Such a one that has expired.
    Expired,
}

impl Certificate {
    /// Returns the certificate, in PEM.
    pub fn pem(self) -> &'static [u8] {
        self.files()[0]
    }

    fn files(self) -> [&'static [u8]; 2] {
        match self {
            Self::First => [include_bytes!("tls/first.crt"), include_bytes!("tls/first.key")],
            Self::Renewed => [include_bytes!("tls/renewed.crt"), include_bytes!("tls/renewed.key")],
            Self::Untrusted => [include_bytes!("tls/untrusted.crt"), include_bytes!("tls/untrusted.key")],
            Self::SelfSigned => [include_bytes!("tls/self-signed.crt"), include_bytes!("tls/self-signed.key")],
            Self::OtherName => [include_bytes!("tls/other-name.crt"), include_bytes!("tls/other-name.key")],
            Self::Expired => [include_bytes!("tls/expired.crt"), include_bytes!("tls/expired.key")],
        }
    }
}

/// Which clients a server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// All clients.
    Any,
    /// Clients with a certificate of the trusted authority.
    Certified,
    /// Clients with a certificate of the untrusted authority.
    Untrusted,
}

impl Clients {
    /// Returns the certificate and the key of such a client, in PEM. [`Self::Any`] has none.
    pub fn files(self) -> [&'static str; 2] {
        match self {
            Self::Any => ["", ""],
            Self::Certified => [include_str!("tls/client.crt"), include_str!("tls/client.key")],
            Self::Untrusted => [include_str!("tls/untrusted-client.crt"), include_str!("tls/untrusted-client.key")],
        }
    }

    fn verifier(self) -> Arc<dyn ClientCertVerifier> {
        let authority = match self {
            Self::Any => return Arc::new(NoClientAuth),
            Self::Certified => AUTHORITY,
            Self::Untrusted => UNTRUSTED_AUTHORITY,
        };
        let authority = CertificateDer::from_pem_slice(authority);
        let mut authorities = RootCertStore::empty();
        authorities.add(authority.expect("the file holds a certificate")).expect("it is that of an authority");
        let verifier = WebPkiClientVerifier::builder_with_provider(authorities.into(), provider());
        verifier.build().expect("there is an authority")
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn acceptor(certificate: Certificate, clients: Clients) -> TlsAcceptor {
    let [chain, key] = certificate.files();
    let chain: Result<_, _> = CertificateDer::pem_slice_iter(chain).collect();
    let key = PrivateKeyDer::from_pem_slice(key).expect("the file holds a key");
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("ring supports all of them")
        .with_client_cert_verifier(clients.verifier())
        .with_single_cert(chain.expect("the file holds certificates"), key)
        .expect("the key is that of the certificate");
    TlsAcceptor::from(Arc::new(config))
}

/// Returns the certificate of a server at `127.0.0.1`, for other servers than those of this crate.
pub fn resolver(certificate: Certificate) -> Arc<dyn ResolvesServerCert> {
    let [chain, key] = certificate.files();
    let chain: Result<_, _> = CertificateDer::pem_slice_iter(chain).collect();
    let key = PrivateKeyDer::from_pem_slice(key).expect("the file holds a key");
    let certified = CertifiedKey::from_der(chain.expect("the file holds certificates"), key, &provider());
    Arc::new(SingleCertAndKey::from(certified.expect("the key is that of the certificate")))
}

/// Returns the authority that clients must trust, in DER, as `Config::root_cert` requires.
pub fn authority() -> Vec<u8> {
    let authority = CertificateDer::from_pem_slice(AUTHORITY);
    authority.expect("the file holds a certificate").to_vec()
}

/// The certificate that a server presents to new connections, and the one that it requires from clients.
pub struct Identity(Mutex<(Certificate, Clients)>);

impl Default for Identity {
    fn default() -> Self {
        Self(Mutex::new((Certificate::First, Clients::Any)))
    }
}

impl Identity {
    /// Sets the certificate for new connections.
    pub fn present(&self, certificate: Certificate) {
        self.0.lock().expect("nothing panics here").0 = certificate;
    }

    /// Sets which clients are accepted on new connections.
    pub fn require(&self, clients: Clients) {
        self.0.lock().expect("nothing panics here").1 = clients;
    }

    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<Tls> {
        let (certificate, clients) = *self.0.lock().expect("nothing panics here");
        let acceptor = acceptor(certificate, clients);
        acceptor.accept(stream).await.map(Tls)
    }
}

/// A connection that ends without a `close_notify` alert, as if the server was killed.
pub(crate) struct Tls(TlsStream<TcpStream>);

impl Stream for Tls {
    fn end_with_reset(&self) {
        self.0.get_ref().0.end_with_reset();
    }
}

impl AsyncRead for Tls {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Tls {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.get_mut().0).poll_shutdown(context)
    }
}
