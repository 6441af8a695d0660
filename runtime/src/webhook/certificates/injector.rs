//! Keeps `caBundle` up to date.

use std::{
    future::{Future, pending},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use k8s_openapi::{
    api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube_core::Resource;
use tokio::{sync::watch, time::sleep};

use super::{CertificateRequest, Certificates, ca_bundle_fields::ClientConfigs, object_watch::ObjectWatch};
use crate::{
    Client,
    client::{
        Error, Resources, Verb,
        backoff_formula::{exponential, jittered, random},
        scope::{Listable, SingleObject, Unscoped},
    },
    webhook::Webhooks,
};

/// How often an object is read although no change was noticed.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The back-off of failed attempts.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(30);

/// An object whose `caBundle` is kept up to date: wherever it calls a webhook by a name or an address of the certificate. Nothing else
/// of it is changed. It need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaTarget {
    /// The conversion webhook of a CustomResourceDefinition, such as `virtualmachines.infra.example.com`.
    Definition(String),
    /// The webhooks of a ValidatingWebhookConfiguration.
    Validating(String),
    /// The webhooks of a MutatingWebhookConfiguration.
    Mutating(String),
}

impl CaTarget {
    /// The conversion webhook of the definition of a kind.
    pub fn definition_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::Definition(format!("{}.{}", K::plural(&()), K::group(&())))
    }

    /// The conversion webhook of a CustomResourceDefinition, such as `virtualmachines.infra.example.com`.
    pub fn definition(name: impl Into<String>) -> Self {
        Self::Definition(name.into())
    }

    /// The webhooks of a ValidatingWebhookConfiguration.
    pub fn validating(name: impl Into<String>) -> Self {
        Self::Validating(name.into())
    }

    /// The webhooks of a MutatingWebhookConfiguration.
    pub fn mutating(name: impl Into<String>) -> Self {
        Self::Mutating(name.into())
    }

    /// All objects by which the API server calls these webhooks.
    pub fn of_webhooks(webhooks: &Webhooks) -> Vec<Self> {
        let definitions = webhooks.converters.iter().map(|converter| Self::Definition(converter.definition_name()));
        let name = || webhooks.name().to_owned();
        let validating = (!webhooks.validating().is_empty()).then(|| Self::Validating(name()));
        let mutating = (!webhooks.mutating().is_empty()).then(|| Self::Mutating(name()));
        definitions.chain(validating).chain(mutating).collect()
    }
}

impl CaTarget {
    pub(super) fn request(&self) -> CertificateRequest {
        const ADMISSION: &str = "admissionregistration.k8s.io";
        let (group, resource, name) = match self {
            Self::Definition(name) => ("apiextensions.k8s.io", "customresourcedefinitions", name),
            Self::Validating(name) => (ADMISSION, "validatingwebhookconfigurations", name),
            Self::Mutating(name) => (ADMISSION, "mutatingwebhookconfigurations", name),
        };
        let verbs = &[Verb::Get, Verb::Watch, Verb::Patch];
        CertificateRequest { namespace: None, group, resource, name: Some(name.clone()), verbs }
    }
}

/// Sets `caBundle` in objects to that of certificates.
pub(super) struct Injector {
    client: Client,
    targets: Vec<CaTarget>,
    certificates: Certificates,
    /// The bundle that each target has, if that is known.
    injected: watch::Sender<Vec<Option<Arc<[u8]>>>>,
}

impl Injector {
    pub(super) fn new(client: &Client, targets: Vec<CaTarget>, certificates: &Certificates) -> Self {
        let injected = watch::Sender::new(vec![None; targets.len()]);
        Self { client: client.clone(), targets, certificates: certificates.clone(), injected }
    }

    /// Returns a future that completes when all targets have this bundle.
    pub(super) fn has_injected(&self, bundle: &[u8]) -> impl Future<Output = ()> + Send + use<> {
        let (mut injected, bundle) = (self.injected.subscribe(), bundle.to_vec());
        async move {
            let has_bundle = |found: &Option<Arc<[u8]>>| found.as_deref() == Some(&bundle[..]);
            if injected.wait_for(|all| all.iter().all(has_bundle)).await.is_err() {
                // The injector is gone.
                pending::<()>().await;
            }
        }
    }

    /// Keeps all targets up to date, until it is dropped.
    pub(super) async fn run(&self) {
        let client = &self.client;
        join_all(self.targets.iter().enumerate().map(|(at, target)| async move {
            match target {
                CaTarget::Definition(name) => {
                    self.keep::<CustomResourceDefinition>(at, name, client.resources()).await;
                }
                CaTarget::Validating(name) => {
                    self.keep::<ValidatingWebhookConfiguration>(at, name, client.resources()).await;
                }
                CaTarget::Mutating(name) => {
                    self.keep::<MutatingWebhookConfiguration>(at, name, client.resources()).await;
                }
            }
        }))
        .await;
    }

    async fn keep<K: ClientConfigs>(&self, at: usize, name: &str, objects: Resources<K>)
    where
        Unscoped: SingleObject<K> + Listable<K>,
    {
        let mut current = self.certificates.subscribe();
        let mut watch = ObjectWatch::new(objects.clone(), name);
        let mut failures = 0;
        loop {
            let certificate = current.borrow_and_update().clone();
            let Some((certificate, bundle)) = certificate.as_ref().and_then(|it| Some((it, it.ca_bundle.as_ref()?)))
            else {
                // The sender is in `certificates`.
                let _ = current.changed().await;
                continue;
            };
            match inject(&objects, name, |host| certificate.serving.is_for(host), bundle).await {
                Ok(version) => {
                    failures = 0;
                    self.injected.send_modify(|all| all[at] = Some(bundle.as_slice().into()));
                    tokio::select! {
                        _ = current.changed() => {}
                        () = watch.changed(version.as_deref()) => {}
                        () = sleep(CHECK_INTERVAL) => {}
                    }
                }
                Err(error) => {
                    self.certificates.count_failure();
                    tracing::warn!(kind = %K::kind(&()), name, %error, "cannot keep the caBundle up to date");
                    sleep(jittered(exponential(FIRST_DELAY, MAX_DELAY, failures), random())).await;
                    failures += 1;
                }
            }
        }
    }
}

/// Sets `caBundle` in an object, and returns the version of the object; `None` if there is none.
async fn inject<K: ClientConfigs>(
    objects: &Resources<K>,
    name: &str,
    is_certified: impl Fn(&str) -> bool,
    bundle: &[u8],
) -> Result<Option<String>, Error>
where
    Unscoped: SingleObject<K>,
{
    loop {
        let Some(object) = objects.get_opt(name).await? else { return Ok(None) };
        let Some(patch) = object.patch(&is_certified, bundle) else {
            return Ok(object.meta().resource_version.clone());
        };
        match objects.patch(name, &patch).await {
            Ok(patched) => {
                tracing::info!(kind = %K::kind(&()), name, "the caBundle was updated");
                return Ok(patched.meta().resource_version.clone());
            }
            // It changed after it was read.
            Err(Error::Conflict(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
}
