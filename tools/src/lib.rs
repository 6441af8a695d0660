//! Tools for the Kubernetes custom resources of [crdkit], in a program of your project.
//!
//! [`main`] runs the program. A [`Project`] has the definitions and, if there is one, the [`Operator`]; definitions alone are enough:
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::emit::Crds;
//! use crdkit_tools::{Operator, Project};
//!
//! fn main() -> std::process::ExitCode {
//!     let crds = Crds::new().add::<At>().directory("manifests/crds");
//!     let operator = Operator::new("at-operator", "at-system").directory("manifests");
//!     crdkit_tools::main(Project::new(crds).operator(operator))
//! }
//! ```
//!
//! Each tool is a function, too:
//!
//! ```
//! use crdkit::{CustomResource, CustomResourceExt, KubeSchema, emit::Crds};
//! use crdkit_tools::{Lint, Project, import, reference_markdown, samples};
//! use serde::{Deserialize, Serialize};
//!
//! /// Runs a command, once.
//! #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! pub struct AtSpec {
//!     /// When to run.
//!     pub schedule: String,
//! }
//!
//! let crd = At::crd();
//! assert!(reference_markdown(std::slice::from_ref(&crd)).contains("Runs a command, once."));
//! assert_eq!(samples(&crd)[0].object["kind"], "At");
//! assert!(import(&crd).code.contains("pub struct AtSpec {"));
//! assert!(Project::new(Crds::new().add::<At>()).lint(Lint::ALL)?.iter().any(|it| it.lint == Lint::MaxLength));
//! # Ok::<(), crdkit_tools::LintError>(())
//! ```
//!
//! # Operators
//!
//! [`Operator`] is the Deployment of a program with what it requires. [`Project::write`] writes it together with the definitions, as
//! YAML, as a base for kustomize, and as a Helm chart.
//!
//! # Clusters
//!
//! The program has `install`, `uninstall` and `deploy`, which waits until the operator is available. None of them loses data of
//! existing objects unless it is permitted. With the feature `dev`, `dev` serves the definitions on an API server in the process, and
//! prints the conditions of their objects and the events; `cargo crdkit dev` runs the operator with it.
//!
//! # Features
//!
//! | feature | effect |
//! |---|---|
//! | `controller` | [`Operator::rbac`](Operator#method.rbac), for the roles of a manager of crdkit, [`Project::manager`](Project#method.manager), for the command `plan`, and the command `dashboard` |
//! | `dev` | the API server in the process of the command `dev` |
//!
//! Encryption of the connections to a cluster, and the version of Kubernetes, are those of the features of crdkit.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod constraint_phrases;
#[cfg(feature = "controller")]
mod dashboard;
mod docs;
mod import;
mod kubernetes;
mod lint;
mod markdown;
mod operator;
mod program;
mod project;
mod samples;

#[cfg(feature = "controller")]
#[cfg_attr(docsrs, doc(cfg(feature = "controller")))]
pub use dashboard::dashboard;
pub use docs::{reference_html, reference_markdown};
pub use import::{Imported, import};
pub use lint::{Lint, LintError, LintFinding};
pub use operator::Operator;
pub use program::main;
pub use project::Project;
pub use samples::{Sample, SampleProblem, samples};

#[cfg(test)]
mod tests;
