//! Edits of the finalizers of an object.

use kube_core::PartialObjectMeta;

use crate::client::{
    Object, OperationResult, UpdateError,
    endpoint::Endpoint,
    finalizers::{adding, edit_object, ignore_not_found, removing},
};

impl<K: Object> Endpoint<K> {
    /// Adds finalizers to an object of the namespace of the endpoint.
    pub(super) async fn add_finalizers(&self, object: &K, names: &[&str]) -> Result<OperationResult, UpdateError> {
        let add = |object: &mut PartialObjectMeta<K>| names.iter().for_each(|name| adding(name)(object));
        edit_object(&self.metadata(), object, false, add).await
    }

    /// Removes a finalizer from an object of the namespace of the endpoint. Succeeds if the object does not exist.
    pub(super) async fn remove_finalizer(&self, object: &K, name: &str) -> Result<OperationResult, UpdateError> {
        ignore_not_found(edit_object(&self.metadata(), object, false, removing(name)).await)
    }

    /// Removes finalizers from an object of the namespace of the endpoint. Succeeds if the object does not exist.
    pub(super) async fn remove_finalizers_of(
        &self,
        object: &PartialObjectMeta<K>,
        names: &[&str],
    ) -> Result<OperationResult, UpdateError> {
        let remove = |object: &mut PartialObjectMeta<K>| names.iter().for_each(|name| removing(name)(object));
        ignore_not_found(self.metadata().update_from(object, false, None, remove).await.map(|(_, outcome)| outcome))
    }
}
