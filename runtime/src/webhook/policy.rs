//! What is decided about a review before, or without, the functions of the webhook.

use std::{borrow::Cow, sync::Arc};

use kube_core::GroupVersionKind;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    Operation,
    error::Refusal,
    review::{NotAReview, Review, Verdict, decode_object},
};
use crate::{client::response_kind::Types, json::raw_object::RawObject};

/// What happens to a stored object that cannot be decoded as the kind of the webhook, for example because an older program stored it
/// with a schema that was wider: when it is deleted, when only its metadata changes, and when an update repairs it.
///
/// An object that cannot be decoded and that a request creates, or whose other fields it changes, is denied in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UndecodablePolicy {
    /// The webhook fails, so that its [failure policy](super::WebhookBuilder::failure_policy) decides.
    #[default]
    FailurePolicy,
    /// Deletions and changes of metadata are allowed with a warning, without a call. A repaired object is reviewed as one that is
    /// created: [`AdmissionContext::old`](super::AdmissionContext::old) is `None`, so that rules about changes do not apply.
    Pass,
}

/// How a webhook treats reviews that its functions need not or cannot see.
#[derive(Clone, Debug)]
pub(super) struct ReviewPolicy {
    pub(super) kind: GroupVersionKind,
    pub(super) undecodable: UndecodablePolicy,
    pub(super) reviews_finalizer_removals: bool,
}

/// The objects that the functions are called with.
pub(super) struct Objects<K> {
    pub(super) object: K,
    pub(super) old: Option<Arc<K>>,
}

/// A verdict without a call, and a warning for the user.
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) warning: Option<String>,
}

impl Decision {
    pub(super) fn allowed() -> Self {
        Self { verdict: Verdict::Allowed(Vec::new()), warning: None }
    }
}

impl ReviewPolicy {
    /// Decodes a review.
    ///
    /// # Errors
    ///
    /// If it is no review of the kind of the webhook, which an API server with a correct configuration never sends.
    pub(super) fn decode<'a>(&self, body: &'a [u8]) -> Result<Review<'a>, NotAReview> {
        let review = Review::decode(body)?;
        self.check_kind(&review.request.kind)?;
        for object in [review.object, review.old_object].into_iter().flatten() {
            let types = Types::read(object.get()).unwrap_or_default();
            self.check_types(&types)?;
        }
        Ok(review)
    }

    fn check_kind(&self, found: &GroupVersionKind) -> Result<(), NotAReview> {
        if *found == self.kind {
            return Ok(());
        }
        Err(self.other_kind("the review", format!("{} of {}", found.kind, found.api_version())))
    }

    fn check_types(&self, found: &Types<'_>) -> Result<(), NotAReview> {
        // An API server always sends both. An object without them is of no other kind: it need only be decoded.
        let expected = self.kind.api_version();
        let (api_version, kind) = (found.api_version().unwrap_or(&expected), found.kind().unwrap_or(&self.kind.kind));
        if api_version == expected && kind == self.kind.kind {
            return Ok(());
        }
        Err(self.other_kind("the object", format!("{kind} of {api_version}")))
    }

    fn other_kind(&self, part: &'static str, found: String) -> NotAReview {
        let expected = format!("{} of {}", self.kind.kind, self.kind.api_version());
        NotAReview::NotOfTheKind { part, found, expected }
    }

    /// Whether the review is allowed without a call: a validator that needs another object, which may be gone, would keep the object
    /// for ever, and an object that is being deleted needs no defaults.
    pub(super) fn needs_no_call(&self, review: &Review<'_>) -> bool {
        let request = &review.request;
        !self.reviews_finalizer_removals
            && request.operation == Operation::Update
            && request.subresource.is_none()
            && only_removes_finalizers(review).is_some_and(|only| only)
    }

    /// Decodes the objects of a review.
    pub(super) fn objects<K: DeserializeOwned>(&self, review: &Review<'_>) -> Result<Objects<K>, Decision> {
        let operation = review.request.operation;
        let object = match operation {
            Operation::Delete => review.old_object,
            _ => review.object,
        };
        let object = match decode(object, "object") {
            Ok(object) => object,
            Err(error) if operation == Operation::Delete || keeps_all_but_metadata(review) => {
                return Err(self.undecodable(error));
            }
            Err(error) => return Err(Decision { verdict: Verdict::Undecodable(error), warning: None }),
        };
        if operation != Operation::Update {
            return Ok(Objects { object, old: None });
        }
        match (decode(review.old_object, "old object"), self.undecodable) {
            (Ok(old), _) => Ok(Objects { object, old: Some(Arc::new(old)) }),
            (Err(_), UndecodablePolicy::Pass) => Ok(Objects { object, old: None }),
            (Err(error), UndecodablePolicy::FailurePolicy) => Err(self.undecodable(error)),
        }
    }

    fn undecodable(&self, error: String) -> Decision {
        match self.undecodable {
            UndecodablePolicy::FailurePolicy => {
                Decision { verdict: Verdict::Refused(Refusal::Failed(error)), warning: None }
            }
            UndecodablePolicy::Pass => {
                let warning = format!("not reviewed: {error}");
                Decision { verdict: Verdict::Allowed(Vec::new()), warning: Some(warning) }
            }
        }
    }
}

fn decode<K: DeserializeOwned>(object: Option<&RawValue>, name: &str) -> Result<K, String> {
    let object = object.ok_or_else(|| format!("the request has no {name}"))?;
    decode_object(object).map_err(|error| format!("the {name} cannot be decoded: {error}"))
}

/// Whether an update keeps all fields but the metadata.
fn keeps_all_but_metadata(review: &Review<'_>) -> bool {
    let (Some(object), Some(old)) = (review.object.and_then(RawObject::of), review.old_object.and_then(RawObject::of))
    else {
        return false;
    };
    has_equal_members(&object, &old, &["metadata"])
}

/// Whether an update of an object that is being deleted only removes finalizers; `None` if there are not both objects.
fn only_removes_finalizers(review: &Review<'_>) -> Option<bool> {
    // What the API server changes in each update.
    const MAINTAINED: [&str; 3] = ["finalizers", "managedFields", "resourceVersion"];
    let [object, old] = [review.object?, review.old_object?].map(RawObject::of);
    let (object, old) = (object?, old?);
    let [metadata, old_metadata] = [&object, &old].map(|it| it.0.get("metadata").copied().and_then(RawObject::of));
    let (metadata, old_metadata) = (metadata?, old_metadata?);
    old_metadata.text("deletionTimestamp")?;
    let (left, before) = (finalizers(&metadata)?, finalizers(&old_metadata)?);
    let removes = left.len() < before.len() && left.iter().all(|name| before.contains(name));
    let keeps_all_else =
        has_equal_members(&object, &old, &["metadata"]) && has_equal_members(&metadata, &old_metadata, &MAINTAINED);
    Some(removes && keeps_all_else)
}

fn finalizers(metadata: &RawObject<'_>) -> Option<Vec<String>> {
    match metadata.0.get("finalizers") {
        Some(list) => serde_json::from_str::<Option<_>>(list.get()).ok().map(Option::unwrap_or_default),
        None => Some(Vec::new()),
    }
}

/// Whether two objects have the same members, apart from some. The API server writes equal values alike.
fn has_equal_members(a: &RawObject<'_>, b: &RawObject<'_>, except: &[&str]) -> bool {
    let kept = |object: &'_ RawObject<'_>| object.0.keys().filter(|name| !except.contains(&&***name)).count();
    let is_equal = |(name, value): (&Cow<'_, str>, &&RawValue)| {
        except.contains(&&**name) || b.0.get(name).is_some_and(|other| other.get() == value.get())
    };
    kept(a) == kept(b) && a.0.iter().all(is_equal)
}

#[cfg(test)]
mod tests;
