//! A certificate authority.

use std::time::{Duration, SystemTime};

use k8s_openapi::jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, DnValue, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData, date_time_ymd,
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject};

use super::{error::CertificateError, x509::Certificate};

/// The clocks of API servers may be slow: how long before it is issued a certificate is valid.
const BACKDATED: Duration = Duration::from_secs(60 * 60);
/// The maximum length of a common name.
const MAX_COMMON_NAME: usize = 64;

/// An authority with its private key.
pub(super) struct Authority {
    pub(super) certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its private key, in PEM.
pub(super) struct Issued {
    pub(super) chain: String,
    pub(super) key: String,
}

impl Authority {
    /// Creates an authority that signs its own certificate.
    pub(super) fn create(now: SystemTime, validity: Duration) -> Result<Self, CertificateError> {
        let created = Timestamp::try_from(now).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ");
        let params = authority_params(&format!("webhook authority of {created}"), now, validity);
        let key = KeyPair::generate().map_err(issue_error)?;
        let certificate = params.self_signed(&key).map_err(issue_error)?;
        let certificate = Certificate::parse(certificate.into()).ok_or(CertificateError::InvalidCertificate)?;
        Ok(Self { certificate, issuer: Issuer::new(params, key) })
    }

    /// Returns the authority of a certificate and its key, unless they do not belong together.
    pub(super) fn load(certificate: &Certificate, key: &[u8]) -> Option<Self> {
        let key = PrivateKeyDer::from_pem_slice(key).ok()?;
        let key = KeyPair::try_from(&key).ok()?;
        let common_name = certificate.common_name.as_deref()?;
        if key.subject_public_key_info() != certificate.public_key {
            return None;
        }
        let params = authority_params(common_name, certificate.not_before, Duration::ZERO);
        Some(Self { certificate: certificate.clone(), issuer: Issuer::new(params, key) })
    }

    pub(super) fn key_pem(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    /// Issues a certificate of a server. It does not outlive the authority.
    pub(super) fn issue(
        &self,
        names: &[String],
        now: SystemTime,
        validity: Duration,
    ) -> Result<Issued, CertificateError> {
        let mut params = CertificateParams::new(names).map_err(issue_error)?;
        let common_name = names.first().filter(|name| name.len() <= MAX_COMMON_NAME);
        params.distinguished_name = distinguished_name(common_name.map_or("webhook", |name| name));
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let not_after = (now + validity).min(self.certificate.not_after);
        set_validity(&mut params, (now - BACKDATED).max(self.certificate.not_before), not_after);
        let key = KeyPair::generate().map_err(issue_error)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(issue_error)?;
        Ok(Issued { chain: certificate.pem(), key: key.serialize_pem() })
    }
}

/// Returns when two thirds of the validity of an issued certificate are over.
pub(super) fn renewal_time(not_before: SystemTime, not_after: SystemTime) -> SystemTime {
    let issued = not_before + BACKDATED;
    issued + not_after.duration_since(issued).unwrap_or_default() * 2 / 3
}

fn authority_params(common_name: &str, now: SystemTime, validity: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = distinguished_name(common_name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    set_validity(&mut params, now - BACKDATED, now + validity);
    params
}

fn distinguished_name(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, DnValue::Utf8String(common_name.to_owned()));
    name
}

fn set_validity(params: &mut CertificateParams, not_before: SystemTime, not_after: SystemTime) {
    let since_epoch = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let epoch = date_time_ymd(1970, 1, 1);
    // Certificates have no fractions of seconds.
    let whole = |time| epoch + Duration::from_secs(since_epoch(time).as_secs());
    params.not_before = whole(not_before);
    params.not_after = whole(not_after);
}

fn issue_error(error: rcgen::Error) -> CertificateError {
    CertificateError::Issue(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::{certificates::serving::ServingCertificate, crypto::provider};

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + 20_000 * DAY
    }

    fn names() -> Vec<String> {
        ["machines.operators.svc", "127.0.0.1", "::1"].map(str::to_owned).to_vec()
    }

    fn serving(issued: &Issued) -> ServingCertificate {
        ServingCertificate::from_pem(issued.chain.as_bytes(), issued.key.as_bytes(), &provider().unwrap()).unwrap()
    }

    #[test]
    fn certificates_are_accepted_for_their_names_and_times() {
        let provider = provider().unwrap();
        let authority = Authority::create(now(), 30 * DAY).unwrap();
        let issued = authority.issue(&names(), now(), DAY).unwrap();
        let serving = serving(&issued);
        let bundle = [authority.certificate.clone()];
        assert!(serving.is_accepted(&bundle, &names(), now(), &provider));
        assert!(serving.is_accepted(&bundle, &names(), now() - BACKDATED, &provider));
        assert!(!serving.is_accepted(&bundle, &names(), now() + 2 * DAY, &provider));
        assert!(!serving.is_accepted(&bundle, &["other.operators.svc".into()], now(), &provider));
        assert!(!serving.is_accepted(&[], &names(), now(), &provider));
        let other = Authority::create(now(), 30 * DAY).unwrap();
        assert!(!serving.is_accepted(&[other.certificate], &names(), now(), &provider));
    }

    #[test]
    fn an_authority_that_was_stored_issues_certificates() {
        let provider = provider().unwrap();
        let created = Authority::create(now(), 30 * DAY).unwrap();
        let pem = created.certificate.to_pem();
        let certificate = Certificate::all_from_pem(pem.as_bytes()).unwrap().remove(0);
        assert_eq!(certificate, created.certificate);
        let loaded = Authority::load(&certificate, created.key_pem().as_bytes()).unwrap();
        let issued = loaded.issue(&names(), now() + DAY, 90 * DAY).unwrap();
        let serving = serving(&issued);
        assert!(serving.is_accepted(&[created.certificate], &names(), now() + 2 * DAY, &provider));
        // It does not outlive the authority.
        assert_eq!(serving.not_after, now() + 30 * DAY);

        let other = Authority::create(now(), 30 * DAY).unwrap();
        assert!(Authority::load(&certificate, other.key_pem().as_bytes()).is_none());
        assert!(Authority::load(&certificate, b"").is_none());
    }

    #[test]
    fn a_key_of_another_certificate_is_an_error() {
        let authority = Authority::create(now(), 30 * DAY).unwrap();
        let [one, other] = [(), ()].map(|()| authority.issue(&names(), now(), DAY).unwrap());
        let load = |chain: &str, key: &str| {
            let loaded = ServingCertificate::from_pem(chain.as_bytes(), key.as_bytes(), &provider().unwrap());
            loaded.map(drop).unwrap_err().to_string()
        };
        let error = load(&one.chain, &other.key);
        assert!(error.starts_with("the private key and the certificate cannot be used together"), "{error}");
        assert_eq!(load("", &one.key), "there is no valid certificate in PEM");
        assert_eq!(load(&one.chain, &one.chain), "there is no valid private key in PEM");
    }
}
