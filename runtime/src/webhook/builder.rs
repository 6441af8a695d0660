use std::{fmt, future::Future, sync::Arc};

use k8s_openapi::{
    api::{admissionregistration::v1::MatchCondition, autoscaling::v1::Scale},
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube_core::Resource;

use super::{
    AdmissionContext, Error, FailurePolicy, MatchPolicy, Mutate, MutateOutput, Operation, ReinvocationPolicy,
    SideEffects, UndecodablePolicy, Validate, ValidateDeletion, WebhookName,
    admission::{Mutator, Validator, deletion_validator_of, mutator, mutator_of, validator, validator_of},
    handler::{Handler, MutatingHandler, ValidatingHandler},
    policy::ReviewPolicy,
    settings::{Settings, Timeout, ValidTimeout},
    target::ReviewedResource,
};
use crate::{
    client::{Object, scope::KubeScope},
    resource::subresource::{ScaleSubresource, StatusSubresource},
};

/// Validation and defaulting of a kind, for [`Webhooks::add`](super::Webhooks::add).
///
/// [`Webhook::of`] builds one.
#[derive(Clone)]
pub struct Webhook {
    pub(super) target: ReviewedResource,
    pub(super) settings: Settings,
    pub(super) validation: Option<Admission>,
    pub(super) mutation: Option<Admission>,
}

/// A handler, and the operations that it is called for.
#[derive(Clone)]
pub(super) struct Admission {
    pub(super) handler: Arc<dyn Handler>,
    pub(super) operations: Vec<Operation>,
}

impl Webhook {
    /// Builds a webhook for the objects of a kind.
    pub fn of<K>() -> WebhookBuilder<K>
    where
        K: Object + Resource<DynamicType = (), Scope: KubeScope<K>>,
    {
        WebhookBuilder::new(ReviewedResource::of::<K>(None))
    }

    /// Builds a webhook for the status of the objects of a kind: it is called with the whole objects when their status is updated.
    pub fn status_of<K>() -> WebhookBuilder<K>
    where
        K: Object + Resource<DynamicType = (), Scope: KubeScope<K>> + StatusSubresource,
    {
        WebhookBuilder::new(ReviewedResource::of::<K>(Some("status"))).updates()
    }

    /// Builds a webhook for the scale of the objects of a kind, which `kubectl scale` and autoscalers update.
    pub fn scale_of<K>() -> WebhookBuilder<Scale>
    where
        K: Object + Resource<DynamicType = (), Scope: KubeScope<K>> + ScaleSubresource,
    {
        WebhookBuilder::new(ReviewedResource::of::<K>(Some("scale"))).updates()
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("target", &self.target)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Builds a [`Webhook`]: validators, defaulters, and how the API server calls them.
#[doc(alias("WebhookManagedBy", "WithValidator", "WithDefaulter"))]
#[must_use = "`Webhooks::add` takes it"]
pub struct WebhookBuilder<K, T = ()> {
    target: ReviewedResource,
    settings: Settings,
    undecodable: UndecodablePolicy,
    reviews_finalizer_removals: bool,
    state: Arc<T>,
    validators: Vec<Validator<K, T>>,
    deletion_validators: Vec<Validator<K, T>>,
    mutators: Vec<Mutator<K, T>>,
}

impl<K: Object> WebhookBuilder<K> {
    fn new(target: ReviewedResource) -> Self {
        Self {
            target,
            settings: Settings::default(),
            undecodable: UndecodablePolicy::default(),
            reviews_finalizer_removals: false,
            state: Arc::default(),
            validators: Vec::new(),
            deletion_validators: Vec::new(),
            mutators: Vec::new(),
        }
    }

    fn updates(mut self) -> Self {
        self.settings.operations = vec![Operation::Update];
        self
    }

    /// Sets the state that all reviews share, such as a client of another system: [`AdmissionContext::state`].
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> WebhookBuilder<K, T> {
        let with_state = |validate: Validator<K, ()>| -> Validator<K, T> {
            Arc::new(move |object, cx: AdmissionContext<K, T>| validate(object, cx.without_state()))
        };
        let mutators = self.mutators.into_iter().map(|mutate| -> Mutator<K, T> {
            Arc::new(move |object, cx: AdmissionContext<K, T>| mutate(object, cx.without_state()))
        });
        WebhookBuilder {
            target: self.target,
            settings: self.settings,
            undecodable: self.undecodable,
            reviews_finalizer_removals: self.reviews_finalizer_removals,
            state: Arc::new(state),
            validators: self.validators.into_iter().map(with_state).collect(),
            deletion_validators: self.deletion_validators.into_iter().map(with_state).collect(),
            mutators: mutators.collect(),
        }
    }
}

impl<K: Object, T: Send + Sync + 'static> WebhookBuilder<K, T> {
    /// Validates objects that are created and updated. [`AdmissionContext::old`] is the object before an update.
    ///
    /// ```
    /// # use crdkit::{CustomResource, KubeSchema};
    /// # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// # #[crd(group = "infra.example.com", version = "v1", kind = "VirtualMachine", namespaced)]
    /// # pub struct VirtualMachineSpec { image: String }
    /// use std::sync::Arc;
    ///
    /// use crdkit::webhook::{AdmissionContext, FieldErrors, Webhook};
    ///
    /// async fn validate(vm: Arc<VirtualMachine>, cx: AdmissionContext<VirtualMachine>) -> Result<(), FieldErrors> {
    ///     let mut errors = FieldErrors::new();
    ///     if cx.old().is_some_and(|old| old.spec.image != vm.spec.image) && !cx.is_in_group("admins") {
    ///         errors.forbidden("spec.image", "only admins may change it");
    ///     }
    ///     errors.into_result()
    /// }
    ///
    /// let webhook = Webhook::of::<VirtualMachine>().validate(validate);
    /// # let _ = webhook;
    /// ```
    pub fn validate<F, R, E>(mut self, validate: F) -> Self
    where
        F: Fn(Arc<K>, AdmissionContext<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Error>,
    {
        self.validators.push(validator(validate));
        self
    }

    /// Validates objects that are created and updated, with a type that implements [`Validate`].
    pub fn validator(mut self, validator: impl Validate<K>) -> Self {
        self.validators.push(validator_of(validator));
        self
    }

    /// Validates deletions. The argument is the object that is deleted.
    pub fn validate_deletion<F, R, E>(mut self, validate: F) -> Self
    where
        F: Fn(Arc<K>, AdmissionContext<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Error>,
    {
        self.deletion_validators.push(validator(validate));
        self
    }

    /// Validates deletions, with a type that implements [`ValidateDeletion`].
    pub fn deletion_validator(mut self, validator: impl ValidateDeletion<K>) -> Self {
        self.deletion_validators.push(deletion_validator_of(validator));
        self
    }

    /// Changes objects that are created and updated, such as to set defaults. What the function changes is sent to the API server;
    /// fields that the type does not declare remain.
    ///
    /// A function that waits for something is an implementation of [`Mutate`], for [`mutator`](Self::mutator).
    ///
    /// ```
    /// use crdkit::webhook::Webhook;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// let webhook = Webhook::of::<ConfigMap>().mutate(|map, cx| {
    ///     let annotations = map.metadata.annotations.get_or_insert_default();
    ///     annotations.insert("example.com/changed-by".into(), cx.username().into());
    /// });
    /// # let _ = webhook;
    /// ```
    pub fn mutate<F, O>(mut self, mutate: F) -> Self
    where
        F: Fn(&mut K, &AdmissionContext<K, T>) -> O + Send + Sync + 'static,
        O: MutateOutput,
    {
        self.mutators.push(mutator(mutate));
        self
    }

    /// Changes objects that are created and updated, with a type that implements [`Mutate`].
    pub fn mutator(mut self, mutator: impl Mutate<K>) -> Self {
        self.mutators.push(mutator_of(mutator));
        self
    }

    /// Sets the name, which the API server puts before the message when it denies a request: `PLURAL.VERSION.GROUP` by default.
    pub fn name(mut self, name: WebhookName) -> Self {
        self.settings.name = Some(name);
        self
    }

    /// Sets what the API server does if the webhook cannot be called, fails or panics: [`Fail`](FailurePolicy::Fail) by default.
    pub fn failure_policy(mut self, policy: FailurePolicy) -> Self {
        self.settings.failure_policy = policy;
        self
    }

    /// Sets what happens to stored objects that cannot be decoded: [`FailurePolicy`](UndecodablePolicy::FailurePolicy) by default, so
    /// that with the failure policy `Fail` they can neither be deleted nor labelled nor repaired.
    pub fn undecodable(mut self, policy: UndecodablePolicy) -> Self {
        self.undecodable = policy;
        self
    }

    /// Also calls the functions for updates that only remove finalizers of an object that is being deleted.
    ///
    /// By default these are allowed without a call. Otherwise a validator that needs another object, which is gone already, would deny
    /// the operator to remove its own finalizer, and the object would stay for ever.
    pub fn review_finalizer_removals(mut self) -> Self {
        self.reviews_finalizer_removals = true;
        self
    }

    /// Sets how long the API server waits, in seconds: 10 by default. The compiler rejects others than 1 to 30, as the API server does.
    ///
    /// ```
    /// # use crdkit::webhook::Webhook;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// let webhook = Webhook::of::<Pod>().timeout_seconds::<5>();
    /// # let _ = webhook.mutate(|_, _| {});
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # use crdkit::webhook::Webhook;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// let webhook = Webhook::of::<Pod>().timeout_seconds::<60>();
    /// ```
    pub fn timeout_seconds<const SECONDS: i32>(mut self) -> Self
    where
        Timeout<SECONDS>: ValidTimeout,
    {
        self.settings.timeout_seconds = SECONDS;
        self
    }

    /// Sets whether the functions change anything besides the object: [`None`](SideEffects::None) by default.
    pub fn side_effects(mut self, side_effects: SideEffects) -> Self {
        self.settings.side_effects = side_effects;
        self
    }

    /// Sets whether requests in other versions are converted to this one: [`Equivalent`](MatchPolicy::Equivalent) by default.
    pub fn match_policy(mut self, policy: MatchPolicy) -> Self {
        self.settings.match_policy = policy;
        self
    }

    /// Sets whether defaulters are called again after others changed the object: [`Never`](ReinvocationPolicy::Never) by default.
    pub fn reinvocation_policy(mut self, policy: ReinvocationPolicy) -> Self {
        self.settings.reinvocation_policy = policy;
        self
    }

    /// Calls the webhook only for requests that satisfy an expression of CEL, with the variables `object`, `oldObject`, `request` and
    /// `authorizer`. All conditions must hold, at most 64.
    pub fn match_condition(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        let condition = MatchCondition { name: name.into(), expression: expression.into() };
        self.settings.match_conditions.push(condition);
        self
    }

    /// Calls the webhook only for objects in namespaces with these labels.
    pub fn namespace_selector(mut self, selector: LabelSelector) -> Self {
        self.settings.namespace_selector = Some(selector);
        self
    }

    /// Calls the webhook only for objects with these labels. Users can avoid it by other labels.
    pub fn object_selector(mut self, selector: LabelSelector) -> Self {
        self.settings.object_selector = Some(selector);
        self
    }

    /// Sets for which of creation and update the functions are called: both by default, and update for subresources. Functions for
    /// deletions are called for deletions. Without either, the [configurations](super::Webhooks::configurations) are invalid.
    pub fn operations(mut self, operations: impl IntoIterator<Item = Operation>) -> Self {
        self.settings.operations = operations.into_iter().collect();
        self
    }
}

impl<K: Object, T: Send + Sync + 'static> From<WebhookBuilder<K, T>> for Webhook {
    fn from(builder: WebhookBuilder<K, T>) -> Self {
        let operations = builder.settings.operations.iter().copied();
        let writes: Vec<_> = operations.filter(|it| *it != Operation::Delete).collect();
        let (validates_writes, validates_deletions) =
            (!builder.validators.is_empty(), !builder.deletion_validators.is_empty());
        let mut validated = if validates_writes { writes.clone() } else { Vec::new() };
        // Functions that are called for nothing make the configuration invalid.
        if validates_deletions && (!validates_writes || !writes.is_empty()) {
            validated.push(Operation::Delete);
        }
        let policy = ReviewPolicy {
            kind: builder.target.reviewed_kind(),
            undecodable: builder.undecodable,
            reviews_finalizer_removals: builder.reviews_finalizer_removals,
        };
        let validation = (validates_writes || validates_deletions).then(|| Admission {
            handler: Arc::new(ValidatingHandler {
                policy: policy.clone(),
                state: builder.state.clone(),
                validators: builder.validators.into(),
                deletion_validators: builder.deletion_validators.into(),
            }),
            operations: validated,
        });
        let mutation = (!builder.mutators.is_empty()).then(|| Admission {
            handler: Arc::new(MutatingHandler { policy, state: builder.state, mutators: builder.mutators.into() }),
            operations: writes,
        });
        Self { target: builder.target, settings: builder.settings, validation, mutation }
    }
}
