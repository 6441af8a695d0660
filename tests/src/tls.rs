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
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
    server::TlsStream,
};

use crate::faults::Stream;

/// The authority that clients trust, in PEM.
const AUTHORITY: &[u8] = include_bytes!("tls/authority.crt");

/// A certificate of a server at `127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The one that servers have at first.
    First,
    /// Another one of the same authority.
    Renewed,
    /// One of an authority that clients do not trust.
    Strange,
}

impl Certificate {
    fn files(self) -> [&'static [u8]; 2] {
        match self {
            Self::First => [
                include_bytes!("tls/first.crt"),
                include_bytes!("tls/first.key"),
            ],
            Self::Renewed => [
                include_bytes!("tls/renewed.crt"),
                include_bytes!("tls/renewed.key"),
            ],
            Self::Strange => [
                include_bytes!("tls/strange.crt"),
                include_bytes!("tls/strange.key"),
            ],
        }
    }

    fn acceptor(self) -> TlsAcceptor {
        let [certificate, key] = self.files();
        let certificate =
            CertificateDer::from_pem_slice(certificate).expect("the file holds a certificate");
        let key = PrivateKeyDer::from_pem_slice(key).expect("the file holds a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring knows all of them")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("the key is that of the certificate");
        TlsAcceptor::from(Arc::new(config))
    }
}

/// The authority that a client has to trust, in DER, as `Config::root_cert` wants it.
pub fn authority() -> Vec<u8> {
    let authority = CertificateDer::from_pem_slice(AUTHORITY);
    authority.expect("the file holds a certificate").to_vec()
}

/// What a server presents to new connections.
pub struct Identity(Mutex<TlsAcceptor>);

impl Default for Identity {
    fn default() -> Self {
        Self(Mutex::new(Certificate::First.acceptor()))
    }
}

impl Identity {
    /// Presents another certificate from now on.
    pub fn present(&self, certificate: Certificate) {
        *self.0.lock().expect("nothing panics here") = certificate.acceptor();
    }

    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<Tls> {
        let acceptor = self.0.lock().expect("nothing panics here").clone();
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
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.get_mut().0).poll_shutdown(context)
    }
}
