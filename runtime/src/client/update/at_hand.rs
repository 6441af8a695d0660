//! Changes an object that is at hand, such as one of a lister, and reads it only where that cannot be helped.

use std::iter;

use futures_util::TryFutureExt;
use kube_core::ObjectMeta;
use serde_json::{Value, json};

use super::{Attempts, Mutation, ObjectPart, OperationResult, for_this_version};
use crate::client::{
    endpoint::Endpoint,
    error::{Error, UpdateError},
    json_patch, merge_patch,
    patch::Patch,
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::Listable,
};

impl<K: Object, P> Resources<K, P> {
    /// Changes an object that is at hand, such as one of an informer's lister, and returns it as the API server keeps it.
    ///
    /// `edit` changes a copy of the object. If that changes nothing, nothing is sent, and the copy is returned. Otherwise what
    /// changed is sent and no more than that, on condition that nobody has changed the object since. If somebody has, as
    /// when a cache is behind, the object is read, and all is done again with the newer one, as [`update`](Self::update)
    /// does it: `edit` may run several times.
    ///
    /// | | requests |
    /// |---|---|
    /// | nothing changes | none |
    /// | something changes | 1 |
    /// | the object at hand is out of date | 3, or 2 if the newer one needs no change |
    ///
    /// A list is always sent as a whole. If one of objects changes, such as conditions, it is sent on condition that the
    /// API server has it as it is at hand: its items may have fields that `K` does not know, or that an informer's
    /// transform has taken away. If so, the object is read, too, and these stay. A list of plain values, such as
    /// finalizers, is taken to be whole.
    ///
    /// The object is found in its `metadata.namespace`: a handle to [all namespaces](Self::all_namespaces) takes
    /// objects of each, one to a namespace takes those that are in it.
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
    /// As for [`update`](Self::update), and [`Error::Nameless`], [`Error::NeverRead`] or [`Error::OtherNamespace`] if the
    /// object is none of the handle's that was read from the API server. [`Error::Recreated`] if it is gone and another
    /// one has its name, which is not changed.
    pub fn update_from<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a K,
        edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: Listable<K>,
    {
        let updated = self
            .endpoint
            .update_from(object, P::OF_MANY_NAMESPACES, None, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }
}

impl<K: Object> Endpoint<K> {
    /// `of_many` says whether the place has objects of more than one namespace.
    pub(crate) async fn update_from<C: Mutation>(
        &self,
        object: &K,
        of_many: bool,
        subresource: Option<&'static str>,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let name = self.name_of(object)?;
        let mut part = ObjectPart {
            name,
            uid: None,
            subresource,
        };
        let endpoint = self.beside(&part, object.meta(), of_many)?;
        part.uid = Some(endpoint.uid_of(&part, object.meta())?);
        endpoint.update_at_hand(part, object, &mut edit).await
    }

    async fn update_at_hand<C: Mutation>(
        &self,
        part: ObjectPart<'_>,
        object: &K,
        edit: &mut impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let mut tries = Attempts::new(self);
        let edited = self.edited(&part.patch(), object.clone(), &mut *edit)?;
        let Some(patch) = for_this_version(&edited.before, &edited.after) else {
            return Ok((edited.object, OperationResult::Unchanged));
        };
        let replaces_objects = merge_patch::replaces_objects(&edited.before, &patch);
        let patch = match replaces_objects {
            true => operations(&edited.before, &edited.after),
            false => Patch::of_object(patch),
        };
        match self.write(part, &edited.before, &patch).await {
            Ok(updated) => return Ok(updated),
            // A list is not as it is at hand; or the change is against the schema, which shows when it is made again.
            Err(Error::Invalid(_)) if replaces_objects => {}
            Err(error) => tries.again_after(error).await?,
        }
        self.read_and_update(part, edit, tries).await
    }

    /// The endpoint of the namespace that an object is in.
    fn beside(
        &self,
        part: &ObjectPart<'_>,
        object: &ObjectMeta,
        of_many: bool,
    ) -> Result<Self, Error> {
        let namespace = given(&object.namespace);
        match (self.namespace(), namespace) {
            (None, None) if of_many => Err(self.never_read(part, "metadata.namespace")),
            (None, Some(_)) if of_many => Ok(self.at(namespace)),
            (own, Some(other)) if own != Some(other) => Err(Error::OtherNamespace {
                operation: Box::new(self.operation(&part.patch())),
                namespace: other.to_owned(),
            }),
            _ => Ok(self.clone()),
        }
    }

    /// The uid of an object that was read from the API server.
    fn uid_of<'a>(&self, part: &ObjectPart<'_>, object: &'a ObjectMeta) -> Result<&'a str, Error> {
        if given(&object.resource_version).is_none() {
            return Err(self.never_read(part, "metadata.resourceVersion"));
        }
        given(&object.uid).ok_or_else(|| self.never_read(part, "metadata.uid"))
    }

    fn never_read(&self, part: &ObjectPart<'_>, missing: &'static str) -> Error {
        Error::NeverRead {
            operation: Box::new(self.operation(&part.patch())),
            missing,
        }
    }
}

/// The patch of a change that holds for the version at hand only, and for lists that are as they are at hand.
fn operations(before: &Value, after: &Value) -> Patch {
    let version = &before["metadata"]["resourceVersion"];
    let condition =
        json!({ "op": "replace", "path": "/metadata/resourceVersion", "value": version });
    let changes = json_patch::between(before, after);
    Patch::json(Vec::from_iter(iter::once(condition).chain(changes)))
}

fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
