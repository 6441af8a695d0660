//! CustomResourceDefinitions as YAML files.
//!
//! [`Crds`] collects the types of a project, merges the versions of each kind, and writes one file per kind or one file
//! for all. The output is deterministic, and unchanged files are not written.
//!
//! # A program
//!
//! Three lines are enough for a program with the commands `write`, `check` and `print`, for `cargo run` and for CI:
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
//! `check --against FILE` compares the definitions with those of an older release and prints breaking changes. The file
//! is JSON or, with crdkit's feature `yaml`, YAML.
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

/// A set of custom resources, and the destination of their definitions.
///
/// Types with the same kind are its versions. A directory belongs to one set: files that crdkit wrote there and that no
/// longer belong to the set are removed.
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

/// The destination of the files.
#[derive(Clone, Debug, PartialEq)]
enum Destination {
    /// A directory with one file per kind.
    Directory(PathBuf),
    /// A file with all definitions.
    File(PathBuf),
}

impl Crds {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type: a kind, or a version of a kind.
    pub fn add<K: CustomResource>(mut self) -> Self {
        self.sources.push(CrdSource::of_type::<K>());
        self
    }

    /// Adds a definition that does not come from a type. Errors refer to it by `name`.
    pub fn add_crd(mut self, name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        self.sources.push(CrdSource::of_crd(name.into(), crd));
        self
    }

    /// Selects the descriptions to write, overriding the attribute `descriptions` of the types, but not that of fields.
    /// Definitions added with [`add_crd`](Self::add_crd) are not affected.
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
    /// A relative path is resolved against the directory of the package's `Cargo.toml`, or against the current
    /// directory if the program is not run by cargo. If neither this nor [`file`](Self::file) is set, programs and
    /// tests use `crds`, and build scripts use `OUT_DIR`.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.destination = Some(Destination::Directory(path.into()));
        self
    }

    /// Writes all definitions into this file, sorted by name.
    ///
    /// A relative path is resolved as for [`directory`](Self::directory).
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.destination = Some(Destination::File(path.into()));
        self
    }

    /// Sets the command that updates the files, such as `just crds`, for use in the files and in messages.
    pub fn update_command(mut self, command: impl Into<String>) -> Self {
        self.update_command = Some(command.into());
        self
    }

    /// Returns the definitions, one per kind.
    ///
    /// # Errors
    ///
    /// All problems that prevent the installation of the set, with the names of the types: schemas that cannot be
    /// rendered, versions that cannot be merged, violated validation rules of the API server, names that two kinds of a
    /// group share, and definitions that are too large for the API server.
    pub fn render(&self) -> Result<RenderedCrds, EmitError> {
        set::render(&self.sources, self.descriptions)
    }

    /// Returns all definitions in one YAML stream.
    ///
    /// # Errors
    ///
    /// The errors of [`render`](Self::render).
    pub fn to_yaml(&self) -> Result<String, EmitError> {
        Ok(self.stream(&self.render()?.crds))
    }

    /// Returns definitions in one stream. Each starts with `---`, so that files can be concatenated.
    fn stream<'a>(&self, crds: impl IntoIterator<Item = &'a CustomResourceDefinition>) -> String {
        let documents = crds.into_iter().map(|crd| format!("---\n{}", to_yaml(crd)));
        std::iter::once(self.header()).chain(documents).collect()
    }

    /// Returns the comment at the top of each file.
    fn header(&self) -> String {
        match &self.update_command {
            Some(command) => format!("{}\n# Update it with `{command}`.\n", files::HEADER),
            None => format!("{}\n", files::HEADER),
        }
    }
}

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
    let mut value = serde_json::to_value(crd).expect("all keys of a definition are strings");
    if let Some(object) = value.as_object_mut() {
        // The status belongs to the server.
        object.remove("status");
    }
    yaml::document(&value, Order::CRD)
}

#[cfg(test)]
mod tests;
