//! A certificate that all contestants serve with.

use std::{fs, sync::Arc};

use anyhow::Result;
use tempfile::TempDir;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer};

/// Files under the names of a Secret of the type `kubernetes.io/tls`, and the trust in them.
pub(crate) struct Certificate {
    pub(crate) folder: TempDir,
    certificate: CertificateDer<'static>,
}

impl Certificate {
    pub(crate) fn create() -> Result<Self> {
        let rcgen::CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("tls.crt"), cert.pem())?;
        fs::write(folder.path().join("tls.key"), signing_key.serialize_pem())?;
        Ok(Self { folder, certificate: cert.der().clone() })
    }

    /// The configuration of a client over HTTP/1.1.
    pub(crate) fn client_config(&self) -> Result<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone())?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}
