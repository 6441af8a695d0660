//! CustomResourceDefinitions as YAML files.
//!
//! [`Crds`] collects the types of a project, merges the versions of each kind, and writes one file per kind or one file
//! for all. The output is deterministic, and unchanged files are not written.
//!
//! [Policies](AdmissionPolicy), and the configurations of webhooks with the feature `webhook`, are written beside them.
//!
//! # A program
//!
//! Three lines are enough for a program with the commands `write`, `check`, `print` and `diff`, for `cargo run` and for CI:
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::emit::Crds;
//!
//! fn main() -> std::process::ExitCode {
//!     Crds::new().add::<At>().main()
//! }
//! ```
//!
//! # Review changes
//!
//! `diff OLD` shows the changes since other definitions, and whom each breaks: those of a file or directory, of a git revision
//! (`diff git:v1.2.0`), or in the cluster (`diff cluster`, with the feature `client`). Files are JSON or, with crdkit's feature
//! `yaml`, YAML. The output is text, Markdown or JSON, and the exit code depends on the most severe change. [`compare`] describes
//! the rules, and `check --against FILE` prints only the breaking changes. [`Crds::allow`] and the file `crd-exceptions.txt` accept single changes.
//!
//! [`compare`]: crate::compare
//!
//! # A test
//!
//! If the files are committed, a test keeps them up to date. It fails with a diff and the command that updates the
//! files, which is the same test with `CRDKIT_BLESS=1`:
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::emit::{CheckError, Crds};
//!
//! #[test]
//! fn crds_are_up_to_date() -> Result<(), CheckError> {
//!     Crds::new().add::<At>().check()
//! }
//! ```
//!
//! # Tools
//!
//! The program of the crate [`crdkit-tools`] has these commands and more: it writes API references, samples and the manifests of an
//! operator, checks conventions, writes Rust types for existing definitions, and installs definitions and the operator in a cluster.
//! [`Crds`] has the definitions for it, too.
//!
//! [`crdkit-tools`]: https://docs.rs/crdkit-tools
//!
//! # Roles and other objects
//!
//! [`Manifests`] is a file with objects of any kinds and the same check. `Manager::rbac` of the feature `controller` returns the
//! roles of an operator.
//!
//! # A build script
//!
//! A build script cannot use its own crate, but it can include the module with the types, which is then compiled twice:
//!
//! ```no_run
//! # /*
//! #[path = "src/types.rs"]
//! mod types;
//! # */
//! # mod types {
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! # }
//!
//! fn main() -> std::process::ExitCode {
//!     crdkit::emit::Crds::new().add::<types::At>().build_script()
//! }
//! ```
//!
//! Cargo runs the script again whenever the module changes. The module's dependencies must be listed in
//! `[dependencies]` and in `[build-dependencies]`. Paths in it must not start with `crate::`, which refers to the
//! script. A module of several files is a folder with a `mod.rs`: `#[path = "src/types/mod.rs"]`. The example
//! [`one-crate`] is a complete crate of this kind.
//!
//! Alternatively, the types are in a separate crate, which is a build dependency, as in the example [`build-script`].
//! It is also compiled once for the script and once for the program, and other crates can use it:
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! use crdkit::emit::Crds;
//!
//! fn main() -> std::process::ExitCode {
//!     Crds::new().add::<At>().build_script()
//! }
//! ```
//!
//! [`one-crate`]: https://github.com/crdkit/crdkit/tree/main/examples/one-crate
//! [`build-script`]: https://github.com/crdkit/crdkit/tree/main/examples/build-script

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

mod build_script;
pub(crate) mod check;
mod crds;
mod diff;
mod error;
pub(crate) mod exceptions;
pub(crate) mod files;
mod manifests;
pub(crate) mod markdown;
mod names;
pub(crate) mod objects;
pub(crate) mod phrase;
mod policy;
pub(crate) mod program;
mod set;
pub(crate) mod sources;
pub(crate) mod style;

pub use crds::Crds;
pub use diff::{CrdsDiff, DefinitionDiff, DiffEntry};
pub use error::{CheckError, EmitError, EmitProblem, FileError, Outdated, WriteError};
pub use files::WriteReport;
pub use manifests::Manifests;
pub use policy::AdmissionPolicy;
pub use set::RenderedCrds;

use crate::yaml::{order::Order, write};
use crds::Destination;
use objects::to_object;

/// Returns a definition as YAML.
///
/// ```
/// use crdkit::{CustomResource, KubeSchema, emit, render::render};
/// use serde::{Deserialize, Serialize};
///
/// /// Runs a command, once.
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     /// When to run.
///     pub schedule: String,
/// }
///
/// assert_eq!(emit::to_yaml(&render::<At>()?), "\
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata:
///   name: ats.example.com
/// spec:
///   group: example.com
///   names:
///     kind: At
///     listKind: AtList
///     plural: ats
///     singular: at
///   scope: Namespaced
///   versions:
///   - name: v1
///     served: true
///     storage: true
///     schema:
///       openAPIV3Schema:
///         description: Runs a command, once.
///         type: object
///         required:
///         - spec
///         properties:
///           spec:
///             description: Runs a command, once.
///             type: object
///             required:
///             - schedule
///             properties:
///               schedule:
///                 description: When to run.
///                 type: string
/// ");
/// # Ok::<(), crdkit::render::RenderError>(())
/// ```
pub fn to_yaml(crd: &CustomResourceDefinition) -> String {
    write::document(&to_object(crd), Order::CRD)
}

/// Returns a definition as a document of a stream. It starts with `---`, so that files can be concatenated.
fn document(crd: &CustomResourceDefinition) -> String {
    format!("---\n{}", to_yaml(crd))
}

#[cfg(test)]
mod tests;
