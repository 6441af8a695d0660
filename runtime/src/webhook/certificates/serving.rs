//! What a server presents.

use std::{sync::Arc, time::SystemTime};

use rustls::{
    RootCertStore,
    client::{verify_server_cert_signed_by_trust_anchor, verify_server_name},
    crypto::CryptoProvider,
    pki_types::{PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
    sign::CertifiedKey,
};

use super::{error::CertificateError, x509::Certificate};

/// A chain of certificates, and the private key of the first one.
#[derive(Clone)]
pub(super) struct ServingCertificate {
    pub(super) key: Arc<CertifiedKey>,
    pub(super) not_before: SystemTime,
    pub(super) not_after: SystemTime,
}

impl ServingCertificate {
    pub(super) fn from_pem(chain: &[u8], key: &[u8], provider: &CryptoProvider) -> Result<Self, CertificateError> {
        let chain = Certificate::all_from_pem(chain).ok_or(CertificateError::InvalidCertificate)?;
        let Some(first) = chain.first() else { return Err(CertificateError::InvalidCertificate) };
        let (not_before, not_after) = (first.not_before, first.not_after);
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| CertificateError::InvalidKey)?;
        let chain = chain.into_iter().map(|certificate| certificate.der).collect();
        let key = CertifiedKey::from_der(chain, key, provider)?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }

    /// Whether a client that trusts these authorities accepts the certificate now, for all of these names.
    pub(super) fn is_accepted(
        &self,
        authorities: &[Certificate],
        names: &[String],
        now: SystemTime,
        provider: &CryptoProvider,
    ) -> bool {
        // rustls accepts it at its last second too.
        if now >= self.not_after {
            return false;
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(authorities.iter().map(|authority| authority.der.clone()));
        let Some((first, intermediates)) = self.key.cert.split_first() else { return false };
        let Ok(certificate) = ParsedCertificate::try_from(first) else { return false };
        let Ok(since_epoch) = now.duration_since(SystemTime::UNIX_EPOCH) else { return false };
        let algorithms = provider.signature_verification_algorithms.all;
        let now = UnixTime::since_unix_epoch(since_epoch);
        let is_signed =
            verify_server_cert_signed_by_trust_anchor(&certificate, &roots, intermediates, now, algorithms).is_ok();
        is_signed && names.iter().all(|name| self.is_for(name))
    }

    /// Whether it is the certificate of a host: of a DNS name or an IP address.
    pub(super) fn is_for(&self, host: &str) -> bool {
        let certificate = self.key.cert.first().and_then(|first| ParsedCertificate::try_from(first).ok());
        let (Some(certificate), Ok(host)) = (certificate, ServerName::try_from(host)) else { return false };
        verify_server_name(&certificate, &host).is_ok()
    }
}
