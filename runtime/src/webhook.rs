//! Webhooks: functions that validate, change and convert objects before the API server stores them.
//!
//! The API server's own rules come first: those of a [schema](crate::attributes) and of its CEL need no webhook, and what a
//! [policy](crate::emit::AdmissionPolicy) can express needs none either. A webhook is for the rest: what needs other objects, other
//! systems, or code.
//!
//! ```
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "infra.example.com", version = "v1", kind = "VirtualMachine", namespaced)]
//! # pub struct VirtualMachineSpec { image: String, zone: Option<String>, disks: Vec<String> }
//! use crdkit::webhook::{AdmissionContext, Error, FieldErrors, FieldPath, Validate, Webhook, Webhooks, checked};
//!
//! struct Images {
//!     registry: String,
//! }
//!
//! impl Validate<VirtualMachine> for Images {
//!     async fn validate_create(&self, vm: &VirtualMachine, cx: &AdmissionContext<VirtualMachine>) -> Result<(), Error> {
//!         let spec = FieldPath::new("spec");
//!         let mut errors = FieldErrors::new();
//!         if !vm.spec.image.starts_with(&self.registry) {
//!             errors.invalid(&spec.field("image"), &vm.spec.image, format!("must be an image of {}", self.registry));
//!         }
//!         if vm.spec.disks.is_empty() {
//!             cx.warn("a machine without disks loses its data when it restarts");
//!         }
//!         Ok(errors.into_result()?)
//!     }
//! }
//!
//! #[checked] // a test that the API server accepts them
//! fn webhooks() -> Webhooks {
//!     Webhooks::new("vm-operator").add(
//!         Webhook::of::<VirtualMachine>()
//!             .mutate(|vm, _| _ = vm.spec.zone.get_or_insert_with(|| "eu-1".into()))
//!             .validator(Images { registry: "registry.example.com/".into() }),
//!     )
//! }
//! # fn main() { let _ = webhooks().service(); }
//! ```
//!
//! `kubectl apply` prints what it prints for the API server's own validation:
//!
//! ```console
//! The VirtualMachine "web" is invalid: spec.image: Invalid value: "debian": must be an image of registry.example.com/
//! ```
//!
//! | | |
//! |---|---|
//! | [`Webhook`] | validation and defaulting of a kind, by closures or by [`Validate`], [`ValidateDeletion`] and [`Mutate`] |
//! | [`Webhooks`] | all webhooks of a program, with the [conversion](crate::convert) of its kinds |
//! | [`WebhookServer`], [`WebhookService`] | their server over TLS, and a tower service for a server of the program |
//! | [`certificates`] | their certificates, which change without a failed request |
//! | [`dev()`] | webhooks on the developer's machine, for the cluster of the current context |
//! | [`Configurations`] | the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration |
//!
//! # Registration
//!
//! [`Webhooks::configurations`] returns the objects that register the webhooks, and fails if the API server would reject them. The
//! attribute [`checked`](macro@checked), on the function that returns the webhooks, generates a test of that.
//! [`Crds::add_webhooks`](crate::emit::Crds::add_webhooks) writes them beside the definitions:
//!
//! ```
//! # use crdkit::{emit::Crds, webhook::{FailurePolicy, Webhook, WebhookClient, Webhooks}};
//! # use k8s_openapi::api::core::v1::Pod;
//! let pods = Webhook::of::<Pod>()
//!     .mutate(|pod, _| _ = pod.metadata.labels.get_or_insert_default().entry("team".into()).or_insert("none".into()))
//!     .failure_policy(FailurePolicy::Ignore)
//!     .timeout_seconds::<3>()
//!     .match_condition("not-of-nodes", "!('system:nodes' in request.userInfo.groups)");
//! let webhooks = Webhooks::new("pod-policy").add(pods);
//! let yaml = Crds::new().add_webhooks(&webhooks, &WebhookClient::service("operators", "pod-policy"))?.to_yaml()?;
//! assert!(yaml.ends_with("\
//! kind: MutatingWebhookConfiguration
//! metadata:
//!   name: pod-policy
//! webhooks:
//! - name: pods.v1.core
//!   clientConfig:
//!     service:
//!       name: pod-policy
//!       namespace: operators
//!       path: /mutate--v1-pod
//!   rules:
//!   - apiGroups:
//!     - \"\"
//!     apiVersions:
//!     - v1
//!     operations:
//!     - CREATE
//!     - UPDATE
//!     resources:
//!     - pods
//!     scope: Namespaced
//!   admissionReviewVersions:
//!   - v1
//!   failurePolicy: Ignore
//!   matchConditions:
//!   - expression: \"!('system:nodes' in request.userInfo.groups)\"
//!     name: not-of-nodes
//!   matchPolicy: Equivalent
//!   reinvocationPolicy: Never
//!   sideEffects: None
//!   timeoutSeconds: 3
//! "), "{yaml}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Server
//!
//! [`WebhookServer`] serves HTTP/1.1 and HTTP/2 over TLS. `Manager::webhooks` runs it with controllers, on every replica. Bodies,
//! the time of a review, and the reviews that run at the same time are [limited](Webhooks::concurrency). On shutdown, running reviews are
//! answered. A [`WebhookService`] is the same without TLS and a port, for a server of the program.
//!
//! # Failures
//!
//! | a function | the API server |
//! |---|---|
//! | returns [`FieldErrors`] | denies the request with the status 422 `Invalid` |
//! | returns [`deny`], or any other error | denies it with the status 403 `Forbidden`, as in controller-runtime |
//! | returns [`failed`], panics, or takes too long | applies the [failure policy](WebhookBuilder::failure_policy) |
//!
//! # Tests
//!
//! The [API server in the process](crate::testing) calls webhooks over HTTPS as a real one does.

mod admission;
mod builder;
pub mod certificates;
mod configuration;
mod context;
mod conversion;
mod crypto;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod dev;
mod error;
mod field_errors;
mod field_path;
mod go_duration;
mod handler;
pub(crate) mod metrics;
mod patch;
mod policy;
mod review;
mod review_limits;
mod running;
mod server;
mod service;
mod settings;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod signal;
mod target;
pub(crate) mod tls;
mod webhooks;

pub use admission::{Mutate, MutateOutput, Validate, ValidateDeletion};
pub use builder::{Webhook, WebhookBuilder};
pub use configuration::{ConfigurationError, Configurations, WebhookClient};
pub use context::AdmissionContext;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub use dev::{Dev, DevError, DevHandle, dev};
pub use error::{Denied, Error, Failed, deny, failed};
pub use field_errors::FieldErrors;
pub use field_path::FieldPath;
pub use policy::UndecodablePolicy;
pub use server::{WebhookServer, WebhookServerError, WebhookServerHandle};
pub use service::WebhookService;
pub use settings::{FailurePolicy, MatchPolicy, ReinvocationPolicy, SideEffects, Timeout, ValidTimeout, WebhookName};
pub use webhooks::Webhooks;

#[doc(hidden)]
pub use configuration::assert_accepted;
pub use crdkit_macros::checked;

pub use crate::crd::admission_registration::Operation;
