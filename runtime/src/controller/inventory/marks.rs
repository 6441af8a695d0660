//! What members of an inventory have: a label with the id of the inventory, and an annotation that names its parent.
//!
//! The label is looked up; the id is a hash, so that it is a label value whatever the names are. The annotation leads from a member that
//! changes to its parent, and says to people what the label does not.

use serde_json::Value;

use super::{
    apply_set::{self, PART_OF as PART_OF_APPLY_SET},
    contents::GroupKind,
    store::Form,
};
use crate::{
    controller::{ReconciledKind, apply_owned::ChildKey, kind::KindData},
    informer::{CacheObject, ObjectKey},
};

/// The label of members of an inventory in a status.
const PART_OF: &str = "controller.crdkit.dev/part-of";

/// The annotation of objects that [`Context::apply_by_inventory`](super::super::Context::apply_by_inventory) applied: the resource,
/// namespace and name of the object that owns them, such as `apps.example.com prod/web`.
pub const INVENTORY_OF_ANNOTATION: &str = "controller.crdkit.dev/inventory-of";

/// What the members of one inventory have.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Marks {
    pub(super) form: Form,
    /// The id of the inventory.
    pub(in crate::controller) id: String,
    parent: String,
}

/// Whose member an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) enum Membership {
    /// It is in no inventory.
    None,
    Own,
    /// It is in another inventory: that of this parent.
    Other(String),
}

impl Marks {
    pub(super) fn of<K: ReconciledKind>(kind: &KindData<K>, form: Form, parent: &ObjectKey) -> Self {
        let group_kind = GroupKind::new(&K::group(kind.dynamic()), &kind.name());
        let id = apply_set::id(parent.name(), parent.namespace(), &group_kind);
        Self { form, id, parent: ChildKey::of_kind(kind, parent.clone()).to_string() }
    }

    fn label(&self) -> &'static str {
        match self.form {
            Form::ApplySet => PART_OF_APPLY_SET,
            Form::Status => PART_OF,
        }
    }

    /// Returns a selector of the members.
    pub(super) fn selector(&self) -> String {
        format!("{}={}", self.label(), self.id)
    }

    /// Adds the label and the annotation to the metadata of an object, which is an object or null, and so are its labels and annotations.
    pub(in crate::controller) fn add_to(&self, metadata: &mut Value) {
        metadata["labels"][self.label()] = self.id.as_str().into();
        metadata["annotations"][INVENTORY_OF_ANNOTATION] = self.parent.as_str().into();
    }

    /// Returns whether an object is a member. One that changes from one form of inventory to the other has both labels.
    pub(in crate::controller) fn membership(&self, object: &impl CacheObject) -> Membership {
        let ids: Vec<_> = ids(object).collect();
        if ids.contains(&self.id.as_str()) {
            return Membership::Own;
        }
        match ids.first() {
            None => Membership::None,
            Some(id) => Membership::Other(parent(object).map_or_else(|| (*id).to_owned(), str::to_owned)),
        }
    }
}

/// Returns the ids of the inventories that an object is in.
pub(super) fn ids(object: &impl CacheObject) -> impl Iterator<Item = &str> {
    object.labels().filter(|(key, _)| [PART_OF, PART_OF_APPLY_SET].contains(key)).map(|(_, id)| id)
}

fn parent(object: &impl CacheObject) -> Option<&str> {
    object.annotations().find(|(key, _)| *key == INVENTORY_OF_ANNOTATION).map(|(_, parent)| parent)
}

/// Returns the key of the parent of a kind that an object names.
pub(in crate::controller) fn parent_key<K: ReconciledKind>(
    kind: &KindData<K>,
    object: &impl CacheObject,
) -> Option<ObjectKey> {
    // The annotation is often copied to other objects, the label is not.
    ids(object).next()?;
    let resource = ChildKey::of_kind(kind, ObjectKey::new(None, "")).resource();
    let key = parent(object)?.strip_prefix(&resource)?.strip_prefix(' ')?;
    match key.split_once('/') {
        Some((namespace, name)) if kind.is_namespaced() => Some(ObjectKey::new(namespace, name)),
        None if !kind.is_namespaced() => Some(ObjectKey::new(None, key)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
    use serde_json::json;

    use super::*;

    fn config_map() -> KindData<ConfigMap> {
        KindData::of_type()
    }

    #[test]
    fn members_name_their_parent() {
        let web = ObjectKey::new("prod", "web");
        for form in [Form::ApplySet, Form::Status] {
            let marks = Marks::of(&config_map(), form, &web);
            let mut metadata = json!({ "name": "a", "labels": null });
            marks.add_to(&mut metadata);
            let member: Secret = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
            assert_eq!(marks.membership(&member), Membership::Own);
            assert_eq!(parent_key(&config_map(), &member), Some(web.clone()));
            assert_eq!(parent_key(&KindData::<Secret>::of_type(), &member), None);
            let other = Marks::of(&config_map(), form, &ObjectKey::new("test", "web"));
            assert_eq!(other.membership(&member), Membership::Other("configmaps prod/web".to_owned()));
            assert_eq!(marks.membership(&Secret::default()), Membership::None);

            let mut copy = member;
            copy.metadata.labels = None;
            assert_eq!((parent_key(&config_map(), &copy), marks.membership(&copy)), (None, Membership::None));
        }
        let cluster = ObjectKey::new(None, "prod");
        let mut metadata = json!({});
        Marks::of(&KindData::<Namespace>::of_type(), Form::Status, &cluster).add_to(&mut metadata);
        let member: Secret = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        assert_eq!(parent_key(&KindData::<Namespace>::of_type(), &member), Some(cluster));
    }

    /// Both forms are told apart by the label only: an inventory that moves from one to the other keeps its members.
    #[test]
    fn both_forms_have_one_id() {
        let web = ObjectKey::new("prod", "web");
        let [set, status] = [Form::ApplySet, Form::Status].map(|form| Marks::of(&config_map(), form, &web));
        let mut metadata = json!({});
        set.add_to(&mut metadata);
        let member: Secret = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        assert_eq!(status.membership(&member), Membership::Own);
        assert_ne!(set.selector(), status.selector());
    }
}
