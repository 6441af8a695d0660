//! Connections to webhooks, with the certificates that Go's `crypto/x509` accepts.

use std::{error::Error, io, sync::Arc};

use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use k8s_openapi::jiff::Timestamp;
use kube::{
    Client, Config,
    client::{Body, ConfigExt},
};
use rustls::{
    CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};
use tower::{BoxError, ServiceBuilder, ServiceExt as _};

/// Returns a client of a webhook.
pub(super) fn client(config: Config) -> Result<Client, BoxError> {
    let mut tls = config.rustls_client_config()?;
    if let Some(bundle) = &config.root_cert {
        tls.dangerous().set_certificate_verifier(Arc::new(BundleVerifier::new(bundle)?));
    }
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(ServerName::try_from(name.clone())?));
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    let http: Http<_, Body> = Http::builder(TokioExecutor::new()).build(builder.enable_http1().wrap_connector(tcp));
    let service = ServiceBuilder::new().layer(config.base_uri_layer()).service(http.map_err(BoxError::from));
    Ok(Client::new(service, "default"))
}

/// Accepts a certificate that is in the bundle itself, as Go does: then no authority has to have signed it, and it may be that of
/// an authority.
#[derive(Debug)]
struct BundleVerifier {
    bundle: Vec<CertificateDer<'static>>,
    authorities: Arc<WebPkiServerVerifier>,
}

impl BundleVerifier {
    fn new(bundle: &[Vec<u8>]) -> Result<Self, BoxError> {
        let bundle: Vec<_> = bundle.iter().map(|der| CertificateDer::from(der.clone())).collect();
        let mut roots = RootCertStore::empty();
        for certificate in &bundle {
            roots.add(certificate.clone())?;
        }
        Ok(Self { authorities: WebPkiServerVerifier::builder(roots.into()).build()?, bundle })
    }
}

impl ServerCertVerifier for BundleVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // Both are found after the certificate is known to be valid at this time.
            Err(rustls::Error::InvalidCertificate(error))
                if (error == CertificateError::UnknownIssuer || is_of_authority(&error))
                    && self.bundle.iter().any(|trusted| trusted == end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

/// Whether a certificate is refused because it is that of an authority. rustls has no name for this error of webpki.
fn is_of_authority(error: &CertificateError) -> bool {
    matches!(error, CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity"))
}

/// Returns why a certificate is not accepted, in Go's words.
pub(super) fn refusal(error: &(dyn Error + 'static)) -> Option<String> {
    let rustls::Error::InvalidCertificate(error) = of_tls(error)? else { return None };
    let time = |time: &UnixTime| {
        let second = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Timestamp::from_second(second).unwrap_or(Timestamp::MAX).to_string()
    };
    let invalid = |now: &UnixTime, relation: &str, limit: &UnixTime| {
        format!("certificate has expired or is not yet valid: current time {} is {relation} {}", time(now), time(limit))
    };
    Some(match error {
        CertificateError::ExpiredContext { time, not_after } => invalid(time, "after", not_after),
        CertificateError::NotValidYetContext { time, not_before } => invalid(time, "before", not_before),
        CertificateError::NotValidForNameContext { expected, presented } => wrong_name(expected, presented),
        CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
        error if is_of_authority(error) => "certificate signed by unknown authority".to_owned(),
        _ => return None,
    })
}

/// Returns the error of rustls in an error of a connection, in which it is not a source.
fn of_tls<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let mut error = error;
    loop {
        match error.downcast_ref() {
            Some(found) => return Some(found),
            None => error = error.downcast_ref::<io::Error>()?.get_ref()?,
        }
    }
}

fn wrong_name(expected: &ServerName<'_>, presented: &[String]) -> String {
    // webpki shows a name with its kind, as `DnsName("a.example.com")`.
    let of_kind = |kind: &str| {
        let names = presented.iter().filter_map(|name| name.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')'));
        names.map(|name| name.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    let expected = expected.to_str();
    let (kind, none) = match &*expected {
        ip if ip.parse::<std::net::IpAddr>().is_ok() => ("IpAddress", "doesn't contain any IP SANs"),
        _ => ("DnsName", "is not valid for any names"),
    };
    let names = of_kind(kind);
    match (names.is_empty(), kind) {
        (false, _) => format!("certificate is valid for {}, not {expected}", names.join(", ")),
        (true, "IpAddress") => format!("cannot validate certificate for {expected} because it {none}"),
        (true, _) => format!("certificate {none}, but wanted to match {expected}"),
    }
}
