//! crdkit turns a Rust struct into a Kubernetes custom resource.
//!
//! One derive defines the group, version and kind, the names, the status and scale subresources, the printer columns and
//! the schema. A definition that the API server would reject does not compile. Code written for kube-derive compiles
//! unchanged, and the types work with everything built on kube.
//!
//! ```console
//! cargo add crdkit --features latest # the latest Kubernetes; k8s-openapi does not build without a version
//! cargo add serde --features derive
//! ```
//!
//! Until the first release: `cargo add crdkit --git https://github.com/crdkit/crdkit --features latest`. The
//! [features](#features) `client` and `informer` add typed clients and the controllers of an operator.
//!
//! # Define
//!
//! ```
//! use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
//! use serde::{Deserialize, Serialize};
//!
//! /// Runs a command once, at a time.
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "cnat.programming-kubernetes.info", version = "v1alpha1", kind = "At", namespaced)]
//! #[crd(shortname = "at", status = "AtStatus", printcolumn(age))]
//! pub struct AtSpec {
//!     /// When to run.
//!     #[crd(column)]
//!     #[schemars(length(min = 1))]
//!     pub schedule: String,
//! }
//!
//! /// The state of the command.
//! #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
//! pub struct AtStatus {
//!     /// The current phase.
//!     pub phase: String,
//! }
//!
//! let at = At::new("example", AtSpec { schedule: "2030-01-31T12:00:00Z".into() });
//! assert_eq!(at.spec.schedule, "2030-01-31T12:00:00Z");
//!
//! let yaml = crdkit::emit::to_yaml(&At::crd());
//! # for part in [
//! #     "metadata:\n  name: ats.cnat.programming-kubernetes.info\n",
//! #     "    - name: Schedule\n      description: When to run.\n      type: string\n      jsonPath: .spec.schedule\n",
//! #     "              schedule:\n                description: When to run.\n                type: string\n                minLength: 1\n",
//! # ] {
//! #     assert!(yaml.contains(part), "{yaml}");
//! # }
//! ```
//!
//! # Write the definition
//!
//! This is a program with the commands `write`, `check` and `print`. [`emit`] also supports a test that keeps committed
//! files up to date, and a build script:
//!
//! ```no_run
//! # mod api {
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! # }
//! # use api::At;
//! fn main() -> std::process::ExitCode {
//!     crdkit::emit::Crds::new().add::<At>().main() // cargo run -- write crds/
//! }
//! ```
//!
//! The definition, shortened:
//!
//! ```yaml
//! apiVersion: apiextensions.k8s.io/v1
//! kind: CustomResourceDefinition
//! metadata:
//!   name: ats.cnat.programming-kubernetes.info
//! spec:
//!   # group, names, scope ...
//!   versions:
//!   - name: v1alpha1
//!     # served, storage ...
//!     subresources:
//!       status: {}
//!     additionalPrinterColumns:
//!     - name: Schedule
//!       description: When to run.
//!       type: string
//!       jsonPath: .spec.schedule
//!     # Age ...
//!     schema:
//!       openAPIV3Schema:
//!         description: Runs a command once, at a time.
//!         # ...
//!               schedule:
//!                 description: When to run.
//!                 type: string
//!                 minLength: 1
//! ```
//!
//! # Install it, and work with objects
//!
//! With the feature `client`, a typed client offers only the operations that the resource supports: using a status, a
//! scale or a namespace that it does not have is a compile error. Finalizers, owner references, conditions and
//! server-side apply are methods too.
//!
//! ```no_run
//! # #[cfg(feature = "client")]
//! # mod hidden {
//! # use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced, status = "AtStatus")]
//! # pub struct AtSpec { pub schedule: String }
//! # #[derive(KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug, Default)]
//! # pub struct AtStatus { pub phase: String }
//! # async fn example(spec: AtSpec, later: String) -> Result<(), Box<dyn std::error::Error>> {
//! let client = crdkit::Client::try_default().await?.field_manager("at-operator");
//! client.install([At::crd()]).await?; // waits until the API server serves it
//!
//! let ats = client.resources::<At>().namespace("default");
//! ats.create(&At::new("example", spec)).await?;
//! ats.update("example", |at| at.spec.schedule = later.clone()).await?; // sends only the changes; retries on a conflict
//! ats.status().update("example", |status| status.phase = "Pending".into()).await?;
//! # Ok(())
//! # }
//! # }
//! ```
//!
//! # Reconcile
//!
//! With the feature `informer`, a controller reads from a cache that a watch keeps up to date, reconciles the objects one
//! by one, and retries after failures. Failures are logged through `tracing`: install a subscriber, such as
//! `tracing_subscriber::fmt().init()`, to see them.
//!
//! ```no_run
//! # #[cfg(feature = "informer")]
//! # mod hidden {
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::informer::{Action, Informers, Lister, ObjectKey, shutdown_signal};
//! use crdkit::k8s_openapi::api::core::v1::Pod;
//!
//! async fn reconcile(ats: Lister<At>, key: ObjectKey) -> Result<Action, crdkit::client::Error> {
//!     let Some(at) = ats.find(key.namespace(), key.name()) else {
//!         return Ok(Action::Done); // deleted
//!     };
//!     // Bring the cluster into the state that `at.spec` describes ...
//!     # let _ = at;
//!     Ok(Action::Done)
//! }
//!
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
//! let informers = Informers::new(client);
//! let ats = informers.of::<At>().start();
//! let pods = informers.of::<Pod>().start();
//! let lister = ats.lister();
//! let work = ats.reconciler().owns(&pods).until(shutdown_signal());
//! work.run(8, move |key| reconcile(lister.clone(), key)).await
//! # }
//! # }
//! ```
//!
//! # Examples
//!
//! | complete programs | |
//! |---|---|
//! | [`resources`](https://github.com/crdkit/crdkit/tree/main/examples/resources) | two complete custom resources |
//! | [`crds`](https://github.com/crdkit/crdkit/tree/main/examples/crds) | a program that writes the definitions, and a test that keeps the files up to date |
//! | [`build-script`](https://github.com/crdkit/crdkit/tree/main/examples/build-script), [`one-crate`](https://github.com/crdkit/crdkit/tree/main/examples/one-crate) | build scripts that write the definitions |
//! | [`client`](https://github.com/crdkit/crdkit/tree/main/examples/client) | programs that install definitions and work with objects |
//! | [`informer`](https://github.com/crdkit/crdkit/tree/main/examples/informer) | a live table, and an operator |
//! | [`operator`](https://github.com/crdkit/crdkit/tree/main/examples/operator) | an operator with the feature `controller`, and its tests |
//! | [`schedules`](https://github.com/crdkit/crdkit/tree/main/examples/schedules) | an operator that runs Jobs as CronJobs do, with tests in which days pass in seconds |
//! | [`sites`](https://github.com/crdkit/crdkit/tree/main/examples/sites) | an operator with a child object, a finalizer, conditions and events: written from scratch, and migrated from kube-derive |
//! | [`telemetry`](https://github.com/crdkit/crdkit/tree/main/examples/telemetry) | an operator whose reconciliations are traces of OpenTelemetry, with profiles of the processor |
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`guide`] | from a type to an operator, step by step |
//! | [`attributes`] | every attribute of the derives, with examples |
//! | [`prelude`] | the items that most files of an operator use |
//! | [`migration`] | how to migrate from kube-derive, and the differences |
//! | [`kubebuilder`] | kubebuilder's markers and the corresponding keys |
//! | [`definition`] | resource definitions as constant data |
//! | [`schema`] | schemas as constant data, and [the types that have one](schema#types-that-have-one) |
//! | [`render`] | conversion of definitions and schemas to the Kubernetes API types |
//! | [`merge`] | merging the versions of a kind into one definition |
//! | [`compare`] | changes between two definitions, and whom they break |
//! | [`validate`] | the API server's validation rules for definitions |
//! | [`emit`] | writing definitions to YAML files, from a program, a test or a build script; reviewing changes |
//! | [`size`] | size limits of definitions, and how to reduce their size |
//! | [`testing`] | the check behind the generated tests, and round-trip tests |
//! | [`conditions`] | status conditions |
//! | [`apply`] | partial objects for server-side apply |
//! | [`status`] | whether an object is ready, by the rules of kstatus |
//! | [`subresource`] | the status and scale subresources |
//! | `convert` | conversion between the versions of a kind (feature `convert`) |
//! | `cron` | schedules as those of CronJobs (feature `cron`) |
//! | `client` | typed clients (feature `client`) |
//! | `informer` | caches that watches keep up to date, and work queues (feature `informer`) |
//! | `controller` | controllers, and a manager that runs them (feature `controller`) |
//! | `webhook` | admission webhooks, conversion webhooks and their server (feature `webhook`) |
//!
//! # Features
//!
//! Without `client`, crdkit depends on neither an async runtime nor a network stack.
//!
//! | feature | effect |
//! |---|---|
//! | `latest` | enables `latest` of k8s-openapi: the newest Kubernetes version that it supports |
//! | `bytes`, `chrono`, `url`, `uuid` | the types of that crate have schemas; those of jiff, which k8s-openapi uses, always do |
//! | `testing` | round-trip tests and tests of conversions in [`testing`](mod@testing); for `[dev-dependencies]` |
//! | `yaml` | programs of [`emit`] can read the definitions of an older release from YAML; implied by `client` |
//! | `raw_value` | serde_json's `RawValue` has a schema; implied by `client` |
//! | `client` | typed clients, on kube's |
//! | `informer` | informers, listers and work queues; implies `client` |
//! | `controller` | controllers; implies `informer` |
//! | `convert` | conversion between the versions of a kind |
//! | `cron` | schedules as those of CronJobs, with time zones |
//! | `webhook` | admission and conversion webhooks, and their server; implies `convert` and `client` |
//! | `rustls-tls`, `ring` | `client` uses rustls and ring for TLS; enabled by default, no effect without `client` |
//! | `openssl-tls`, `aws-lc-rs`, `webpki-roots` | other TLS backends for `client`, named as in kube; disable the default features to replace rustls |
//! | `oauth`, `oidc`, `socks5`, `http-proxy`, `gzip`, `ws` | further capabilities of kube's client, named as in kube |
//!
//! The code that the derives generate does not depend on features.
//!
//! # Other crates
//!
//! [`crdkit-tools`](https://docs.rs/crdkit-tools) has the manifests of an operator, API references, samples, lints, types of existing
//! definitions, and a program that installs and deploys. [`cargo-crdkit`](https://github.com/crdkit/crdkit/tree/main/cli) creates operators.
//!
//! # Features of k8s-openapi
//!
//! k8s-openapi requires exactly one Kubernetes version per build, and only the final program should select it. A program
//! that depends on k8s-openapi selects it there; otherwise enable crdkit's `latest`. A library selects a version in its
//! `[dev-dependencies]` only, for its tests. Cargo builds a build script separately from its program: if the script writes
//! definitions, select a version in `[build-dependencies]` too.
//!
//! The version determines which fields the types of k8s-openapi have. Types with a schema in crdkit, such as `Condition`,
//! `Quantity` or `LabelSelector`, have the same schema in every version. All other types, such as `PodTemplateSpec`, get
//! their schema from k8s-openapi's feature `schemars`, which you must enable to use them as fields; their schema depends
//! on the version.
//!
//! # Types that contain each other
//!
//! A schema is a constant, and a structural schema has no references. The derive rejects a type that contains itself. If
//! two types contain each other, the derive sees only one of them, and rustc reports error E0391, `cycle detected`. Break
//! the cycle with a field that accepts any value:
//!
//! ```
//! # use crdkit::KubeSchema;
//! # use serde::{Deserialize, Serialize};
//! #[derive(KubeSchema, Serialize, Deserialize)]
//! struct Step {
//!     name: String,
//!     next: Option<Box<Plan>>,
//! }
//!
//! #[derive(KubeSchema, Serialize, Deserialize)]
//! struct Plan {
//!     #[crd(preserve_unknown_fields)] // without it: E0391
//!     steps: Vec<Step>,
//! }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

// Generated code refers to this crate as `::crdkit`, also within the crate itself.
extern crate self as crdkit;

#[doc(hidden)]
#[path = "internal.rs"]
pub mod __internal;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod apply;
/// The errors of rules that [run in process](attributes::resource#rules-run-in-process).
pub mod cel {
    pub use crate::crd::cel::evaluate::error::{ErrorKind, ValidationError, ValidationErrors};
}
mod check;
#[cfg(feature = "client")]
#[cfg_attr(
    not(all(feature = "controller", feature = "webhook")),
    allow(
        dead_code,
        unreachable_pub,
        reason = "informers, controllers, webhooks and tests each use a part of their own"
    )
)]
pub mod client;
#[cfg_attr(not(feature = "controller"), allow(dead_code, reason = "controllers use a part of their own"))]
mod clock;
#[cfg(feature = "controller")]
#[doc(alias("operator", "Reconciler", "controller-runtime"))]
pub mod controller;
#[cfg(feature = "convert")]
pub mod convert;
mod crd;
#[cfg(feature = "cron")]
pub mod cron;
mod docs;
pub mod emit;
mod error;
#[cfg(feature = "informer")]
#[cfg_attr(not(feature = "controller"), allow(dead_code, reason = "controllers use a part of their own"))]
pub mod informer;
mod json;
#[cfg(any(feature = "informer", feature = "webhook"))]
mod metrics;
pub mod prelude;
mod resource;
pub mod schema;
pub mod serde;
#[cfg(feature = "__serve")]
#[cfg_attr(not(all(feature = "controller", feature = "webhook")), allow(dead_code, reason = "each server uses a part"))]
mod serve;
#[doc(alias("envtest", "fake", "mock"))]
pub mod testing;
#[cfg(feature = "webhook")]
#[doc(alias("admission", "controller-runtime"))]
pub mod webhook;
mod yaml;

pub use apply::traits::Apply;
#[cfg(feature = "client")]
pub use client::handle::Client;
pub use crd::{compare, merge, render, validate};
pub use crdkit_macros::{Apply, CustomResource, JsonSchema, KubeSchema, Resource, group_version};
pub use docs::{attributes, compile_tests, guide, kubebuilder, migration, size};
pub use json::defaulting::deserialize_with_defaults;
/// The Kubernetes types, such as [`Condition`](k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition), in the version
/// that crdkit is compiled with.
pub use k8s_openapi;
#[cfg(feature = "client")]
pub use kube;
pub use kube_core::{CustomResourceExt, Duration, Resource};
pub use resource::{
    conditions, custom_resource::CustomResource, definition, foreign::Foreign, inventory, object_name::ObjectName,
    status, subresource,
};
pub use schema::kube_schema::KubeSchema;
#[doc(hidden)]
pub use schemars_trait::*;

/// The trait of schemars without its derive macro of the same name, which crdkit's own derive replaces.
mod schemars_trait {
    pub use schemars::JsonSchema;
}

/// The examples of the derives, whose own crate cannot depend on this one.
#[cfg(doctest)]
mod derives {
    #[doc = include_str!("../../macros/src/docs/apply.md")]
    struct Apply;
    #[cfg(feature = "webhook")]
    #[doc = include_str!("../../macros/src/docs/checked.md")]
    struct Checked;
    #[cfg(feature = "convert")]
    #[doc = include_str!("../../macros/src/docs/convert.md")]
    struct Convert;
    #[doc = include_str!("../../macros/src/docs/custom_resource.md")]
    struct CustomResource;
    #[doc = include_str!("../../macros/src/docs/group_version.md")]
    struct GroupVersion;
    #[doc = include_str!("../../macros/src/docs/kube_schema.md")]
    struct KubeSchema;
    #[doc = include_str!("../../macros/src/docs/resource.md")]
    struct Resource;
}
