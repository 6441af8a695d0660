use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use k8s_openapi::api::authentication::v1::UserInfo;
use kube_core::GroupVersionKind;
use serde_json::Value;

use crate::crd::admission_registration::Operation;

/// The request that a webhook reviews: who does what, and the state of the webhook.
///
/// `T` is the [state](super::WebhookBuilder::state) that all requests share.
#[doc(alias("AdmissionRequest", "RequestFromContext"))]
pub struct AdmissionContext<K, T = ()> {
    pub(super) request: Arc<Request>,
    pub(super) old: Option<Arc<K>>,
    pub(super) state: Arc<T>,
    pub(super) notes: Arc<Mutex<Notes>>,
}

/// What a review has besides its objects.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) uid: String,
    pub(super) operation: Operation,
    pub(super) kind: GroupVersionKind,
    pub(super) requested_kind: GroupVersionKind,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) subresource: Option<String>,
    pub(super) user: UserInfo,
    pub(super) is_dry_run: bool,
    pub(super) options: Value,
}

/// What a response has besides the result.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) warnings: Vec<String>,
    pub(super) audit_annotations: BTreeMap<String, String>,
}

impl<K, T> AdmissionContext<K, T> {
    /// Returns the state of the webhook.
    pub fn state(&self) -> &T {
        &self.state
    }

    /// Returns the operation. A patch is an update, or a creation if the object did not exist.
    pub fn operation(&self) -> Operation {
        self.request.operation
    }

    /// Returns the object before an update; `None` for other operations, and for one that cannot be decoded if the
    /// [policy](super::UndecodablePolicy) is to pass those.
    pub fn old(&self) -> Option<&Arc<K>> {
        self.old.as_ref()
    }

    /// Returns the user who sent the request, with groups and extra fields.
    pub fn user(&self) -> &UserInfo {
        &self.request.user
    }

    /// Returns the name of the user; empty if there is none.
    pub fn username(&self) -> &str {
        self.request.user.username.as_deref().unwrap_or_default()
    }

    /// Whether the user belongs to a group, such as `system:masters`.
    pub fn is_in_group(&self, group: &str) -> bool {
        self.request.user.groups.iter().flatten().any(|it| it == group)
    }

    /// Returns the name of the object; `None` if the API server will generate it.
    pub fn name(&self) -> Option<&str> {
        self.request.name.as_deref()
    }

    /// Returns the namespace of the object; `None` for a cluster-scoped object. That of a Namespace is itself.
    pub fn namespace(&self) -> Option<&str> {
        self.request.namespace.as_deref()
    }

    /// Returns the subresource, such as `status`; `None` for the object itself.
    pub fn subresource(&self) -> Option<&str> {
        self.request.subresource.as_deref()
    }

    /// Whether nothing will be stored. A webhook with side effects must not have them then.
    pub fn is_dry_run(&self) -> bool {
        self.request.is_dry_run
    }

    /// Returns the group, version and kind of the objects as the webhook receives them.
    pub fn kind(&self) -> &GroupVersionKind {
        &self.request.kind
    }

    /// Returns the group, version and kind in the request of the user, before the API server converted the objects.
    pub fn requested_kind(&self) -> &GroupVersionKind {
        &self.request.requested_kind
    }

    /// Returns the options of the operation, such as `CreateOptions` with `fieldManager`; null if there are none.
    pub fn options(&self) -> &Value {
        &self.request.options
    }

    /// Returns the identifier of the review, which the API server logs too.
    pub fn uid(&self) -> &str {
        &self.request.uid
    }

    /// Adds a warning, which kubectl prints. The request is not denied. Keep it below 120 characters, as Kubernetes recommends.
    pub fn warn(&self, warning: impl Into<String>) {
        self.notes().warnings.push(warning.into());
    }

    /// Adds an annotation to the event in the audit log. The API server puts the name of the webhook before the key.
    pub fn audit_annotation(&self, key: impl Into<String>, value: impl Into<String>) {
        self.notes().audit_annotations.insert(key.into(), value.into());
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the same context without the state.
    pub(super) fn without_state(&self) -> AdmissionContext<K> {
        AdmissionContext {
            request: self.request.clone(),
            old: self.old.clone(),
            state: Arc::default(),
            notes: self.notes.clone(),
        }
    }
}

impl<K, T> Clone for AdmissionContext<K, T> {
    fn clone(&self) -> Self {
        Self {
            request: self.request.clone(),
            old: self.old.clone(),
            state: self.state.clone(),
            notes: self.notes.clone(),
        }
    }
}

impl<K, T> fmt::Debug for AdmissionContext<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdmissionContext").field("request", &self.request).finish_non_exhaustive()
    }
}
