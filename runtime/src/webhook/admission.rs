//! The traits of validators and defaulters, and closures in their place.

use std::{future::Future, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};

use super::{AdmissionContext, Error, running::run_blocking};
use crate::client::sealed::Sealed;

/// Validates the objects of a kind when they are created and updated.
///
/// It is implemented for a type of the program, whose fields are the state of the validator. One type can validate several kinds,
/// also Kubernetes' own. Rules that CEL can express are better declared in the derive: the API server checks them without a webhook,
/// and before it calls one.
///
/// ```
/// use crdkit::webhook::{AdmissionContext, Error, FieldErrors, Validate};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct NoSecrets {
///     words: Vec<String>,
/// }
///
/// impl Validate<ConfigMap> for NoSecrets {
///     async fn validate_create(&self, map: &ConfigMap, cx: &AdmissionContext<ConfigMap>) -> Result<(), Error> {
///         let mut errors = FieldErrors::new();
///         for key in map.data.iter().flatten().map(|(key, _)| key) {
///             if self.words.contains(key) {
///                 errors.forbidden(&crdkit::webhook::FieldPath::new("data").key(key), "belongs in a Secret");
///             }
///         }
///         if map.immutable != Some(true) {
///             cx.warn("the map can change while Pods use it");
///         }
///         Ok(errors.into_result()?)
///     }
/// }
/// ```
#[doc(alias("CustomValidator", "Validator", "ValidateCreate", "ValidateUpdate"))]
pub trait Validate<K>: Send + Sync + 'static {
    /// Validates an object that is created.
    ///
    /// # Errors
    ///
    /// [`FieldErrors`](super::FieldErrors) or [`deny`](super::deny) to deny the request. Any other error denies it too, unless it is
    /// marked as [`failed`](super::failed).
    fn validate_create(&self, object: &K, cx: &AdmissionContext<K>) -> impl Future<Output = Result<(), Error>> + Send;

    /// Validates an object that is updated: by default as one that is created.
    ///
    /// If the old object cannot be decoded as `K`, the [policy](super::UndecodablePolicy) decides. Updates that only remove finalizers
    /// of an object that is being deleted [are not validated](super::WebhookBuilder::review_finalizer_removals).
    ///
    /// # Errors
    ///
    /// As [`validate_create`](Self::validate_create).
    fn validate_update(
        &self,
        object: &K,
        old: &K,
        cx: &AdmissionContext<K>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = old;
        self.validate_create(object, cx)
    }
}

/// Validates the deletion of the objects of a kind.
///
/// It is a trait of its own, because a webhook that is called for deletions prevents them while it is down, unless its [failure
/// policy](super::WebhookBuilder::failure_policy) is `Ignore`.
#[doc(alias("ValidateDelete"))]
pub trait ValidateDeletion<K>: Send + Sync + 'static {
    /// Validates the deletion of an object.
    ///
    /// # Errors
    ///
    /// As [`Validate::validate_create`].
    fn validate_delete(&self, object: &K, cx: &AdmissionContext<K>) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Changes the objects of a kind before they are created and updated, such as to set defaults.
///
/// Defaults that a schema can express are better declared there: the API server sets them without a webhook. What is sent to the API
/// server is a JSON patch with the differences, so that fields that `K` does not declare remain.
///
/// The API server can call it more than once for a request: a change must be idempotent.
///
/// ```
/// use crdkit::webhook::{AdmissionContext, Error, Mutate};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct Label;
///
/// impl Mutate<ConfigMap> for Label {
///     async fn mutate(&self, map: &mut ConfigMap, _: &AdmissionContext<ConfigMap>) -> Result<(), Error> {
///         let labels = map.metadata.labels.get_or_insert_default();
///         labels.entry("team".into()).or_insert("none".into());
///         Ok(())
///     }
/// }
/// ```
#[doc(alias("Default", "CustomDefaulter", "Defaulter"))]
pub trait Mutate<K>: Send + Sync + 'static {
    /// Changes an object.
    ///
    /// # Errors
    ///
    /// As [`Validate::validate_create`].
    fn mutate(&self, object: &mut K, cx: &AdmissionContext<K>) -> impl Future<Output = Result<(), Error>> + Send;
}

/// What a function for [`WebhookBuilder::mutate`](super::WebhookBuilder::mutate) returns: nothing or a result.
pub trait MutateOutput: Sealed {
    #[doc(hidden)]
    fn into_result(self) -> Result<(), Error>;
}

impl MutateOutput for () {
    fn into_result(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<E: Into<Error>> MutateOutput for Result<(), E> {
    fn into_result(self) -> Result<(), Error> {
        self.map_err(Into::into)
    }
}

/// A validator of any form.
pub(super) type Validator<K, T> =
    Arc<dyn Fn(Arc<K>, AdmissionContext<K, T>) -> BoxFuture<'static, Result<(), Error>> + Send + Sync>;

/// A defaulter of any form, which returns the object.
pub(super) type Mutator<K, T> =
    Arc<dyn Fn(K, AdmissionContext<K, T>) -> BoxFuture<'static, Result<K, Error>> + Send + Sync>;

pub(super) fn validator<K, T, F, R, E>(validate: F) -> Validator<K, T>
where
    F: Fn(Arc<K>, AdmissionContext<K, T>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<Error>,
{
    Arc::new(move |object, cx| {
        let validated = validate(object, cx);
        async { validated.await.map_err(Into::into) }.boxed()
    })
}

pub(super) fn validator_of<K, T, V>(validator: V) -> Validator<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
    V: Validate<K>,
{
    let validator = Arc::new(validator);
    Arc::new(move |object, cx| {
        let (validator, cx) = (validator.clone(), cx.without_state());
        async move {
            match cx.old() {
                Some(old) => validator.validate_update(&object, old, &cx).await,
                None => validator.validate_create(&object, &cx).await,
            }
        }
        .boxed()
    })
}

pub(super) fn deletion_validator_of<K, T, V>(validator: V) -> Validator<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
    V: ValidateDeletion<K>,
{
    let validator = Arc::new(validator);
    Arc::new(move |object, cx| {
        let (validator, cx) = (validator.clone(), cx.without_state());
        async move { validator.validate_delete(&object, &cx).await }.boxed()
    })
}

/// The function may compute or wait for long, so that it runs on a thread for blocking work.
pub(super) fn mutator<K, T, F, O>(mutate: F) -> Mutator<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
    F: Fn(&mut K, &AdmissionContext<K, T>) -> O + Send + Sync + 'static,
    O: MutateOutput,
{
    let mutate = Arc::new(mutate);
    Arc::new(move |mut object, cx| {
        let mutate = mutate.clone();
        run_blocking(move || mutate(&mut object, &cx).into_result().map(|()| object)).boxed()
    })
}

pub(super) fn mutator_of<K, T, M>(mutator: M) -> Mutator<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
    M: Mutate<K>,
{
    let mutator = Arc::new(mutator);
    Arc::new(move |mut object, cx| {
        let (mutator, cx) = (mutator.clone(), cx.without_state());
        async move {
            mutator.mutate(&mut object, &cx).await?;
            Ok(object)
        }
        .boxed()
    })
}
