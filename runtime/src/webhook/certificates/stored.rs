//! The Secret that all replicas share.

use std::collections::BTreeMap;

use k8s_openapi::{ByteString, api::core::v1::Secret};

use super::{authority::Issued, error::CertificateError, x509::Certificate};

pub(super) const TLS_SECRET: &str = "kubernetes.io/tls";
const CHAIN: &str = "tls.crt";
const KEY: &str = "tls.key";
const AUTHORITIES: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
/// The names of the certificate, separated by commas. During an update of the program, old and new replicas may have other names.
const NAMES_ANNOTATION: &str = "webhook.crdkit.dev/names";

/// What the Secret contains. Parts may be damaged.
#[derive(Clone)]
pub(super) struct Stored {
    /// The authorities that clients trust, the newest first.
    pub(super) authorities: Vec<Certificate>,
    /// The private key of the newest authority, in PEM.
    pub(super) authority_key: Vec<u8>,
    /// The certificate of the servers, in PEM.
    pub(super) chain: Vec<u8>,
    /// Its private key, in PEM.
    pub(super) key: Vec<u8>,
    /// The names that replicas requested.
    pub(super) names: Vec<String>,
}

impl Stored {
    /// Reads a Secret; `None` if it is empty.
    pub(super) fn read(secret: &Secret) -> Result<Option<Self>, CertificateError> {
        let value = |key| {
            let value = secret.data.as_ref().and_then(|data: &BTreeMap<_, ByteString>| data.get(key));
            value.map(|value| value.0.clone()).unwrap_or_default()
        };
        let [chain, key, authorities, authority_key] = [CHAIN, KEY, AUTHORITIES, AUTHORITY_KEY].map(value);
        match (chain.is_empty() && key.is_empty(), authority_key.is_empty()) {
            (true, true) => Ok(None),
            (false, true) => Err(CertificateError::OtherOwner(secret.metadata.name.clone().unwrap_or_default())),
            (_, false) => {
                let authorities = Certificate::all_from_pem(&authorities).unwrap_or_default();
                let annotations = secret.metadata.annotations.as_ref();
                let names = annotations
                    .and_then(|all| all.get(NAMES_ANNOTATION))
                    .map_or("", |names| names)
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect();
                Ok(Some(Self { authorities, authority_key, chain, key, names }))
            }
        }
    }

    pub(super) fn write(&self, secret: &mut Secret) {
        let data = secret.data.get_or_insert_default();
        let values = [
            (CHAIN, self.chain.clone()),
            (KEY, self.key.clone()),
            (AUTHORITIES, self.ca_bundle()),
            (AUTHORITY_KEY, self.authority_key.clone()),
        ];
        data.extend(values.map(|(key, value)| (key.to_owned(), ByteString(value))));
        let annotations = secret.metadata.annotations.get_or_insert_default();
        annotations.insert(NAMES_ANNOTATION.to_owned(), self.names.join(","));
    }

    /// The authorities in PEM.
    pub(super) fn ca_bundle(&self) -> Vec<u8> {
        self.authorities.iter().map(Certificate::to_pem).collect::<String>().into()
    }

    pub(super) fn with_issued(self, issued: Issued, names: Vec<String>) -> Self {
        Self { chain: issued.chain.into(), key: issued.key.into(), names, ..self }
    }
}
