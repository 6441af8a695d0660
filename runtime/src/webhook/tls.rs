//! TLS for ports.

use std::{io, sync::Arc};

use rustls::{ServerConfig, server::ResolvesServerCert};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::crypto::provider;
use crate::serve::{Transport, WatchedStream};

/// Returns what encrypts connections with the certificate that a resolver has for each, by one of these protocols of ALPN.
pub(crate) fn acceptor(
    certificates: Arc<dyn ResolvesServerCert>,
    protocols: &[&[u8]],
) -> Result<TlsAcceptor, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider()?)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

impl Transport for TlsAcceptor {
    type Stream = TlsStream<WatchedStream>;

    async fn accept(&self, stream: WatchedStream) -> io::Result<Self::Stream> {
        self.accept(stream).await
    }
}
