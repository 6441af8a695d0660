//! Objects that a controller owns by inventory.

use std::sync::Arc;

use futures_util::future::FutureExt;

use super::ControllerBuilder;
use crate::{
    controller::{
        Error, InventoryStore, ReconciledKind, StaticKind,
        caches::CachedSource,
        finalizers::{Finalizer, MAX_FINALIZERS},
        inventory::{MemberLister, parent_key},
        requirements::{ControllerUses, RequiredKind},
    },
    informer::{Event, InformerBuilder, places::Places, queue::owners::states},
};

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Keeps an inventory of what each object owns where owner references cannot reach, for
    /// [`owns_by_inventory`](Self::owns_by_inventory).
    ///
    /// The finalizer, such as `example.com/inventory`, is added to each object, after those of [`finalizer`](Self::finalizer). When the
    /// object is deleted, what its inventory has is deleted first: the finalizer is removed once all of that is gone.
    ///
    /// ```
    /// # use crdkit::{CustomResource, KubeSchema, controller::{Action, Context, Controller, Error, InventoryStore}, inventory::Inventory};
    /// # use k8s_openapi::api::rbac::v1::ClusterRole;
    /// # use serde::{Deserialize, Serialize};
    /// # use std::sync::Arc;
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
    /// struct AppSpec {}
    ///
    /// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    /// struct AppStatus {
    ///     #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    ///     inventory: Inventory,
    /// }
    ///
    /// async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    ///     let mut role = ClusterRole::default();
    ///     role.metadata.name = Some("app-reader".to_owned());
    ///     cx.apply_by_inventory(&app, [role]).await?;
    ///     Ok(Action::Done)
    /// }
    ///
    /// let controller = Controller::of::<App>()
    ///     .inventory("example.com/inventory", InventoryStore::status(|status: &mut AppStatus| &mut status.inventory))
    ///     .owns_by_inventory::<ClusterRole>()
    ///     .reconcile(reconcile);
    /// ```
    ///
    /// Keep the call, and the finalizer, when a later version of the program owns nothing by inventory any longer: what earlier versions
    /// applied is then deleted.
    ///
    /// An object that cannot be decoded has only the members that are cached deleted by
    /// [`clean_up_undecodable`](Self::clean_up_undecodable), if the inventory is in its status.
    #[doc(alias("ApplySet", "prune"))]
    pub fn inventory(mut self, finalizer: &str, store: InventoryStore<K>) -> Self {
        self.settings.inventory.store = Some((finalizer.to_owned(), store));
        self
    }

    /// Reconciles an object also when an object of this kind changes that is in its [inventory](Self::inventory), and caches that kind:
    /// in all namespaces, also if the controller [selects](Self::select) some.
    ///
    /// [`Context::apply_by_inventory`](crate::controller::Context::apply_by_inventory) applies the objects. They may be cluster-scoped, or
    /// in other namespaces than their owner.
    pub fn owns_by_inventory<C: StaticKind>(self) -> Self {
        self.owns_by_inventory_selected::<C>(|objects| objects)
    }

    /// Like [`owns_by_inventory`](Self::owns_by_inventory), for selected objects, such as those of some namespaces.
    ///
    /// All objects in inventories must match, because the controller does not see others. A transform must keep the labels and the
    /// annotations.
    pub fn owns_by_inventory_selected<C: StaticKind>(
        mut self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
    ) -> Self {
        self.settings.owned.push(C::kind(&()).into_owned());
        self.settings.inventory.kinds.push(RequiredKind::of::<C>());
        let index = MemberLister::<C>::index();
        let of_informer = index.clone();
        let parent = self.settings.kind.clone();
        let select = move |objects: InformerBuilder<C>| select(objects.within(&Places::All)).index(&of_informer);
        self.source::<C>(
            CachedSource::OwnsByInventory,
            select,
            ControllerUses::own_by_inventory,
            move |work, informer, caches| {
                caches.members.add(MemberLister::new(informer.lister(), index));
                work.watches(informer, move |event: &Event<C>| {
                    let mut keys: Vec<_> = states(event).filter_map(|object| parent_key(&parent, &**object)).collect();
                    keys.dedup();
                    keys
                })
            },
        )
    }

    /// Adds the finalizer of the inventory, which is processed last.
    pub(super) fn add_inventory_finalizer(&mut self) {
        let Some((name, _)) = &self.settings.inventory.store else {
            return;
        };
        assert!(self.finalizers.len() < MAX_FINALIZERS, "a controller has at most {MAX_FINALIZERS} finalizers");
        self.finalizers.push(Finalizer {
            name: name.clone(),
            clean_up: Arc::new(|object, context| {
                async move { context.run.delete_members(&object).await.map_err(Error::from) }.boxed()
            }),
        });
    }
}
