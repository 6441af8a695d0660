//! The set of custom resources to write.

use std::path::PathBuf;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::{
    CrdsDiff, EmitError, RenderedCrds, document,
    exceptions::{Exception, Exceptions},
    files,
    objects::ObjectFile,
    set,
};
use crate::{crd::merge::Versions, resource::definition::CustomResource, schema::Descriptions};

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
    /// The versions of each kind.
    pub(super) kinds: Vec<Versions>,
    pub(super) descriptions: Option<Descriptions>,
    pub(super) destination: Option<Destination>,
    pub(super) update_command: Option<String>,
    /// Objects that are no definitions.
    pub(super) objects: Vec<ObjectFile>,
    pub(super) exceptions: Vec<Exception>,
    pub(super) exceptions_file: Option<PathBuf>,
}

/// The destination of the files.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Destination {
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
    pub fn add<K: CustomResource>(self) -> Self {
        self.add_versions(Versions::new().add::<K>())
    }

    /// Adds a definition that does not come from a type. Errors refer to it by `name`.
    pub fn add_crd(self, name: impl Into<String>, crd: CustomResourceDefinition) -> Self {
        self.add_versions(Versions::new().add_crd(name, crd))
    }

    /// Adds versions of a kind, with their conversion and their storage version.
    ///
    /// ```
    /// # mod v1alpha1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1alpha1", kind = "At")]
    /// #     pub struct AtSpec { pub at: String }
    /// # }
    /// # mod v1 {
    /// #     use crdkit::{CustomResource, KubeSchema};
    /// #     #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    /// #     #[crd(group = "example.com", version = "v1", kind = "At")]
    /// #     pub struct AtSpec { pub schedule: String }
    /// # }
    /// use crdkit::{emit::Crds, merge::{ConversionWebhook, Versions}};
    ///
    /// let versions = Versions::new().add::<v1::At>().add::<v1alpha1::At>().store_as::<v1::At>();
    /// let crds = Crds::new().add_versions(versions.conversion(ConversionWebhook::service("operators", "at")));
    /// assert!(crds.to_yaml()?.contains("strategy: Webhook"));
    /// # Ok::<(), crdkit::emit::EmitError>(())
    /// ```
    pub fn add_versions(mut self, versions: Versions) -> Self {
        let mut kinds = self.kinds.iter_mut();
        match kinds.find(|kind| kind.group_kind() == versions.group_kind()) {
            Some(kind) => kind.append(versions),
            None => self.kinds.push(versions),
        }
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
    /// group share, definitions that are too large for the API server, and [policies](super::AdmissionPolicy) that it would
    /// reject.
    pub fn render(&self) -> Result<RenderedCrds, EmitError> {
        set::render(self)
    }

    /// Returns the changes since other definitions, such as those of the last release.
    ///
    /// Changes that [`allow`](Self::allow) or the file of exceptions accepts are marked.
    ///
    /// # Errors
    ///
    /// The errors of [`render`](Self::render), and if the file of exceptions cannot be read.
    pub fn diff(&self, old: &[CustomResourceDefinition]) -> Result<CrdsDiff, EmitError> {
        let exceptions = Exceptions::of(self)?;
        Ok(CrdsDiff::new(old, &self.render()?.crds, &exceptions))
    }

    /// Returns all definitions in one YAML stream, followed by policies and the configurations of webhooks.
    ///
    /// # Errors
    ///
    /// The errors of [`render`](Self::render).
    pub fn to_yaml(&self) -> Result<String, EmitError> {
        Ok(self.stream(&self.render()?.crds))
    }

    /// Returns definitions and everything else as documents of one stream.
    pub(super) fn documents(&self, crds: &[CustomResourceDefinition]) -> String {
        crds.iter().map(document).chain(self.objects.iter().map(ObjectFile::documents)).collect()
    }

    /// Returns definitions and everything else in one stream.
    pub(super) fn stream(&self, crds: &[CustomResourceDefinition]) -> String {
        files::header(self.update_command.as_deref()) + &self.documents(crds)
    }
}
