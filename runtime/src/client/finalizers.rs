//! Adds and removes finalizers.

use std::marker::PhantomData;

use kube_core::{DynamicObject, ObjectMeta, PartialObjectMetaExt};

use super::{
    endpoint::{AnyMetadata, Endpoint},
    error::UpdateError,
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::{Listable, SingleObject},
    update::OperationResult,
};

impl<K: Object, P> Resources<K, P> {
    /// Returns a handle to the finalizers of the objects.
    pub fn finalizers(&self) -> Finalizers<K, P> {
        Finalizers { endpoint: self.endpoint.any_metadata(), scope: PhantomData }
    }
}

/// A handle to the finalizers of the objects of one kind in one scope.
///
/// A deleted object remains, with a `metadata.deletionTimestamp`, until its last finalizer is removed.
#[doc(alias("AddFinalizer", "RemoveFinalizer"))]
pub struct Finalizers<K: Object, P> {
    endpoint: Endpoint<AnyMetadata>,
    scope: PhantomData<fn() -> (K, P)>,
}

impl<K: Object, P> Finalizers<K, P> {
    /// Adds a finalizer such as `infra.example.com/cleanup`, and returns whether it was missing.
    ///
    /// This reads the metadata first. If you already have the object, [`add_to`](Self::add_to) avoids the read.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`]. The API server rejects new finalizers on an object that is being deleted.
    pub fn add<'a>(&'a self, name: &'a str, finalizer: &'a str) -> RequestFuture<'a, OperationResult, UpdateError>
    where
        P: SingleObject<K>,
    {
        update_finalizers(&self.endpoint, name, FinalizerEdit::Add(vec![finalizer]))
    }

    /// Removes a finalizer, and returns whether it was present. Succeeds if the object does not exist.
    ///
    /// This reads the metadata first. If you already have the object, [`remove_from`](Self::remove_from) avoids the
    /// read.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn remove<'a>(&'a self, name: &'a str, finalizer: &'a str) -> RequestFuture<'a, OperationResult, UpdateError>
    where
        P: SingleObject<K>,
    {
        update_finalizers(&self.endpoint, name, FinalizerEdit::Remove(vec![finalizer]))
    }

    /// Adds a finalizer to an object that you already have, for example from a lister, and returns whether it was
    /// missing.
    ///
    /// If the object has the finalizer, nothing is sent. Otherwise this is one request. Only if the object has changed
    /// since, its metadata is read, and the finalizer is added to the current one.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use std::sync::Arc;
    /// # async fn example(client: crdkit::Client, pod: Arc<Pod>) -> Result<(), crdkit::client::UpdateError> {
    /// let pods = client.resources::<Pod>().all_namespaces();
    /// pods.finalizers().add_to(&pod, "infra.example.com/cleanup").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`]. The API server rejects new finalizers on an object that is being
    /// deleted.
    pub fn add_to<'a>(&'a self, object: &'a K, finalizer: &'a str) -> RequestFuture<'a, OperationResult, UpdateError>
    where
        P: Listable<K>,
    {
        edit_finalizers(&self.endpoint, object.meta(), P::SPANS_NAMESPACES, FinalizerEdit::Add(vec![finalizer]))
    }

    /// Removes a finalizer from an object that you already have, like [`add_to`](Self::add_to), and returns whether it
    /// was present.
    ///
    /// Succeeds if the object does not exist, even if another object has its name.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`].
    pub fn remove_from<'a>(
        &'a self,
        object: &'a K,
        finalizer: &'a str,
    ) -> RequestFuture<'a, OperationResult, UpdateError>
    where
        P: Listable<K>,
    {
        edit_finalizers(&self.endpoint, object.meta(), P::SPANS_NAMESPACES, FinalizerEdit::Remove(vec![finalizer]))
    }
}

/// A change of the finalizers of an object. The removal succeeds if the object does not exist.
pub(crate) enum FinalizerEdit<'a> {
    Add(Vec<&'a str>),
    Remove(Vec<&'a str>),
}

impl FinalizerEdit<'_> {
    fn apply(&self, object: &mut AnyMetadata) {
        let mut finalizers = object.metadata.finalizers.take().unwrap_or_default();
        match self {
            Self::Add(names) => {
                for name in names {
                    if !finalizers.iter().any(|other| other == name) {
                        finalizers.push((*name).to_owned());
                    }
                }
            }
            Self::Remove(names) => finalizers.retain(|other| !names.contains(&other.as_str())),
        }
        object.metadata.finalizers = (!finalizers.is_empty()).then_some(finalizers);
    }

    fn outcome(
        &self,
        updated: Result<(AnyMetadata, OperationResult), UpdateError>,
    ) -> Result<OperationResult, UpdateError> {
        match (self, updated) {
            (Self::Remove(_), Err(error)) if error.is_not_found() => Ok(OperationResult::Unchanged),
            (_, updated) => Ok(updated?.1),
        }
    }
}

/// Reads an object, and edits its finalizers.
fn update_finalizers<'a>(
    endpoint: &'a Endpoint<AnyMetadata>,
    name: &'a str,
    edit: FinalizerEdit<'a>,
) -> RequestFuture<'a, OperationResult, UpdateError> {
    Box::pin(async move { edit.outcome(endpoint.update(name, None, |object| edit.apply(object)).await) })
}

/// Edits the finalizers of an object that the caller has. The object is read only if necessary.
pub(crate) fn edit_finalizers<'a>(
    endpoint: &'a Endpoint<AnyMetadata>,
    object: &ObjectMeta,
    spans_namespaces: bool,
    edit: FinalizerEdit<'a>,
) -> RequestFuture<'a, OperationResult, UpdateError> {
    let object = object.clone().into_response_partial::<DynamicObject>();
    Box::pin(async move {
        let updated = endpoint.update_from(&object, spans_namespaces, None, |object| edit.apply(object));
        edit.outcome(updated.await)
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::client::mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    };

    const CLEANUP: &str = "example.com/cleanup";

    fn object(finalizers: &[&str]) -> Reply {
        let metadata = json!({ "name": "web", "resourceVersion": "7", "finalizers": finalizers });
        Reply::json(
            200,
            json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata }),
        )
    }

    fn finalizers(mock: &Mock) -> Finalizers<ConfigMap, crate::client::scope::InNamespace> {
        mock.client().resources().namespace("prod").finalizers()
    }

    fn patched(finalizers: Value) -> Value {
        json!({ "metadata": { "resourceVersion": "7", "finalizers": finalizers } })
    }

    #[tokio::test]
    async fn finalizer_is_added_once() {
        let mock = Mock::new([object(&["a"]), object(&[]), object(&["a", CLEANUP])]);
        let finalizers = finalizers(&mock);
        assert_eq!(finalizers.add("web", CLEANUP).await.unwrap(), OperationResult::Updated);
        assert_eq!(mock.sent()[1].body, patched(json!(["a", CLEANUP])));
        assert_eq!(finalizers.add("web", CLEANUP).await.unwrap(), OperationResult::Unchanged);
        assert_eq!(mock.sent().len(), 3);
    }

    #[tokio::test]
    async fn finalizer_is_removed_if_present() {
        let mock = Mock::new([object(&[CLEANUP]), object(&[]), object(&["a"])]);
        let finalizers = finalizers(&mock);
        assert_eq!(finalizers.remove("web", CLEANUP).await.unwrap(), OperationResult::Updated);
        assert_eq!(mock.sent()[1].body, patched(Value::Null));
        assert_eq!(finalizers.remove("web", CLEANUP).await.unwrap(), OperationResult::Unchanged);
    }

    #[tokio::test]
    async fn responses_of_other_types_are_rejected_as_metadata() {
        let with = |finalizers: &[&str]| {
            let metadata = json!({
                "name": "web", "namespace": "prod", "resourceVersion": "7", "finalizers": finalizers,
            });
            json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata })
        };
        for odd in in_place_of(&with(&[])) {
            let odd = || Reply::exactly(200, &odd);
            let right = |finalizers| Reply::exactly(200, &with(finalizers));
            let mock = Mock::new([odd(), right(&[]), odd(), odd(), right(&[CLEANUP]), odd()]);
            let finalizers = finalizers(&mock);
            for outcome in [
                finalizers.add("web", CLEANUP).await,
                finalizers.add("web", CLEANUP).await,
                finalizers.remove("web", CLEANUP).await,
                finalizers.remove("web", CLEANUP).await,
            ] {
                let Err(UpdateError::Request(error)) = outcome else {
                    panic!("{outcome:?}");
                };
                assert_unexpected(&error);
            }
        }
    }

    #[tokio::test]
    async fn missing_object_has_no_finalizers() {
        let mock = Mock::new([Reply::status(404, "NotFound", "web")]);
        let outcome = finalizers(&mock).remove("web", CLEANUP).await;
        assert_eq!(outcome.unwrap(), OperationResult::Unchanged);
    }
}
