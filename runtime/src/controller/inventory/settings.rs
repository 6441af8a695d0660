//! How a controller's inventory is configured.

use std::sync::Arc;

use super::{Inventories, InventoryStore, KindData, ReconciledKind};
use crate::controller::{apply_owned::Applier, requirements::RequiredKind};

/// The inventory of a controller that is being built.
pub(in crate::controller) struct InventorySettings<K: ReconciledKind> {
    /// The finalizer, and where the inventory is.
    pub(in crate::controller) store: Option<(String, InventoryStore<K>)>,
    pub(in crate::controller) kinds: Vec<RequiredKind>,
}

impl<K: ReconciledKind> Default for InventorySettings<K> {
    fn default() -> Self {
        Self { store: None, kinds: Vec::new() }
    }
}

impl<K: ReconciledKind> InventorySettings<K> {
    pub(in crate::controller) fn into_inventories(
        self,
        kind: &KindData<K>,
        applier: &Applier,
    ) -> Option<Arc<Inventories<K>>> {
        let (_, store) = self.store?;
        Some(Arc::new(Inventories::new(kind.clone(), store, self.kinds, applier)))
    }
}

/// What a manager checks about the inventory of a controller.
#[derive(Clone, Debug, Default)]
pub(in crate::controller) struct InventoryUse {
    kinds: Vec<String>,
    has_store: bool,
    is_apply_set: bool,
}

impl InventoryUse {
    pub(in crate::controller) fn of<K: ReconciledKind>(settings: &InventorySettings<K>) -> Self {
        let store = settings.store.as_ref().map(|(_, store)| store);
        Self {
            kinds: settings.kinds.iter().map(|kind| kind.kind.clone()).collect(),
            has_store: store.is_some(),
            is_apply_set: store.is_some_and(|store| store.form() == super::store::Form::ApplySet),
        }
    }

    /// Returns what is wrong with the settings of the controller with a name.
    pub(in crate::controller) fn problem(&self, controller: &str) -> Option<String> {
        let is_missing = !self.kinds.is_empty() && !self.has_store;
        is_missing.then(|| {
            format!(
                "the controller `{controller}` owns `{}` by inventory, and has none: set one with `ControllerBuilder::inventory`",
                self.kinds.join("`, `")
            )
        })
    }

    /// Returns what is wrong with two controllers of the same objects.
    pub(in crate::controller) fn problem_with(&self, other: &Self, kind: &str, names: (&str, &str)) -> Option<String> {
        (self.is_apply_set && other.is_apply_set).then(|| {
            format!(
                "the inventories of the controllers `{}` and `{}` of `{kind}` are both the ApplySet of their object, which has one: use a \
                 field of the status for one of them",
                names.0, names.1
            )
        })
    }
}
