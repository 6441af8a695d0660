use std::{
    fmt,
    future::pending,
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_util::future::{BoxFuture, FutureExt, join};
use k8s_openapi::{api::core::v1::Secret, apimachinery::pkg::apis::meta::v1::ObjectMeta, jiff::Timestamp};
use rustls::crypto::CryptoProvider;
use tokio::time::sleep;

use super::{
    CaTarget, CertificateRequest, Certificates,
    clock::Clock,
    error::CertificateError,
    injector::Injector,
    object_watch::ObjectWatch,
    renewal_plan::{Next, Settings, next},
    stored::{Stored, TLS_SECRET},
};
use crate::{
    Client,
    client::{
        Error, Resources, Verb,
        backoff_formula::{exponential, jittered, random},
        scope::InNamespace,
    },
    webhook::{Webhooks, crypto::provider},
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
// Defaults of the methods of these names. Certificates of cert-manager are valid for 90 days too.
const AUTHORITY_VALIDITY: Duration = Duration::from_secs(365 * DAY.as_secs());
const VALIDITY: Duration = Duration::from_secs(90 * DAY.as_secs());
const PROPAGATION: Duration = Duration::from_secs(60);
/// Default of [`CertRotator::check_interval`].
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The back-off of failed attempts.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Certificates by an authority of the program's own, renewed before they expire, in a Secret that all replicas share.
///
/// Each replica runs one. Whichever comes first creates or renews: the Secret is the lock. No leader is needed, and a replica that
/// cannot reach the API server continues to use the certificate that it has.
///
/// The Secret is of the type `kubernetes.io/tls`, with the authorities in `ca.crt` and the private key of the newest one in `ca.key`.
/// It may exist before, without content.
#[doc(alias("cert-controller", "self-signed"))]
#[must_use = "nothing happens until `run` is called"]
pub struct CertRotator {
    client: Client,
    namespace: String,
    secret: String,
    settings: Settings,
    propagation: Duration,
    check_interval: Duration,
    targets: Vec<CaTarget>,
    clock: Clock,
    certificates: Certificates,
}

impl CertRotator {
    /// Creates certificates for a service, which API servers call as `SERVICE.NAMESPACE.svc`, in the Secret `SERVICE-webhook-cert` of
    /// its namespace.
    pub fn for_service(client: &Client, namespace: &str, service: &str) -> Self {
        let name = format!("{service}.{namespace}");
        let names = [format!("{name}.svc"), format!("{name}.svc.cluster.local"), name];
        Self::new(client, namespace, &format!("{service}-webhook-cert"), names)
    }

    /// Creates certificates for DNS names and IP addresses, in a Secret.
    pub fn new<N: Into<String>>(
        client: &Client,
        namespace: &str,
        secret: &str,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
            secret: secret.to_owned(),
            settings: Settings {
                names: names.into_iter().map(Into::into).collect(),
                authority_validity: AUTHORITY_VALIDITY,
                validity: VALIDITY,
            },
            propagation: PROPAGATION,
            check_interval: CHECK_INTERVAL,
            targets: Vec::new(),
            clock: Clock::default(),
            certificates: Certificates::new(),
        }
    }

    /// Sets the name of the Secret.
    pub fn secret(self, name: &str) -> Self {
        Self { secret: name.to_owned(), ..self }
    }

    /// Adds a DNS name or an IP address.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.names.push(name.into());
        self
    }

    /// Keeps the `caBundle` of an object up to date.
    pub fn inject(mut self, target: CaTarget) -> Self {
        self.targets.push(target);
        self
    }

    /// Keeps the `caBundle` up to date in all objects by which the API server calls these webhooks: the
    /// [configurations](Webhooks::configurations), and the definitions of the kinds that are [converted](Webhooks::convert).
    pub fn inject_webhooks(mut self, webhooks: &Webhooks) -> Self {
        self.targets.extend(CaTarget::of_webhooks(webhooks));
        self
    }

    /// Sets how long certificates are valid: 90 days by default. They are renewed after two thirds of that.
    pub fn validity(mut self, validity: Duration) -> Self {
        self.settings.validity = validity;
        self
    }

    /// Sets how long authorities are valid: a year by default. They are replaced after two thirds of that.
    pub fn authority_validity(mut self, validity: Duration) -> Self {
        self.settings.authority_validity = validity;
        self
    }

    /// Sets how long a new authority issues no certificate after it was added to `caBundle`: 60 s by default. In that time, all API
    /// servers notice the change.
    pub fn propagation(self, propagation: Duration) -> Self {
        Self { propagation, ..self }
    }

    /// Sets how often the Secret is read and the clock is looked at, although no change was noticed: every 60 s by default.
    pub fn check_interval(self, interval: Duration) -> Self {
        Self { check_interval: interval, ..self }
    }

    /// Sets the wall clock, for tests: the system's by default.
    pub fn clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Clock::new(now), ..self }
    }

    /// Returns the certificates, for a server.
    pub fn certificates(&self) -> Certificates {
        self.certificates.clone()
    }

    pub(super) fn requests(&self) -> Vec<CertificateRequest> {
        let of_secret = |name: Option<&String>, verbs| CertificateRequest {
            namespace: Some(self.namespace.clone()),
            group: "",
            resource: "secrets",
            name: name.cloned(),
            verbs,
        };
        // A rule for one object cannot allow its creation.
        let secret =
            [of_secret(Some(&self.secret), &[Verb::Get, Verb::Watch, Verb::Update]), of_secret(None, &[Verb::Create])];
        secret.into_iter().chain(self.targets.iter().map(CaTarget::request)).collect()
    }

    /// Creates and renews the certificates, and keeps each `caBundle` up to date, until the future is dropped.
    ///
    /// Failures are logged, counted in the [metrics](Certificates::metrics), and tried again.
    pub async fn run(self) {
        let injector = Injector::new(&self.client, self.targets.clone(), &self.certificates);
        let rotation = Rotation::new(&self, &injector);
        join(rotation.run(), injector.run()).await;
    }
}

impl fmt::Debug for CertRotator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertRotator")
            .field("namespace", &self.namespace)
            .field("secret", &self.secret)
            .field("settings", &self.settings)
            .field("targets", &self.targets)
            .finish_non_exhaustive()
    }
}

/// The state of a running rotator.
struct Rotation<'a> {
    rotator: &'a CertRotator,
    injector: &'a Injector,
    secrets: Resources<Secret, InNamespace>,
    changes: ObjectWatch<Secret, InNamespace>,
    trust: Trust,
    /// What was read last.
    remembered: Option<Stored>,
}

/// Whether all API servers trust a bundle.
#[derive(Default)]
struct Trust {
    bundle: Vec<u8>,
    /// Completes when they do; none if they do already.
    pending: Option<BoxFuture<'static, ()>>,
}

enum RotationStep {
    /// What is stored has changed.
    Again,
    /// There is nothing to do until this time, if the Secret stays at its version.
    Wait(Option<String>, SystemTime),
}

impl<'a> Rotation<'a> {
    fn new(rotator: &'a CertRotator, injector: &'a Injector) -> Self {
        let secrets = rotator.client.resources::<Secret>().namespace(&rotator.namespace);
        let changes = ObjectWatch::new(secrets.clone(), &rotator.secret);
        Self { rotator, injector, secrets, changes, trust: Trust::default(), remembered: None }
    }

    async fn run(mut self) {
        let mut failures = 0;
        loop {
            match self.step().await {
                Ok(RotationStep::Again) => failures = 0,
                Ok(RotationStep::Wait(version, until)) => {
                    failures = 0;
                    self.wait(version.as_deref(), until).await;
                }
                Err(error) => {
                    let (secret, namespace) = (&self.rotator.secret, &self.rotator.namespace);
                    self.rotator.certificates.count_failure();
                    tracing::warn!(secret, namespace, %error, "cannot renew the certificates of webhooks");
                    sleep(jittered(exponential(FIRST_DELAY, MAX_DELAY, failures), random())).await;
                    failures += 1;
                }
            }
        }
    }

    async fn step(&mut self) -> Result<RotationStep, CertificateError> {
        let provider = provider()?;
        let secret = self.secrets.get_opt(&self.rotator.secret).await?;
        let stored = match &secret {
            Some(secret) => Stored::read(secret)?,
            None => None,
        };
        // Its authority is replaced if the Secret was deleted, but its certificate is used until the new one is trusted.
        let remembered = || Some(Stored { authority_key: Vec::new(), ..self.remembered.clone()? });
        match self.next(stored.clone().or_else(remembered), &provider)? {
            (Some(stored), Next::Keep(serving, until)) => {
                let bundle = stored.ca_bundle();
                self.trust.follow(&bundle, self.injector, self.rotator.propagation);
                let not_after = Timestamp::try_from(serving.not_after).unwrap_or_default();
                if self.rotator.certificates.publish(serving, Some(bundle)) {
                    tracing::info!(secret = self.rotator.secret, %not_after, "webhooks have another certificate");
                }
                self.remembered = Some(stored);
                Ok(RotationStep::Wait(secret.and_then(|secret| secret.metadata.resource_version), until))
            }
            (_, Next::Keep(..)) => Ok(RotationStep::Again),
            (_, Next::Write(stored, reason)) => {
                self.write(secret, &stored, reason).await?;
                Ok(RotationStep::Again)
            }
        }
    }

    fn next(
        &self,
        stored: Option<Stored>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<(Option<Stored>, Next), CertificateError> {
        let is_trusted = stored.as_ref().is_some_and(|stored| self.trust.is_established(&stored.ca_bundle()));
        let next = next(stored.as_ref(), &self.rotator.settings, self.rotator.clock.now(), is_trusted, provider)?;
        Ok((stored, next))
    }

    /// Writes the Secret, unless another replica was faster.
    async fn write(&mut self, secret: Option<Secret>, stored: &Stored, reason: &str) -> Result<(), CertificateError> {
        let is_new = secret.is_none();
        let mut secret = secret.unwrap_or_else(|| Secret {
            metadata: ObjectMeta { name: Some(self.rotator.secret.clone()), ..ObjectMeta::default() },
            type_: Some(TLS_SECRET.to_owned()),
            ..Secret::default()
        });
        stored.write(&mut secret);
        let written = if is_new { self.secrets.create(&secret).await } else { self.secrets.replace(&secret).await };
        match written {
            Ok(_) => {
                let (secret, namespace) = (&self.rotator.secret, &self.rotator.namespace);
                tracing::info!(secret, namespace, reason, "the certificates of webhooks were renewed");
                Ok(())
            }
            Err(Error::AlreadyExists(_) | Error::Conflict(_)) => Ok(()),
            Err(Error::NotFound(_)) if !is_new => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn wait(&mut self, version: Option<&str>, until: SystemTime) {
        // The wall clock may be set at any time.
        let delay = until.duration_since(self.rotator.clock.now()).unwrap_or_default();
        tokio::select! {
            () = sleep(delay.max(Duration::from_millis(10)).min(self.rotator.check_interval)) => {}
            () = self.changes.changed(version) => {}
            () = self.trust.established() => {}
        }
    }
}

impl Trust {
    /// Waits from now on until the API servers trust this bundle, if it is another one.
    fn follow(&mut self, bundle: &[u8], injector: &Injector, propagation: Duration) {
        if self.bundle == bundle {
            return;
        }
        self.bundle = bundle.to_vec();
        let injected = injector.has_injected(bundle);
        let established = async move {
            injected.await;
            sleep(propagation).await;
        };
        self.pending = Some(established.boxed());
    }

    fn is_established(&self, bundle: &[u8]) -> bool {
        self.bundle == bundle && self.pending.is_none()
    }

    /// Completes when the API servers begin to trust the bundle.
    async fn established(&mut self) {
        match &mut self.pending {
            Some(established) => established.await,
            None => pending().await,
        }
        self.pending = None;
    }
}
