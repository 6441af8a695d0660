//! Reviews of the objects of one kind.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use serde::de::DeserializeOwned;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::{
    AdmissionContext, Error, FieldErrors, Operation,
    admission::{Mutator, Validator},
    context::{Notes, Request},
    error::Refusal,
    patch,
    review::{NotAReview, Review, Verdict, decode_object, respond},
};
use crate::client::Object;

/// What answers the reviews that are sent to a path.
pub(super) trait Handler: Send + Sync {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>>;
}

/// Why a review has no response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HandlerError {
    /// The body is no review.
    BadRequest(String),
    /// The webhook failed, with this message for the API server.
    Failed(String),
}

impl From<NotAReview> for HandlerError {
    fn from(error: NotAReview) -> Self {
        Self::BadRequest(error.to_string())
    }
}

/// Validates objects.
pub(super) struct ValidatingHandler<K, T> {
    pub(super) state: Arc<T>,
    pub(super) validators: Arc<[Validator<K, T>]>,
    pub(super) deletion_validators: Arc<[Validator<K, T>]>,
}

/// Changes objects.
pub(super) struct MutatingHandler<K, T> {
    pub(super) state: Arc<T>,
    pub(super) mutators: Arc<[Mutator<K, T>]>,
}

impl<K: Object, T: Send + Sync + 'static> Handler for ValidatingHandler<K, T> {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
        let review = match Review::decode(body) {
            Ok(review) => review,
            Err(error) => return std::future::ready(Err(error.into())).boxed(),
        };
        let (object, validators) = match review.request.operation {
            Operation::Delete => (review.old_object, self.deletion_validators.clone()),
            _ => (review.object, self.validators.clone()),
        };
        let object = decode_required::<K>(object);
        let old = match review.request.operation {
            Operation::Update => review.old_object.and_then(|old| decode_object(old).ok()).map(Arc::new),
            _ => None,
        };
        let (cx, notes) = context(review.request, old, &self.state);
        async move {
            let verdict = match object {
                Ok(object) => validate(&validators, Arc::new(object), &cx).await,
                Err(message) => Verdict::Undecodable(message),
            };
            finish(&cx.request, verdict, &notes)
        }
        .boxed()
    }
}

impl<K: Object, T: Send + Sync + 'static> Handler for MutatingHandler<K, T> {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
        let review = match Review::decode(body) {
            Ok(review) => review,
            Err(error) => return std::future::ready(Err(error.into())).boxed(),
        };
        let is_deletion = review.request.operation == Operation::Delete;
        let object = decode_required::<K>(review.object);
        let original = review.object.map(ToOwned::to_owned);
        let old = review.old_object.and_then(|old| decode_object(old).ok()).map(Arc::new);
        let (cx, notes) = context(review.request, old, &self.state);
        let mutators = self.mutators.clone();
        async move {
            let verdict = match (object, original) {
                // Nothing can be changed.
                _ if is_deletion => Verdict::Allowed(Vec::new()),
                (Ok(object), Some(original)) => mutate(&mutators, object, &original, &cx).await,
                (Ok(_), None) => Verdict::Undecodable("the request has no object".to_owned()),
                (Err(message), _) => Verdict::Undecodable(message),
            };
            finish(&cx.request, verdict, &notes)
        }
        .boxed()
    }
}

fn decode_required<K: DeserializeOwned>(object: Option<&RawValue>) -> Result<K, String> {
    let object = object.ok_or("the request has no object")?;
    decode_object(object).map_err(|error| format!("the object cannot be decoded: {error}"))
}

fn context<K, T>(request: Request, old: Option<Arc<K>>, state: &Arc<T>) -> (AdmissionContext<K, T>, Arc<Mutex<Notes>>) {
    let notes = Arc::<Mutex<Notes>>::default();
    let cx = AdmissionContext { request: Arc::new(request), old, state: state.clone(), notes: notes.clone() };
    (cx, notes)
}

/// Calls all validators, and joins their errors of fields. Any other error ends the validation.
async fn validate<K, T>(validators: &[Validator<K, T>], object: Arc<K>, cx: &AdmissionContext<K, T>) -> Verdict {
    let mut errors = FieldErrors::new();
    for validate in validators {
        match validate(object.clone(), cx.clone()).await.as_ref().map_err(Refusal::of) {
            Ok(()) => {}
            Err(Refusal::Invalid(found)) => errors.append(found),
            Err(refusal) => return Verdict::Refused(refusal),
        }
    }
    match errors.is_empty() {
        true => Verdict::Allowed(Vec::new()),
        false => Verdict::Refused(Refusal::Invalid(errors)),
    }
}

/// Calls all defaulters, one after the other.
async fn mutate<K: Object, T>(
    mutators: &[Mutator<K, T>],
    object: K,
    original: &RawValue,
    cx: &AdmissionContext<K, T>,
) -> Verdict {
    match try_mutate(mutators, object, original, cx).await {
        Ok(operations) => Verdict::Allowed(operations),
        Err(error) => Verdict::Refused(Refusal::of(&error)),
    }
}

async fn try_mutate<K: Object, T>(
    mutators: &[Mutator<K, T>],
    mut object: K,
    original: &RawValue,
    cx: &AdmissionContext<K, T>,
) -> Result<Vec<Value>, Error> {
    let before = to_raw_value(&object).map_err(super::failed)?;
    for mutate in mutators {
        object = mutate(object, cx.clone()).await?;
    }
    let after = to_raw_value(&object).map_err(super::failed)?;
    Ok(patch::of_change(original, &before, &after).map_err(super::failed)?)
}

fn finish(request: &Request, verdict: Verdict, notes: &Mutex<Notes>) -> Result<Vec<u8>, HandlerError> {
    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    respond(request, verdict, &notes).map_err(HandlerError::Failed)
}
