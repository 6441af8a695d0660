//! Keeps objects from going away before somebody has cleaned up.

use std::marker::PhantomData;

use kube_core::PartialObjectMeta;

use super::{
    endpoint::Endpoint,
    error::UpdateError,
    pending::Pending,
    place::OneObject,
    resources::{Object, Resources},
    update::Outcome,
};

impl<K: Object, P> Resources<K, P> {
    /// The finalizers of the objects.
    pub fn finalizers(&self) -> Finalizers<K, P> {
        Finalizers {
            endpoint: self.endpoint.metadata(),
            place: PhantomData,
        }
    }
}

/// The finalizers of the objects of one kind in one place.
///
/// An object that is deleted stays, with a `metadata.deletionTimestamp`, until it has none left.
#[doc(alias("AddFinalizer", "RemoveFinalizer"))]
pub struct Finalizers<K: Object, P> {
    endpoint: Endpoint<PartialObjectMeta<K>>,
    place: PhantomData<P>,
}

impl<K: Object, P> Finalizers<K, P> {
    /// Adds a finalizer such as `infra.example.com/cleanup`, and says whether it was missing.
    ///
    /// # Errors
    ///
    /// As for [`Resources::update`]; of an object that is being deleted the API server takes no more.
    pub fn add<'a>(&'a self, name: &'a str, finalizer: &'a str) -> Pending<'a, Outcome, UpdateError>
    where
        P: OneObject<K>,
    {
        let add = move |finalizers: &mut Vec<String>| {
            if !finalizers.iter().any(|other| other == finalizer) {
                finalizers.push(finalizer.to_owned());
            }
        };
        Box::pin(edit(&self.endpoint, name, add))
    }

    /// Removes a finalizer, and says whether it was there. Of an object that is gone all are removed.
    ///
    /// # Errors
    ///
    /// As for [`Resources::update`].
    pub fn remove<'a>(
        &'a self,
        name: &'a str,
        finalizer: &'a str,
    ) -> Pending<'a, Outcome, UpdateError>
    where
        P: OneObject<K>,
    {
        let remove =
            move |finalizers: &mut Vec<String>| finalizers.retain(|other| other != finalizer);
        let removed = edit(&self.endpoint, name, remove);
        Box::pin(async {
            match removed.await {
                Err(error) if error.is_not_found() => Ok(Outcome::Unchanged),
                outcome => outcome,
            }
        })
    }
}

async fn edit<K: Object>(
    endpoint: &Endpoint<PartialObjectMeta<K>>,
    name: &str,
    edit: impl Fn(&mut Vec<String>),
) -> Result<Outcome, UpdateError> {
    let edit = |object: &mut PartialObjectMeta<K>| {
        let mut finalizers = object.metadata.finalizers.take().unwrap_or_default();
        edit(&mut finalizers);
        object.metadata.finalizers = (!finalizers.is_empty()).then_some(finalizers);
    };
    let (_, outcome) = endpoint.update(name, None, edit).await?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::client::mock::{
        Mock, Reply,
        wrong::{assert_unexpected, in_place_of},
    };

    const CLEANUP: &str = "example.com/cleanup";

    fn object(finalizers: &[&str]) -> Reply {
        let metadata = json!({ "name": "web", "resourceVersion": "7", "finalizers": finalizers });
        Reply::json(
            200,
            json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata }),
        )
    }

    fn finalizers(mock: &Mock) -> Finalizers<ConfigMap, crate::client::place::InNamespace> {
        mock.client().resources().namespace("prod").finalizers()
    }

    fn patched(finalizers: Value) -> Value {
        json!({ "metadata": { "resourceVersion": "7", "finalizers": finalizers } })
    }

    #[tokio::test]
    async fn a_finalizer_is_added_once() {
        let mock = Mock::new([object(&["a"]), object(&[]), object(&["a", CLEANUP])]);
        let finalizers = finalizers(&mock);
        assert_eq!(
            finalizers.add("web", CLEANUP).await.unwrap(),
            Outcome::Updated
        );
        assert_eq!(mock.sent()[1].body, patched(json!(["a", CLEANUP])));
        assert_eq!(
            finalizers.add("web", CLEANUP).await.unwrap(),
            Outcome::Unchanged
        );
        assert_eq!(mock.sent().len(), 3);
    }

    #[tokio::test]
    async fn a_finalizer_is_removed_if_it_is_there() {
        let mock = Mock::new([object(&[CLEANUP]), object(&[]), object(&["a"])]);
        let finalizers = finalizers(&mock);
        assert_eq!(
            finalizers.remove("web", CLEANUP).await.unwrap(),
            Outcome::Updated
        );
        assert_eq!(mock.sent()[1].body, patched(Value::Null));
        assert_eq!(
            finalizers.remove("web", CLEANUP).await.unwrap(),
            Outcome::Unchanged
        );
    }

    #[tokio::test]
    async fn answers_of_something_else_are_no_metadata() {
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
    async fn what_is_gone_has_no_finalizers() {
        let mock = Mock::new([Reply::status(404, "NotFound", "web")]);
        let outcome = finalizers(&mock).remove("web", CLEANUP).await;
        assert_eq!(outcome.unwrap(), Outcome::Unchanged);
    }
}
