//! Creates an object that another one owns, once.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use kube_core::PartialObjectMeta;

use super::{
    ApplyOwnedError, Context, ReconciledKind, StaticKind,
    apply_owned::is_controlled,
    context::Run,
    events::truncated,
    kind::{is_namespaced, namespace_of_child},
};
use crate::{
    client::{ApplyError, OwnerError, OwnerScope, endpoint::Endpoint, set_controller_reference_dyn},
    informer::{CacheObject, ObjectKey},
    json::json_value::to_value,
    schema::fnv,
};

/// The length of a name that fits into a label, as the names of Jobs do, without the suffix and its hyphen.
const LONGEST_PREFIX: usize = 63 - SUFFIX - 1;
/// The length of a generated suffix, in hexadecimal digits.
const SUFFIX: usize = 10;

impl<K: ReconciledKind, T> Context<K, T> {
    /// Creates an object that another object owns, once: for Jobs, backups and runs, which are not changed afterwards.
    ///
    /// The object gets a controller reference to the owner, and its namespace. An object that exists already is a success if this owner
    /// is its controller: it is returned as it is.
    ///
    /// If it has no name, the name is that of the owner and a hash of the owner and the object, so that a repeated reconciliation finds
    /// the object that an earlier one created. The object must then be the same each time: without a time, and in all versions of the
    /// program. Otherwise, give it a name, such as that of the owner and its generation.
    ///
    /// It is not [pruned](Self::apply_owned), also when it has finished; the garbage collector deletes it with its owner. Once it is gone,
    /// by hand or by `ttlSecondsAfterFinished`, another call creates it again: record in the status of the owner what is done for good.
    ///
    /// The controller should [own](super::ControllerBuilder::owns) the kind, so that the owner is reconciled when the object changes, and
    /// the object is looked up in the cache first. Otherwise, declare the requests with
    /// [`writes`](super::ControllerBuilder::writes): `get` and `create`.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use crdkit::{CustomResource, KubeSchema, conditions::is_true, controller::{Action, Context, Error}};
    /// # use k8s_openapi::api::batch::v1::Job;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "example.com", version = "v1", kind = "Backup", namespaced)]
    /// # struct BackupSpec {}
    /// # fn job(backup: &Backup) -> Job { todo!() }
    /// async fn reconcile(backup: Arc<Backup>, cx: Context<Backup>) -> Result<Action, Error> {
    ///     let job = cx.create_owned(&backup, job(&backup)).await?;
    ///     if is_true("Complete")(&*job) {
    ///         // It is done.
    ///     }
    ///     Ok(Action::Done)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApplyOwnedError::OtherOwner`] or [`ApplyOwnedError::Orphan`] if another object has the name, [`ApplyOwnedError::Owner`] if the
    /// owner was not created or is in another namespace, [`ApplyOwnedError::MissingNamespace`] if neither the owner nor the object has a
    /// namespace that it needs, and errors of requests.
    pub fn create_owned<'a, C>(&'a self, owner: &'a K, object: C) -> BoxFuture<'a, Result<Arc<C>, ApplyOwnedError>>
    where
        C: StaticKind,
        K::Scope: OwnerScope<K, C>,
    {
        create(&self.run, owner, object).boxed()
    }
}

async fn create<K, C>(run: &Run<K>, owner: &K, mut object: C) -> Result<Arc<C>, ApplyOwnedError>
where
    K: ReconciledKind,
    C: StaticKind,
    K::Scope: OwnerScope<K, C>,
{
    let uid = owner.uid().ok_or_else(|| OwnerError::NotCreated { kind: run.kind.name() })?;
    let own = object.meta().namespace.clone().filter(|namespace| !namespace.is_empty());
    let namespace = namespace_of_child::<C>(owner.namespace(), own.as_deref()).map(str::to_owned);
    // One in another namespace is reported with the reference.
    object.meta_mut().namespace = own.filter(|_| is_namespaced::<C>()).or_else(|| namespace.clone());
    if object.meta().name.as_deref().unwrap_or_default().is_empty() {
        object.meta_mut().name = Some(generated_name(owner.name(), uid, &object)?);
    }
    let key = ObjectKey::of(&object);
    if is_namespaced::<C>() && key.namespace().is_none() {
        let (kind, name) = (C::kind(&()).into_owned(), key.name().to_owned());
        return Err(ApplyOwnedError::MissingNamespace { kind, name });
    }
    set_controller_reference_dyn(&mut object, owner, run.kind.dynamic())?;

    if let Some(existing) = run.caches.find::<C>(&key) {
        return checked(existing, uid);
    }
    let endpoint = Endpoint::<C>::new(run.client.clone(), ()).at(key.namespace());
    if run.caches.find::<PartialObjectMeta<C>>(&key).is_none() {
        match endpoint.create(&object).await {
            Err(error) if error.is_already_exists() => {}
            created => return Ok(Arc::new(created.map_err(ApplyError::Request)?)),
        }
    }
    let existing = endpoint.get(key.name()).await.map_err(ApplyError::Request)?;
    checked(Arc::new(existing), uid)
}

/// Returns an object whose controller is the owner with this uid.
fn checked<C: StaticKind>(existing: Arc<C>, owner: &str) -> Result<Arc<C>, ApplyOwnedError> {
    let (kind, key) = (C::kind(&()), ObjectKey::of(&*existing));
    if is_controlled(&*existing, Some(owner), &kind, &key)? {
        Ok(existing)
    } else {
        Err(ApplyOwnedError::Orphan { kind: kind.into_owned(), name: key.to_string() })
    }
}

/// The name of the owner and a hash of its uid and the object.
fn generated_name<C: StaticKind>(owner: &str, uid: &str, object: &C) -> Result<String, ApplyOwnedError> {
    let suffix = format!("{:016x}", fnv::hash(&format!("{uid}{}", to_value(object)?)));
    // A hyphen must not follow a dot in a name.
    let cut = truncated(owner, LONGEST_PREFIX);
    let prefix = cut.trim_end_matches(['-', '.']);
    Ok(format!("{prefix}-{}", &suffix[..SUFFIX]))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    #[test]
    fn names_fit_into_labels() {
        let config = ConfigMap::default();
        let name = |owner: &str| generated_name(owner, "u", &config).unwrap();
        assert_eq!(name("web").len(), "web-".len() + SUFFIX);
        assert_eq!(name(&"a".repeat(253)).len(), 63);
        let dotted = name(&format!("{}.b", "a".repeat(51)));
        assert!(dotted.starts_with(&format!("{}-", "a".repeat(51))), "{dotted}");
        assert_ne!(name("web"), generated_name("web", "other", &config).unwrap());
        let other = ConfigMap { immutable: Some(true), ..config.clone() };
        assert_ne!(name("web"), generated_name("web", "u", &other).unwrap());
    }
}
