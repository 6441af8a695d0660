//! Objects of other kinds that the reconciled ones refer to.

use std::sync::Arc;

use kube_core::PartialObjectMeta;

use super::ControllerBuilder;
use crate::{
    client::{OwnerScope, scope::NamespacedScope},
    controller::{
        StaticKind, caches::CachedSource, kind::is_namespaced, references::References, requirements::ControllerUses,
    },
    informer::{CacheObject, Event, Index, InformerBuilder, ObjectKey, places::Places},
};

/// Adds an index to the informer of the reconciled kind.
pub(super) type AddIndex<K> = Box<dyn FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send>;

impl<K: StaticKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Reconciles an object also when an object of another kind changes to which it refers, and caches that kind.
    ///
    /// The function returns the names of the objects: in the namespace of the object that refers to them, or of a kind without
    /// namespaces. It is an index that the cache keeps, so a change costs one lookup, however many objects there are. The reconcile
    /// function gets the objects from [`Context::referred`](crate::controller::Context::referred).
    ///
    /// ```
    /// # use crdkit::{CustomResource, KubeSchema, controller::{Action, Context, Controller, Error}};
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use serde::{Deserialize, Serialize};
    /// # use std::sync::Arc;
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "App", namespaced)]
    /// struct AppSpec {
    ///     password_secret: String,
    /// }
    ///
    /// async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    ///     let secrets = cx.referred::<Secret>(&app);
    ///     if let [missing, ..] = secrets.missing() {
    ///         tracing::info!(secret = %missing, "a Secret is missing"); // it is reconciled again when the Secret is created
    ///         return Ok(Action::Done);
    ///     }
    ///     let password = secrets.found()[0].data.as_ref().and_then(|data| data.get("password"));
    ///     # let _ = password;
    ///     Ok(Action::Done)
    /// }
    ///
    /// let controller =
    ///     Controller::of::<App>().refers::<Secret>(|app| vec![app.spec.password_secret.clone()]).reconcile(reconcile);
    /// ```
    #[doc(alias("IndexField", "EnqueueRequestsFromMapFunc", "secondary resource"))]
    pub fn refers<C: StaticKind>(self, names: impl Fn(&K) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.refers_selected::<C>(|objects| objects, names)
    }

    /// Like [`refers`](Self::refers), for selected objects. Others count as missing, also if another cache of the controller has them.
    pub fn refers_selected<C: StaticKind>(
        self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
        names: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        const {
            assert!(
                is_namespaced::<K>() || !is_namespaced::<C>(),
                "an object without a namespace refers to objects of a namespaced kind by `refers_across`, with their namespaces"
            );
        }
        let keys = move |object: &K| {
            let namespace = object.namespace().filter(|_| is_namespaced::<C>());
            names(object).iter().map(|name| ObjectKey::new(namespace, name)).collect()
        };
        self.refers_to::<C>(select, Arc::new(keys))
    }

    /// Like [`refers`](Self::refers), for objects in any namespace [of the manager](crate::controller::Manager::namespaces), all of which
    /// the controller watches.
    ///
    /// Whoever may create an object of the controller's kind can thus have it read objects of other namespaces: check that they may, as
    /// the ReferenceGrant of the Gateway API does.
    pub fn refers_across<C: StaticKind>(self, keys: impl Fn(&K) -> Vec<ObjectKey> + Send + Sync + 'static) -> Self
    where
        C::Scope: NamespacedScope<C>,
    {
        self.refers_to::<C>(|objects| objects.in_places(&Places::OfFactory), Arc::new(keys))
    }

    /// Like [`refers`](Self::refers), and caches only the metadata of the objects, for kinds whose objects are large or secret.
    ///
    /// [`Context::referred::<PartialObjectMeta<C>>`](crate::controller::Context::referred) returns it.
    #[doc(alias("OnlyMetadata", "metadata_watcher"))]
    pub fn refers_metadata<C: StaticKind>(self, names: impl Fn(&K) -> Vec<String> + Send + Sync + 'static) -> Self
    where
        PartialObjectMeta<C>: StaticKind,
    {
        self.refers::<PartialObjectMeta<C>>(names)
    }

    /// Like [`owns`](Self::owns), and caches only the metadata of the objects.
    ///
    /// [`Context::owned::<PartialObjectMeta<C>>`](crate::controller::Context::owned) returns it. Beside it,
    /// [`apply_owned::<C>`](crate::controller::Context::apply_owned) reads an object that has not changed from the API server.
    #[doc(alias("OnlyMetadata", "metadata_watcher"))]
    pub fn owns_metadata<C: StaticKind>(self) -> Self
    where
        PartialObjectMeta<C>: StaticKind,
        K::Scope: OwnerScope<K, PartialObjectMeta<C>>,
    {
        self.owns::<PartialObjectMeta<C>>()
    }

    fn refers_to<C: StaticKind>(
        mut self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
        references: References<K>,
    ) -> Self {
        let index = {
            let references = references.clone();
            Index::new(format!("references to {}", C::plural(&())), move |object: &K| references(object))
        };
        let of_reconciled = index.clone();
        self.settings.indexes.push(Box::new(move |objects| objects.index(&of_reconciled)));
        self.source::<C>(CachedSource::Refers, select, ControllerUses::read, move |work, informer, caches| {
            caches.refer::<K, C>(references, informer.lister());
            let reconciled = caches.reconciled::<K>();
            work.watches(informer, move |event: &Event<C>| {
                let key = event.object().map(|object| ObjectKey::of(&**object));
                let referring = reconciled.as_ref().zip(key).map(|(all, key)| all.by(&index, &key)).unwrap_or_default();
                referring.iter().map(|object| ObjectKey::of(&**object)).collect::<Vec<_>>()
            })
        })
    }
}
