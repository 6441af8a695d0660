//! Updates objects that the caller already has, and reads them only if necessary.

use futures_util::TryFutureExt;
use kube_core::ObjectMeta;

use super::{
    Mutation, ObjectPart, OperationResult, UpdateAttempts,
    change::{self, ObjectPatch},
};
use crate::client::{
    endpoint::Endpoint,
    error::{Error, UpdateError},
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::Listable,
};

impl<K: Object, P> Resources<K, P> {
    /// Changes an object that you already have, for example from a lister, and returns the stored object.
    ///
    /// `edit` changes a copy of the object. If that changes nothing, nothing is sent, and the copy is returned.
    /// Otherwise only the difference is sent, with the precondition that the stored object is still at the same
    /// version. If it has changed since, for example because a cache is out of date, the object is read, and the
    /// operation is repeated with the newer one, as in [`update`](Self::update). So `edit` may run several times.
    ///
    /// | | requests |
    /// |---|---|
    /// | nothing changes | none |
    /// | something changes | 1 |
    /// | the given object is out of date | 3, or 2 if the newer one needs no change |
    ///
    /// A list is always sent as a whole. If a list of objects changes, such as conditions, the precondition includes
    /// that the stored list equals the given one, because its items may have fields that `K` does not declare, or that
    /// an informer's transform has removed. If the lists differ, or have null items, which API servers cannot compare,
    /// the object is read, and these fields are preserved. A
    /// list of scalar values, such as finalizers, is assumed to be complete.
    ///
    /// The namespace is the object's `metadata.namespace`: a handle to [all namespaces](Self::all_namespaces) accepts
    /// objects of every namespace, a handle to one namespace only its own.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use std::sync::Arc;
    /// # async fn example(client: crdkit::Client, config: Arc<ConfigMap>) -> Result<(), crdkit::client::UpdateError> {
    /// let configs = client.resources::<ConfigMap>().all_namespaces();
    /// configs
    ///     .update_from(&config, |config| {
    ///         config.data.get_or_insert_default().insert("size".into(), "2".into());
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`update`](Self::update). [`Error::MissingName`], [`Error::MissingMetadata`] or [`Error::NamespaceMismatch`]
    /// if the object was not read from the API server or is not in the scope of the handle. [`Error::Recreated`] if it
    /// was deleted and another object has its name, which is not changed.
    pub fn update_from<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a K,
        edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: Listable<K>,
    {
        let updated = self.endpoint.update_from(object, P::SPANS_NAMESPACES, None, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }
}

impl<K: Object> Endpoint<K> {
    /// `spans_namespaces` is whether the scope spans more than one namespace.
    pub(crate) async fn update_from<C: Mutation>(
        &self,
        object: &K,
        spans_namespaces: bool,
        subresource: Option<&'static str>,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let name = self.name_of(Verb::Update, object)?;
        let mut part = ObjectPart { name, uid: None, subresource };
        let endpoint = self.in_namespace_of(&part.patch(), object.meta(), spans_namespaces)?;
        part.uid = Some(endpoint.uid_of(&part.patch(), object.meta())?);
        endpoint.update_given(part, object, &mut edit).await
    }

    async fn update_given<C: Mutation>(
        &self,
        part: ObjectPart<'_>,
        object: &K,
        edit: &mut impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let mut tries = UpdateAttempts::new(self);
        let edited = self.apply_edit(&part.patch(), object.clone(), &mut *edit)?;
        let (patch, may_not_apply) = match change::of_declared(&edited.before, &edited.after) {
            ObjectPatch::Nothing => return Ok((edited.object, OperationResult::Unchanged)),
            ObjectPatch::ReadFirst => return self.read_and_update(part, edit, tries).await,
            ObjectPatch::Patch { patch, may_not_apply } => (patch, may_not_apply),
        };
        match self.write(part, &edited.before, &patch).await {
            Ok(updated) => return Ok(updated),
            // The stored list differs from the given one; or the change violates the schema, which the next attempt
            // reports.
            Err(Error::Invalid(_)) if may_not_apply => {}
            Err(error) => tries.wait_before_retry(error).await?,
        }
        self.read_and_update(part, edit, tries).await
    }

    /// Returns the endpoint for the namespace of an object.
    pub(in crate::client) fn in_namespace_of(
        &self,
        request: &Request<'_>,
        object: &ObjectMeta,
        spans_namespaces: bool,
    ) -> Result<Self, Error> {
        let namespace = non_empty(&object.namespace);
        match (self.namespace(), namespace) {
            (None, None) if spans_namespaces => Err(self.missing_metadata(request, "metadata.namespace")),
            (None, Some(_)) if spans_namespaces => Ok(self.at(namespace)),
            (own, Some(other)) if own != Some(other) => Err(Error::NamespaceMismatch {
                operation: Box::new(self.operation(request)),
                namespace: other.to_owned(),
            }),
            _ => Ok(self.clone()),
        }
    }

    /// Returns the uid of an object that was read from the API server.
    pub(in crate::client) fn uid_of<'a>(
        &self,
        request: &Request<'_>,
        object: &'a ObjectMeta,
    ) -> Result<&'a str, Error> {
        if non_empty(&object.resource_version).is_none() {
            return Err(self.missing_metadata(request, "metadata.resourceVersion"));
        }
        non_empty(&object.uid).ok_or_else(|| self.missing_metadata(request, "metadata.uid"))
    }

    fn missing_metadata(&self, request: &Request<'_>, missing: &'static str) -> Error {
        Error::MissingMetadata { operation: Box::new(self.operation(request)), missing }
    }
}

fn non_empty(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
