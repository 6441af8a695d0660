//! The way to a server in memory over TLS, with certificates that can be renewed.

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
/// The one that they do not trust.
const STRANGER: &[u8] = include_bytes!("tls/stranger.crt");

/// A certificate of a server at `127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The one that servers have at first.
    First,
    /// Another one of the same authority, by an intermediate one.
    Renewed,
    /// One of an authority that clients do not trust.
    Strange,
}

impl Certificate {
    fn files(self) -> [&'static [u8]; 2] {
        match self {
            Self::First => [include_bytes!("tls/first.crt"), include_bytes!("tls/first.key")],
            Self::Renewed => [include_bytes!("tls/renewed.crt"), include_bytes!("tls/renewed.key")],
            Self::Strange => [include_bytes!("tls/strange.crt"), include_bytes!("tls/strange.key")],
        }
    }
}

/// Whom a server serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// Everyone.
    Any,
    /// Who has a certificate of the authority that clients trust.
    Certified,
    /// Who has a certificate of the other authority.
    Strange,
}

impl Clients {
    /// The certificate, and then the key, that such a client has, in PEM. [`Self::Any`] has none.
    pub fn files(self) -> [&'static str; 2] {
        match self {
            Self::Any => ["", ""],
            Self::Certified => [include_str!("tls/client.crt"), include_str!("tls/client.key")],
            Self::Strange => [include_str!("tls/strange-client.crt"), include_str!("tls/strange-client.key")],
        }
    }

    fn verifier(self) -> Arc<dyn ClientCertVerifier> {
        let authority = match self {
            Self::Any => return Arc::new(NoClientAuth),
            Self::Certified => AUTHORITY,
            Self::Strange => STRANGER,
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
        .expect("ring knows all of them")
        .with_client_cert_verifier(clients.verifier())
        .with_single_cert(chain.expect("the file holds certificates"), key)
        .expect("the key is that of the certificate");
    TlsAcceptor::from(Arc::new(config))
}

/// The certificate of a server at `127.0.0.1`, for servers that are not of these tests.
pub fn resolver(certificate: Certificate) -> Arc<dyn ResolvesServerCert> {
    let [chain, key] = certificate.files();
    let chain: Result<_, _> = CertificateDer::pem_slice_iter(chain).collect();
    let key = PrivateKeyDer::from_pem_slice(key).expect("the file holds a key");
    let certified = CertifiedKey::from_der(chain.expect("the file holds certificates"), key, &provider());
    Arc::new(SingleCertAndKey::from(certified.expect("the key is that of the certificate")))
}

/// The authority that a client has to trust, in DER, as `Config::root_cert` wants it.
pub fn authority() -> Vec<u8> {
    let authority = CertificateDer::from_pem_slice(AUTHORITY);
    authority.expect("the file holds a certificate").to_vec()
}

/// What a server presents to new connections, and what it demands from them.
pub struct Identity(Mutex<(Certificate, Clients)>);

impl Default for Identity {
    fn default() -> Self {
        Self(Mutex::new((Certificate::First, Clients::Any)))
    }
}

impl Identity {
    /// Presents another certificate from now on.
    pub fn present(&self, certificate: Certificate) {
        self.0.lock().expect("nothing panics here").0 = certificate;
    }

    /// Serves others from now on.
    pub fn demand(&self, clients: Clients) {
        self.0.lock().expect("nothing panics here").1 = clients;
    }

    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<Tls> {
        let (certificate, clients) = *self.0.lock().expect("nothing panics here");
        let acceptor = acceptor(certificate, clients);
        acceptor.accept(stream).await.map(Tls)
    }
}

/// A connection that ends as one does whose server dies: without the notice that nothing was cut off.
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
