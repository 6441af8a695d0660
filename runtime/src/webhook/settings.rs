//! How the API server calls a webhook.

use std::{borrow::Cow, fmt};

use crdkit_core::rules::admission_registration::{timeout_is_in_range, webhook_name_is_subdomain};
use k8s_openapi::{api::admissionregistration::v1::MatchCondition, apimachinery::pkg::apis::meta::v1::LabelSelector};

use super::Operation;
use crate::client::sealed::Sealed;

/// The name of a webhook, which the API server puts before the message when it denies a request: a DNS name of at least three labels.
///
/// In const evaluation, the compiler rejects an invalid name:
///
/// ```
/// use crdkit::webhook::WebhookName;
///
/// const NAME: WebhookName = WebhookName::new("machines.infra.example.com");
/// assert_eq!(NAME.to_string(), "machines.infra.example.com");
/// ```
///
/// ```compile_fail,E0080
/// # use crdkit::webhook::WebhookName;
/// const NAME: WebhookName = WebhookName::new("machines.local"); // needs at least three labels
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookName(Cow<'static, str>);

impl WebhookName {
    /// Creates a name.
    ///
    /// # Panics
    ///
    /// Panics if the name is invalid. In const evaluation, this is a compile error.
    #[track_caller]
    pub const fn new(name: &'static str) -> Self {
        if let Err(violation) = webhook_name_is_subdomain(name) {
            panic!("{}", violation.message.message().as_str());
        }
        Self(Cow::Borrowed(name))
    }

    pub(super) const fn generated(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl fmt::Display for WebhookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)+
                }
            }
        }
    };
}

names! {
    /// What the API server does if a webhook cannot be called, or fails.
    FailurePolicy {
        /// The request fails.
        Fail,
        /// The request continues without the webhook.
        Ignore,
    }
}

names! {
    /// Whether a webhook changes anything besides the object.
    SideEffects {
        /// It never does.
        None,
        /// It does not for a [dry run](super::AdmissionContext::is_dry_run).
        NoneOnDryRun,
    }
}

names! {
    /// Whether a webhook is called for requests in other versions of its kind.
    MatchPolicy {
        /// It is not.
        Exact,
        /// It is: the API server converts the objects to the version of the webhook.
        Equivalent,
    }
}

names! {
    /// Whether a defaulter is called again after others changed the object.
    ReinvocationPolicy {
        /// It is not.
        Never,
        /// It is.
        IfNeeded,
    }
}

/// How the API server calls a webhook: the fields of both configurations.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) name: Option<WebhookName>,
    pub(super) failure_policy: FailurePolicy,
    pub(super) match_policy: MatchPolicy,
    pub(super) side_effects: SideEffects,
    pub(super) reinvocation_policy: ReinvocationPolicy,
    pub(super) timeout_seconds: i32,
    pub(super) match_conditions: Vec<MatchCondition>,
    pub(super) namespace_selector: Option<LabelSelector>,
    pub(super) object_selector: Option<LabelSelector>,
    pub(super) operations: Vec<Operation>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: None,
            failure_policy: FailurePolicy::Fail,
            match_policy: MatchPolicy::Equivalent,
            side_effects: SideEffects::None,
            reinvocation_policy: ReinvocationPolicy::Never,
            timeout_seconds: 10,
            match_conditions: Vec::new(),
            namespace_selector: None,
            object_selector: None,
            operations: vec![Operation::Create, Operation::Update],
        }
    }
}

/// A timeout of webhooks in seconds, for [`WebhookBuilder::timeout_seconds`](super::WebhookBuilder::timeout_seconds).
#[derive(Debug)]
pub struct Timeout<const SECONDS: i32>;

/// A timeout that the API server accepts: 1 to 30 seconds.
#[diagnostic::on_unimplemented(
    message = "a webhook cannot have the timeout `{Self}`: the API server accepts 1 to 30 seconds",
    label = "write 1 to 30"
)]
pub trait ValidTimeout: Sealed {}

macro_rules! valid_timeouts {
    ($($seconds:literal)+) => {$(
        const _: () = assert!(timeout_is_in_range($seconds).is_ok());
        impl Sealed for Timeout<$seconds> {}
        impl ValidTimeout for Timeout<$seconds> {}
    )+};
}

valid_timeouts!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30);

/// No further timeout is valid.
const _: () = assert!(timeout_is_in_range(0).is_err() && timeout_is_in_range(31).is_err());
