//! Metrics by HTTPS, for those whom the API server permits to read them.

use std::{fmt, io, sync::Arc};

use futures_util::future::BoxFuture;
use rustls::server::ResolvesServerCert;
use tokio_rustls::TlsAcceptor;

use super::authorization;
use crate::{
    controller::Access,
    webhook::{
        certificates::{CertificateRequest, CertificateSource, Certificates},
        tls,
    },
};

/// The names in a certificate that the program makes for itself; those of controller-runtime.
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
const OWN_NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// How metrics are encrypted, and who may read them, for [`ServeOptions::secure_metrics`](super::ServeOptions::secure_metrics).
///
/// The defaults are those of projects by kubebuilder: a certificate that the program makes at its start, and only clients whom the API
/// server knows and permits to read the path.
///
/// ```
/// use crdkit::{controller::{SecureMetrics, ServeOptions}, webhook::certificates::CertWatcher};
///
/// // `:8443`, with the files that cert-manager writes.
/// let watcher = CertWatcher::new("/tmp/k8s-metrics-server/metrics-certs");
/// let options = ServeOptions::from_env().secure_metrics(SecureMetrics::new().certificates(watcher));
/// ```
///
/// # Who may read
///
/// A client sends a bearer token, such as that of its service account. The API server says in a TokenReview whose it is, and in a
/// SubjectAccessReview whether this user may `get` the path, as a rule of a ClusterRole with `nonResourceURLs: ["/metrics"]` permits.
///
/// | | status |
/// |---|---|
/// | no token, or an invalid one | 401 `Unauthorized` |
/// | a user without the permission | 403 `Authorization denied for user …` |
/// | the API server does not answer within 10 s, or refuses | 500, and an error in the log, at most once a minute for each reason |
/// | more than 32 requests wait for reviews | 429 |
///
/// Whose a token is stays known for a minute, a permission for five minutes, and a refusal for 30 s, as in controller-runtime, for 256
/// tokens. The API server has at most ten reviews a second of tokens that were not good before, whatever clients send.
///
/// The program needs `create` of `tokenreviews` and `subjectaccessreviews`, which the [roles](super::super::Manager::rbac) of its manager
/// include.
///
/// # The clients
///
/// Prometheus has the role and the token of its service account, and verifies the certificate, or not if the program has made it. The
/// operator's manifests by crdkit-tools have a ServiceMonitor and the role `NAME-metrics-reader` for that.
///
/// ```yaml
/// - port: metrics
///   scheme: https
///   bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
///   tlsConfig:
///     insecureSkipVerify: true
/// ```
#[must_use = "pass it to `ServeOptions::secure_metrics`"]
#[doc(alias("FilterProvider", "WithAuthenticationAndAuthorization", "SecureServing", "kube-rbac-proxy"))]
pub struct SecureMetrics {
    certificates: Option<Source>,
    authorizes: bool,
}

/// Certificates, with what keeps them up to date.
struct Source {
    certificates: Certificates,
    run: BoxFuture<'static, ()>,
    requests: Vec<CertificateRequest>,
}

impl SecureMetrics {
    /// Creates the defaults.
    pub fn new() -> Self {
        Self { certificates: None, authorizes: true }
    }

    /// Uses the certificates of files or of a Secret, which the manager keeps up to date, instead of one that the program makes at its
    /// start, which is valid for a year and which no client can verify.
    ///
    /// Connections are refused until there is a certificate.
    pub fn certificates(self, source: impl CertificateSource) -> Self {
        let (certificates, requests) = (source.certificates(), source.requests());
        Self { certificates: Some(Source { certificates, run: source.run(), requests }), ..self }
    }

    /// Lets each client read the metrics, without a token. They are still encrypted.
    pub fn without_authorization(self) -> Self {
        Self { authorizes: false, ..self }
    }

    /// Returns the requests that it sends.
    pub(super) fn accesses(&self) -> Vec<Access> {
        let sources = self.certificates.iter().flat_map(|source| &source.requests);
        let mut accesses: Vec<_> = sources.map(access).collect();
        if self.authorizes {
            accesses.extend(authorization::accesses());
        }
        accesses
    }

    pub(super) fn authorizes(&self) -> bool {
        self.authorizes
    }

    /// Returns what encrypts connections, and what keeps the certificates up to date.
    pub(super) fn into_parts(self) -> io::Result<(TlsAcceptor, Option<BoxFuture<'static, ()>>)> {
        let (certificates, run) = match self.certificates {
            Some(source) => (source.certificates, Some(source.run)),
            None => (own_certificate()?, None),
        };
        let certificates: Arc<dyn ResolvesServerCert> = Arc::new(certificates);
        // No HTTP/2, as in projects by kubebuilder: a scrape is one request.
        let acceptor = tls::acceptor(certificates, &[b"http/1.1"]).map_err(io::Error::other)?;
        Ok((acceptor, run))
    }
}

impl Default for SecureMetrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SecureMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let certificates = self.certificates.as_ref().map(|source| &source.certificates);
        let mut debug = f.debug_struct("SecureMetrics");
        debug.field("certificates", &certificates).field("authorizes", &self.authorizes).finish_non_exhaustive()
    }
}

fn access(request: &CertificateRequest) -> Access {
    let mut access = Access::to_resource(request.group, request.resource, request.verbs.iter().copied());
    if let Some(namespace) = &request.namespace {
        access = access.in_namespace(namespace);
    }
    match &request.name {
        Some(name) => access.named(name),
        None => access,
    }
}

#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
fn own_certificate() -> io::Result<Certificates> {
    Certificates::generate(OWN_NAMES).map_err(io::Error::other)
}

#[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
fn own_certificate() -> io::Result<Certificates> {
    Err(io::Error::other("no certificate can be made: enable the feature `ring` or `aws-lc-rs`, or use files"))
}
