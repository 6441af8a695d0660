//! CustomResourceDefinitions as YAML files.
//!
//! [`Crds`] takes the types of a project, merges those that are versions of one kind, and writes
//! one file per kind or one file for all. Keys stand in a fixed order and numbers in plain digits,
//! so the files are the same wherever they are written, and only those that changed are touched.
//!
//! # A program
//!
//! Three lines give a program with `write`, `check` and `print`, for `cargo run` and for CI:
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
//! `check --against FILE` compares the definitions with those of an older release, and shows what they
//! accept or keep no longer. It reads JSON, and YAML with crdkit's feature `yaml`.
//!
//! # A test
//!
//! Where the files are committed, a test keeps them true. It fails with a diff and the command that
//! updates them, which is the same test with `CRDKIT_BLESS=1`:
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
//! # A build script
//!
//! A build script cannot use the crate that it belongs to. It can have the module with the types as its own, which is
//! compiled twice then:
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
//! Cargo runs the script again whenever such a module changes. What the module needs stands in `[dependencies]` and in
//! `[build-dependencies]`. It names nothing by `crate::`, which is the script there; one of several files is a folder with a
//! `mod.rs`, `#[path = "src/types/mod.rs"]`. The example [`one-crate`] is a whole crate of this kind.
//!
//! Or the types are in a crate of their own, which is a build dependency, as in the example [`build-script`]: it is compiled
//! once for scripts and once for programs, too, and can be used by others. Whenever it changes, so do the files:
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

use std::path::PathBuf;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::definition::CustomResource;
use crate::schema::Descriptions;

mod against;
mod build_script;
mod check;
mod crd_source;
mod diff;
mod error;
mod files;
mod names;
mod order;
mod program;
mod scalar;
mod set;
mod yaml;

pub use error::{CheckError, EmitError, EmitProblem, FileError, Outdated, WriteError};

pub use files::WriteReport;
pub use set::RenderedCrds;

use crd_source::CrdSource;
use order::Order;

/// A set of custom resources, and where their definitions are written.
///
/// Types of one kind are its versions. A directory belongs to one set: files in it that crdkit
/// wrote and that are no longer of the set are removed.
///
/// ```
/// use crdkit::{CustomResource, KubeSchema, emit::Crds};
/// use serde::{Deserialize, Serialize};
///
/// /// Runs a command, once.
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     pub schedule: String,
/// }
/// # let directory = std::env::temp_dir().join(format!("crdkit-doc-{}", std::process::id()));
///
/// let crds = Crds::new().add::<At>().directory(&directory);
/// let written = crds.write()?;
/// assert!(written.written[0].ends_with("ats.example.com.yaml"));
/// assert!(crds.check().is_ok());
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("controller-gen", "CustomResourceDefinition"))]
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is written before `write`, `check`, `main` or `build_script` is called"]
pub struct Crds {
    sources: Vec<CrdSource>,
    descriptions: Option<Descriptions>,
    destination: Option<Destination>,
    update_command: Option<String>,
}

/// Where the files are.
#[derive(Clone, Debug, PartialEq)]
enum Destination {
    /// One file per kind, in here.
    Directory(PathBuf),
    /// One file for all.
    File(PathBuf),
}

impl Crds {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type: a kind, or one version of it.
    pub fn add<K: CustomResource>(mut self) -> Self {
        self.sources.push(CrdSource::of_type::<K>());
        self
    }

    /// Adds a definition that was not made from a type. Errors call it by `name`.
    pub fn add_crd(mut self, name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        self.sources.push(CrdSource::of_crd(name.into(), crd));
        self
    }

    /// Writes these descriptions, whatever the types say of themselves. What a field says of itself stays, and so does what
    /// [`add_crd`](Self::add_crd) added.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, emit::Crds, schema::Descriptions};
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// Runs a command, once.
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
    /// pub struct AtSpec {
    ///     pub schedule: String,
    /// }
    ///
    /// let crds = Crds::new().add::<At>();
    /// assert!(crds.to_yaml()?.contains("Runs a command"));
    /// assert!(!crds.descriptions(Descriptions::None).to_yaml()?.contains("Runs a command"));
    /// # Ok::<(), crdkit::emit::EmitError>(())
    /// ```
    pub fn descriptions(mut self, descriptions: Descriptions) -> Self {
        self.descriptions = Some(descriptions);
        self
    }

    /// Writes one file per kind, `<plural>.<group>.yaml`, into this directory.
    ///
    /// A relative path starts where the `Cargo.toml` is of the package that cargo runs; a program that is started without
    /// cargo has only its current directory to go by. Without this and
    /// [`file`](Self::file), programs and tests use `crds`, and build scripts `OUT_DIR`.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.destination = Some(Destination::Directory(path.into()));
        self
    }

    /// Writes all definitions into this file, sorted by name.
    ///
    /// A relative path starts where that of [`directory`](Self::directory) does.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.destination = Some(Destination::File(path.into()));
        self
    }

    /// The command that updates the files, such as `just crds`: the files and messages name it.
    pub fn update_command(mut self, command: impl Into<String>) -> Self {
        self.update_command = Some(command.into());
        self
    }

    /// The definitions, one per kind.
    ///
    /// # Errors
    ///
    /// Everything that keeps the set from being installed, with the names of the types: schemas
    /// that cannot be rendered, versions that cannot be merged, rules of the API server that a
    /// definition breaks, names that two kinds of a group share, and definitions that are too large
    /// for the API server.
    pub fn render(&self) -> Result<RenderedCrds, EmitError> {
        set::render(&self.sources, self.descriptions)
    }

    /// All definitions in one YAML stream.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    pub fn to_yaml(&self) -> Result<String, EmitError> {
        Ok(self.stream(&self.render()?.crds))
    }

    /// Definitions in one stream. Each begins with `---`, so that files can be joined.
    fn stream<'a>(&self, crds: impl IntoIterator<Item = &'a CustomResourceDefinition>) -> String {
        let documents = crds.into_iter().map(|crd| format!("---\n{}", to_yaml(crd)));
        std::iter::once(self.header()).chain(documents).collect()
    }

    /// The comment at the top of each file.
    fn header(&self) -> String {
        match &self.update_command {
            Some(command) => format!("{}\n# Update it with `{command}`.\n", files::HEADER),
            None => format!("{}\n", files::HEADER),
        }
    }
}

/// One definition as YAML.
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
    let mut value = serde_json::to_value(crd).expect("all keys of a definition are strings");
    if let Some(object) = value.as_object_mut() {
        // It is the server's.
        object.remove("status");
    }
    yaml::document(&value, Order::CRD)
}

#[cfg(test)]
mod tests;
