//! crdkit turns a Rust struct into a Kubernetes custom resource, for operators and everything else that works with them.
//!
//! One derive gives the type its group, version and kind, its names, its status and scale subresources, its printer columns
//! and its schema. What the API server would refuse, the compiler refuses. Code written for kube-derive compiles as it is,
//! and everything that is built on kube works with the types.
//!
//! ```console
//! cargo add crdkit --features latest # the `latest` Kubernetes: without a version the build of k8s-openapi fails
//! cargo add serde --features derive
//! ```
//!
//! Until the first release: `cargo add crdkit --git https://github.com/crdkit/crdkit --features latest`. With `client` or
//! `informer` among the [features](#features), there are typed clients, and the controllers of an operator.
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
//! /// What became of the command.
//! #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
//! pub struct AtStatus {
//!     /// How far it is.
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
//! A program with the commands `write`, `check` and `print`; [`emit`] also has a test that keeps committed files up to date,
//! and a build script:
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
//! With the feature `client`, a [typed client](#where-to-read-on) has the methods that the resource has: a status, a scale or
//! a namespace that it does not have is a compile error. Finalizers, owner references, conditions and server-side apply are
//! methods, too.
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
//! ats.update("example", |at| at.spec.schedule = later.clone()).await?; // sends what changed; again on a conflict
//! ats.status().update("example", |status| status.phase = "Pending".into()).await?;
//! # Ok(())
//! # }
//! # }
//! ```
//!
//! # Reconcile
//!
//! With the feature `informer`, a controller reads from a cache that a watch keeps up to date, and reconciles each object
//! in turn, and again after failures, which are told to `tracing`. Where a program has no subscriber, such as that of
//! `tracing_subscriber::fmt().init()`, nobody sees them:
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
//!         return Ok(Action::Done); // it is gone
//!     };
//!     // Make the cluster as `at.spec` says ...
//!     # let _ = at;
//!     Ok(Action::Done)
//! }
//!
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
//! let informers = Informers::new(client);
//! let ats = informers.of::<At>().start();
//! let pods = informers.of::<Pod>().start();
//! let lister = ats.lister();
//! let work = ats.queue().owns(&pods).until(shutdown_signal());
//! work.run(8, move |key| reconcile(lister.clone(), key)).await
//! # }
//! # }
//! ```
//!
//! # Examples
//!
//! | whole programs | |
//! |---|---|
//! | [`resources`](https://github.com/crdkit/crdkit/tree/main/examples/resources) | two custom resources, complete |
//! | [`crds`](https://github.com/crdkit/crdkit/tree/main/examples/crds) | a program that writes their definitions, and a test that keeps the files up to date |
//! | [`build-script`](https://github.com/crdkit/crdkit/tree/main/examples/build-script), [`one-crate`](https://github.com/crdkit/crdkit/tree/main/examples/one-crate) | build scripts that write them |
//! | [`client`](https://github.com/crdkit/crdkit/tree/main/examples/client) | programs that install definitions and work with objects |
//! | [`informer`](https://github.com/crdkit/crdkit/tree/main/examples/informer) | a live table, and an operator |
//! | [`sites`](https://github.com/crdkit/crdkit/tree/main/examples/sites) | an operator with a child, a finalizer, conditions and events, from scratch and switched from kube-derive |
//!
//! # Where to read on
//!
//! | module | what it has |
//! |---|---|
//! | [`attributes`] | every attribute of the derives, with examples |
//! | [`migration`] | how to come from kube-derive, and what differs |
//! | [`kubebuilder`] | the markers of kubebuilder, and the keys that take their places |
//! | [`definition`] | what a resource is, as constant data |
//! | [`schema`] | [which types have a schema](schema#types-that-have-one), those of Kubernetes among them, and what it is, as constant data |
//! | [`render`] | definitions and schemas as types of the Kubernetes API |
//! | [`merge`] | several versions of one kind as one definition |
//! | [`compare`] | what a definition accepts or keeps no longer |
//! | [`validate`] | the rules that the API server has for definitions |
//! | [`emit`] | definitions as YAML files: a program, a test, a build script |
//! | [`size`] | how large a definition is, and what makes it smaller |
//! | [`testing`] | the check that the generated test of each resource runs, whether schema and decoder agree, and how to test without a cluster |
//! | [`conditions`] | what is true of an object, and since when |
//! | [`apply`] | parts of objects, for server-side apply |
//! | [`subresource`] | which types have a status and a scale |
//! | `client` | typed clients, with the feature of the name |
//! | `informer` | caches that a watch keeps up to date, with the feature of the name |
//!
//! # Features
//!
//! Without `client` crdkit pulls in neither an async runtime nor a network stack.
//!
//! | feature | what it does |
//! |---|---|
//! | `latest` | passes `latest` on to k8s-openapi: the newest Kubernetes that it knows |
//! | `cel` | rules can [run in process](attributes#rules-run-in-process) |
//! | `bytes`, `chrono`, `url`, `uuid` | the types of the crate of that name have schemas; those of jiff, which k8s-openapi uses, always do |
//! | `testing` | [`testing`](mod@testing) finds where a schema and its decoder disagree; for `[dev-dependencies]` |
//! | `yaml` | [`emit`]'s programs compare definitions with those of an older release in YAML; implied by `client` |
//! | `raw_value` | serde_json's `RawValue` has a schema; implied by `client` |
//! | `client` | typed clients, on kube's |
//! | `informer` | informers, listers and work queues; implies `client` |
//! | `rustls-tls`, `ring` | `client` encrypts with rustls and ring; on by default, and nothing without `client` |
//! | `openssl-tls`, `aws-lc-rs`, `webpki-roots` | other ways for `client` to encrypt, as kube names them; leave the default features out to replace rustls |
//! | `oauth`, `oidc`, `socks5`, `http-proxy`, `gzip`, `ws` | what else kube's client can do, as kube names it |
//!
//! What the derives generate does not depend on features.
//!
//! # Features of k8s-openapi
//!
//! k8s-openapi wants to know a version of Kubernetes, and only the final program should choose it, once: two versions
//! in one build are an error of k8s-openapi's. A program that depends on k8s-openapi chooses there, another enables
//! crdkit's `latest`, and a library chooses in its `[dev-dependencies]` only, for its tests. Cargo builds a build script
//! apart from its program, so where one writes definitions, its `[build-dependencies]` choose a version too. The version decides which fields the types of
//! k8s-openapi have in Rust. It changes nothing for the types that crdkit knows itself, such as `Condition`, `Quantity`
//! or `LabelSelector`: they have the same schemas with every version. All other types, such as `PodTemplateSpec`, get
//! theirs from k8s-openapi's feature `schemars`, which must be on to use them as fields; there the version counts.
//!
//! # Types that contain each other
//!
//! A schema is a constant, and a structural schema has no references. A type that contains itself is an error of the
//! derive. Where two types contain each other, the derive sees only one of them, and rustc says it: error E0391, `cycle
//! detected`. Cut the cycle with a field that accepts any value:
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

// Generated code names this crate `::crdkit`, in here too.
extern crate self as crdkit;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod admission;
pub mod apply;
pub mod attributes;
mod cel;
mod check;
#[cfg(feature = "client")]
pub mod client;
pub mod compare;
pub mod conditions;
pub mod definition;
pub mod emit;
mod error;
mod foreign;
#[cfg(feature = "informer")]
pub mod informer;
mod json_pointer;
mod json_schema;
#[doc(alias("marker", "controller-gen"))]
pub mod kubebuilder;
mod list_kind;
mod mark;
pub mod merge;
pub mod migration;
mod parse;
mod probe;
mod props;
pub mod render;
mod root;
pub mod schema;
pub mod size;
mod structural;
pub mod subresource;
#[doc(alias("envtest", "fake", "mock"))]
pub mod testing;
mod text;
pub mod validate;

pub use apply::Apply;
#[cfg(feature = "client")]
pub use client::Client;
pub use crdkit_macros::{Apply, CustomResource, JsonSchema, KubeSchema, Resource, group_version};
pub use definition::CustomResource;
pub use foreign::Foreign;
/// The types of Kubernetes, such as [`Condition`](k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition), in the
/// version that crdkit is compiled with.
pub use k8s_openapi;
#[cfg(feature = "client")]
pub use kube;
pub use kube_core::{CustomResourceExt, Duration, Resource};
pub use schema::KubeSchema;
#[doc(hidden)]
pub use schemars_trait::*;

/// Schemars' trait, without the derive that may stand beside it under the same name: ours takes its place.
mod schemars_trait {
    pub use schemars::JsonSchema;
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
