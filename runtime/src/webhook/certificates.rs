//! Certificates of webhook servers, which change without a failed request.
//!
//! | | |
//! |---|---|
//! | [`CertRotator`] | certificates by an authority of the program's own, in a Secret that all replicas share |
//! | [`CertWatcher`] | certificates in files, such as those of cert-manager |
//! | [`Certificates`] | what a server uses: the current certificate of either of them |
//! | [`CaTarget`] | an object whose `caBundle` is kept up to date: a definition, or a configuration of webhooks |
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use crdkit::webhook::{WebhookServer, certificates::CertRotator};
//!
//! # async fn example(client: crdkit::Client, webhooks: crdkit::webhook::Webhooks) -> Result<(), crdkit::webhook::WebhookServerError> {
//! let rotator = CertRotator::for_service(&client, "operators", "machines").inject_webhooks(&webhooks);
//! let certificates = Arc::new(rotator.certificates());
//! tokio::spawn(rotator.run());
//! let server = WebhookServer::new(&webhooks, certificates).start()?;
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `controller`, a manager runs both: `Manager::certificates(rotator)` and `Manager::webhooks(server)`. It is ready
//! when there is a certificate.
//!
//! # Rotation
//!
//! A [`CertRotator`] renews its certificates after two thirds of their validity. A new authority is first added to `caBundle`
//! everywhere, and only then issues a certificate. An old authority remains in the bundle until it expires, which is after all
//! certificates that it issued. At each time, every certificate that a replica may present is thus trusted by every API server.
//!
//! To stop trusting an authority at once, stop all replicas, delete the Secret, and start them again. If the Secret is deleted
//! while a replica runs, it creates a new authority, and continues to use its certificate until the new one is trusted.
//!
//! # Metrics
//!
//! | name | |
//! |---|---|
//! | `crdkit_webhook_certificate_expiration_timestamp_seconds` | when the certificate in use expires |
//! | `certwatcher_read_certificate_total` | certificates that came into use; the name is that of controller-runtime |
//! | `certwatcher_read_certificate_errors_total` | failed attempts to load, renew or distribute certificates |
//!
//! # Permissions
//!
//! - `get`, `watch`, `create` and `update` of the Secret, in the namespace of the program
//! - `get`, `watch` and `patch` of the objects whose `caBundle` is kept up to date
//!
//! The roles of a manager that runs a source of certificates include them.

#![cfg_attr(
    not(any(feature = "ring", feature = "aws-lc-rs")),
    allow(dead_code, reason = "without cryptography, no certificates are issued")
)]

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use futures_util::future::{BoxFuture, FutureExt};
use rustls::{
    pki_types::CertificateDer,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio::sync::watch;

#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod authority;
mod ca_bundle_fields;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod clock;
mod error;
mod injector;
mod object_watch;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod renewal_plan;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod rotator;
mod serving;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod stored;
mod watcher;
mod x509;

pub use error::CertificateError;
pub use injector::CaTarget;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub use rotator::CertRotator;
pub use watcher::CertWatcher;

use crate::{
    client::{Verb, sealed::Sealed},
    metrics::exposition::{Family, encode},
};
use serving::ServingCertificate;

/// The certificate of a webhook server, which changes while it is used.
///
/// Clones share it. It implements [`ResolvesServerCert`]: new connections get the current certificate, and open ones remain.
#[derive(Clone)]
pub struct Certificates {
    shared: Arc<Shared>,
}

struct Shared {
    current: watch::Sender<Option<Arc<Current>>>,
    loads: AtomicU64,
    failures: AtomicU64,
}

struct Current {
    serving: ServingCertificate,
    ca_bundle: Option<Vec<u8>>,
}

/// What keeps certificates up to date: a [`CertRotator`] or a [`CertWatcher`].
pub trait CertificateSource: Sealed + Send + 'static {
    /// Returns the certificates, for a server.
    fn certificates(&self) -> Certificates;

    /// Keeps the certificates up to date, until the future is dropped.
    fn run(self) -> BoxFuture<'static, ()>;

    /// Returns the requests that it sends.
    #[doc(hidden)]
    fn requests(&self) -> Vec<CertificateRequest>;
}

/// Requests for objects of a resource.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRequest {
    /// `None` for a cluster-scoped resource.
    pub namespace: Option<String>,
    /// The API group.
    pub group: &'static str,
    /// The plural name.
    pub resource: &'static str,
    /// The only object, if it is known.
    pub name: Option<String>,
    /// What is done with it.
    pub verbs: &'static [Verb],
}

macro_rules! source {
    ($type:ty) => {
        impl Sealed for $type {}

        impl CertificateSource for $type {
            fn certificates(&self) -> Certificates {
                self.certificates()
            }

            fn run(self) -> BoxFuture<'static, ()> {
                self.run().boxed()
            }

            fn requests(&self) -> Vec<CertificateRequest> {
                self.requests()
            }
        }
    };
}

#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
source!(CertRotator);
source!(CertWatcher);

/// Counters of a server's certificates, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CertificateMetrics {
    /// When the current certificate expires.
    pub not_after: Option<SystemTime>,
    /// The number of certificates that came into use.
    pub loads: u64,
    /// Failed attempts to load, renew or distribute certificates. The last good certificate stays in use.
    pub failures: u64,
}

impl Certificates {
    pub(crate) fn new() -> Self {
        let shared =
            Shared { current: watch::Sender::new(None), loads: AtomicU64::default(), failures: AtomicU64::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Creates a certificate for DNS names and IP addresses, by a new authority, in memory: for tests and for
    /// [development](super::dev()). It is valid for a year, and not renewed.
    ///
    /// # Errors
    ///
    /// If a name is invalid.
    #[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
    pub fn generate<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, CertificateError> {
        const YEAR: std::time::Duration = std::time::Duration::from_secs(365 * 24 * 60 * 60);
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let now = SystemTime::now();
        let authority = authority::Authority::create(now, YEAR)?;
        let issued = authority.issue(&names, now, YEAR)?;
        let serving =
            ServingCertificate::from_pem(issued.chain.as_bytes(), issued.key.as_bytes(), &*super::crypto::provider()?)?;
        let certificates = Self::new();
        certificates.publish(serving, Some(authority.certificate.to_pem().into_bytes()));
        Ok(certificates)
    }

    /// Waits for the first certificate. Before, connections are refused.
    pub async fn ready(&self) {
        // The sender is in this.
        let _ = self.shared.current.subscribe().wait_for(Option::is_some).await;
    }

    /// Whether there is a certificate.
    pub fn is_ready(&self) -> bool {
        self.shared.current.borrow().is_some()
    }

    /// Returns when the current certificate expires.
    pub fn not_after(&self) -> Option<SystemTime> {
        self.shared.current.borrow().as_ref().map(|current| current.serving.not_after)
    }

    /// Returns the authorities that clients must trust, in PEM: the `caBundle` of webhooks. `None` before the first certificate, and
    /// for files without `ca.crt`.
    pub fn ca_bundle(&self) -> Option<Vec<u8>> {
        self.shared.current.borrow().as_ref().and_then(|current| current.ca_bundle.clone())
    }

    /// Returns the current certificate and those of its issuers, in DER.
    #[doc(hidden)]
    pub fn chain(&self) -> Option<Vec<CertificateDer<'static>>> {
        self.shared.current.borrow().as_ref().map(|current| current.serving.key.cert.clone())
    }

    /// Returns the counters.
    pub fn metrics(&self) -> CertificateMetrics {
        CertificateMetrics {
            not_after: self.not_after(),
            loads: self.shared.loads.load(Ordering::Relaxed),
            failures: self.shared.failures.load(Ordering::Relaxed),
        }
    }

    /// Returns the counters in OpenMetrics, without the end marker. A manager serves them with its own.
    pub fn openmetrics(&self) -> String {
        // Strings are written without errors.
        encode(self.families()).unwrap_or_default()
    }

    pub(crate) fn families(&self) -> Vec<Family> {
        let metrics = self.metrics();
        let seconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        vec![
            Family::gauge(
                "crdkit_webhook_certificate_expiration_timestamp_seconds",
                "When the certificate of the webhooks expires",
                metrics.not_after.map(|time| (Vec::new(), seconds(time))),
            ),
            Family::counter(
                "certwatcher_read_certificate_total",
                "Total number of certificate reads",
                [(Vec::new(), metrics.loads)],
            ),
            Family::counter(
                "certwatcher_read_certificate_errors_total",
                "Total number of certificate read errors",
                [(Vec::new(), metrics.failures)],
            ),
        ]
    }

    /// Replaces the certificate, and returns whether it is another one.
    fn publish(&self, serving: ServingCertificate, ca_bundle: Option<Vec<u8>>) -> bool {
        let mut is_new = false;
        self.shared.current.send_if_modified(|current| {
            is_new = current.as_ref().is_none_or(|current| current.serving.key.cert != serving.key.cert);
            let is_changed = is_new || current.as_ref().is_some_and(|current| current.ca_bundle != ca_bundle);
            if is_changed {
                *current = Some(Arc::new(Current { serving, ca_bundle }));
            }
            is_changed
        });
        if is_new {
            self.shared.loads.fetch_add(1, Ordering::Relaxed);
        }
        is_new
    }

    fn count_failure(&self) {
        self.shared.failures.fetch_add(1, Ordering::Relaxed);
    }

    fn subscribe(&self) -> watch::Receiver<Option<Arc<Current>>> {
        self.shared.current.subscribe()
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.shared.current.borrow().as_ref().map(|current| current.serving.key.clone())
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates").field("metrics", &self.metrics()).finish_non_exhaustive()
    }
}
