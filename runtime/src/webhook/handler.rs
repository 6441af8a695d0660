//! Reviews of the objects of one kind.

use std::{
    future::ready,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
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
    policy::{Decision, Objects, ReviewPolicy},
    review::{NotAReview, Verdict, respond},
};
use crate::{client::Object, json::json_value::check_finite};

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
    pub(super) policy: ReviewPolicy,
    pub(super) state: Arc<T>,
    pub(super) validators: Arc<[Validator<K, T>]>,
    pub(super) deletion_validators: Arc<[Validator<K, T>]>,
}

/// Changes objects.
pub(super) struct MutatingHandler<K, T> {
    pub(super) policy: ReviewPolicy,
    pub(super) state: Arc<T>,
    pub(super) mutators: Arc<[Mutator<K, T>]>,
}

impl<K: Object, T: Send + Sync + 'static> Handler for ValidatingHandler<K, T> {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
        let review = match self.policy.decode(body) {
            Ok(review) if self.policy.needs_no_call(&review) => return decided(&review.request, Decision::allowed()),
            Ok(review) => review,
            Err(error) => return ready(Err(error.into())).boxed(),
        };
        let Objects { object, old } = match self.policy.objects::<K>(&review) {
            Ok(objects) => objects,
            Err(decision) => return decided(&review.request, decision),
        };
        let validators = match review.request.operation {
            Operation::Delete => self.deletion_validators.clone(),
            _ => self.validators.clone(),
        };
        let (cx, notes) = context(review.request, old, &self.state);
        async move {
            let verdict = validate(&validators, Arc::new(object), &cx).await;
            finish(&cx.request, verdict, &notes)
        }
        .boxed()
    }
}

impl<K: Object, T: Send + Sync + 'static> Handler for MutatingHandler<K, T> {
    fn review(&self, body: &Bytes) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
        let review = match self.policy.decode(body) {
            // Nothing can be changed when an object is deleted.
            Ok(review) if review.request.operation == Operation::Delete || self.policy.needs_no_call(&review) => {
                return decided(&review.request, Decision::allowed());
            }
            Ok(review) => review,
            Err(error) => return ready(Err(error.into())).boxed(),
        };
        let Objects { object, old } = match self.policy.objects::<K>(&review) {
            Ok(objects) => objects,
            Err(decision) => return decided(&review.request, decision),
        };
        // Without an object, there would be none that is decoded.
        let original = review.object.map(ToOwned::to_owned).unwrap_or_default();
        let (cx, notes) = context(review.request, old, &self.state);
        let mutators = self.mutators.clone();
        async move {
            let verdict = mutate(&mutators, object, &original, &cx).await;
            finish(&cx.request, verdict, &notes)
        }
        .boxed()
    }
}

/// Responds without a call of a function.
fn decided(request: &Request, decision: Decision) -> BoxFuture<'static, Result<Vec<u8>, HandlerError>> {
    let notes = Notes { warnings: Vec::from_iter(decision.warning), ..Notes::default() };
    ready(respond(request, decision.verdict, &notes).map_err(HandlerError::Failed)).boxed()
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
    if errors.is_empty() { Verdict::Allowed(Vec::new()) } else { Verdict::Refused(Refusal::Invalid(errors)) }
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
    check_finite(&object).map_err(super::failed)?;
    let after = to_raw_value(&object).map_err(super::failed)?;
    Ok(patch::of_change(original, &before, &after).map_err(super::failed)?)
}

fn finish(request: &Request, verdict: Verdict, notes: &Mutex<Notes>) -> Result<Vec<u8>, HandlerError> {
    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    respond(request, verdict, &notes).map_err(HandlerError::Failed)
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::{CustomResource, KubeSchema, webhook::Webhook};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Gauge")]
    struct GaugeSpec {
        ratio: Option<f64>,
    }

    #[tokio::test]
    async fn a_defaulter_that_sets_no_number_fails() {
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "u", "operation": "CREATE", "kind": { "group": "example.com", "version": "v1", "kind": "Gauge" },
                "object": { "apiVersion": "example.com/v1", "kind": "Gauge", "metadata": {}, "spec": { "ratio": 1.0 } },
            },
        });
        let body = Bytes::from(review.to_string());
        for (ratio, expected) in [
            (0.5, None),
            (f64::NAN, Some("a number is NaN or infinite, which JSON does not have: `spec.ratio`".to_owned())),
        ] {
            let webhook = Webhook::of::<Gauge>().mutate(move |gauge, _| gauge.spec.ratio = Some(ratio));
            let handler = Webhook::from(webhook).mutation.unwrap().handler;
            assert_eq!(handler.review(&body).await.err(), expected.map(HandlerError::Failed));
        }
    }
}
