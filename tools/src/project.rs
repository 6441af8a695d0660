//! The definitions of a project, and what belongs to them.

#[cfg(feature = "controller")]
use std::{fmt, sync::Arc};

use crdkit::{
    __internal::emit::{
        check::check_files,
        files::Files,
        objects::{objects, to_object},
    },
    emit::{CheckError, Crds, EmitError, WriteError, WriteReport},
};
#[cfg(feature = "controller")]
use crdkit::{Client, controller::Manager};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use crate::{
    lint::{Lint, LintError, LintFinding, NamingConvention, lint_definitions},
    operator::Operator,
};

/// The definitions of a project, the manifests of its operator, and its naming conventions.
///
/// [`main`](crate::main) runs a program with it. A test can [check](Self::check) that committed files are up to date.
///
/// ```
/// use crdkit::{CustomResource, KubeSchema, emit::Crds};
/// use crdkit_tools::{Operator, Project};
/// use serde::{Deserialize, Serialize};
///
/// /// Runs a command, once.
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     pub schedule: String,
/// }
///
/// let project = Project::new(Crds::new().add::<At>()).operator(Operator::new("at-operator", "at-system"));
/// let objects = project.to_objects()?;
/// let kinds: Vec<_> = objects.iter().map(|object| object["kind"].as_str().unwrap()).collect();
/// let expected =
///     ["Namespace", "CustomResourceDefinition", "ServiceAccount", "Service", "Deployment", "NetworkPolicy"];
/// assert_eq!(kinds, expected);
/// # Ok::<(), crdkit::emit::EmitError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is written before `write`, `check` or `main` is called"]
pub struct Project {
    crds: Crds,
    operator: Option<Operator>,
    naming_conventions: Vec<NamingConvention>,
    #[cfg(feature = "controller")]
    manager: Option<ManagerOf>,
}

/// Builds the manager of an operator.
#[cfg(feature = "controller")]
#[derive(Clone)]
struct ManagerOf(Arc<dyn Fn(Client) -> Manager + Send + Sync>);

#[cfg(feature = "controller")]
impl fmt::Debug for ManagerOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ManagerOf")
    }
}

impl Project {
    /// Creates a project without an operator.
    pub fn new(crds: Crds) -> Self {
        Self { crds, ..Self::default() }
    }

    /// Writes the manifests of the operator together with the definitions.
    ///
    /// Policies and webhook configurations are then part of these manifests, not of the [directory](Crds::directory) of definitions.
    pub fn operator(self, operator: Operator) -> Self {
        Self { operator: Some(operator), ..self }
    }

    /// Sets the manager of the operator, for a client of the cluster: the command `plan` shows what it would write.
    ///
    /// ```
    /// # use crdkit::{Client, controller::Manager, emit::Crds};
    /// # use crdkit_tools::Project;
    /// # fn manager(client: Client) -> Manager { Manager::new(client) }
    /// let project = Project::new(Crds::new()).manager(|client| manager(client.field_manager("at-operator")));
    /// ```
    #[cfg(feature = "controller")]
    #[cfg_attr(docsrs, doc(cfg(feature = "controller")))]
    pub fn manager(self, manager: impl Fn(Client) -> Manager + Send + Sync + 'static) -> Self {
        Self { manager: Some(ManagerOf(Arc::new(manager))), ..self }
    }

    #[cfg(feature = "controller")]
    pub(crate) fn has_manager(&self) -> bool {
        self.manager.is_some()
    }

    #[cfg(feature = "controller")]
    pub(crate) fn manager_of(&self, client: Client) -> Option<Manager> {
        self.manager.as_ref().map(|manager| (manager.0)(client))
    }

    /// Adds a convention for names of fields, which the lint `namingconventions` checks.
    ///
    /// `pattern` is a regular expression of Go. A field whose name has a part that matches it is reported with `message`.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, emit::Crds};
    /// use crdkit_tools::{Lint, Project};
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// Runs a command.
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
    /// #[serde(rename_all = "camelCase")]
    /// pub struct AtSpec {
    ///     /// The color of the output.
    ///     pub output_color: String,
    /// }
    ///
    /// let project = Project::new(Crds::new().add::<At>()).naming_convention("spelling", "(?i)color", "write `colour`");
    /// let findings = project.lint(&[Lint::NamingConventions])?;
    /// assert_eq!(findings[0].to_string(), "ats.example.com v1.spec.outputColor: write `colour` (spelling) [namingconventions]");
    /// # Ok::<(), crdkit_tools::LintError>(())
    /// ```
    pub fn naming_convention(
        mut self,
        name: impl Into<String>,
        pattern: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        self.naming_conventions.push(NamingConvention::new(name.into(), pattern.into(), message.into()));
        self
    }

    /// Returns the name of the operator, if there is one.
    #[cfg(feature = "controller")]
    pub(crate) fn operator_name(&self) -> Option<&str> {
        self.operator.as_ref().map(Operator::name)
    }

    /// Returns the definitions, with the policies and webhook configurations.
    pub fn crds(&self) -> &Crds {
        &self.crds
    }

    /// Writes the files that have changed, of the definitions and of the operator.
    ///
    /// # Errors
    ///
    /// If the definitions cannot be rendered, or a file cannot be read or written.
    pub fn write(&self) -> Result<WriteReport, WriteError> {
        Ok(self.files()?.update()?)
    }

    /// Checks in a test that the files of the definitions and of the operator are up to date.
    ///
    /// If the environment variable `CRDKIT_BLESS` is `1`, the files are updated instead.
    ///
    /// ```no_run
    /// # use crdkit::emit::Crds;
    /// # fn project() -> crdkit_tools::Project { Crds::new().into() }
    /// use crdkit::emit::CheckError;
    ///
    /// #[test]
    /// fn manifests_are_up_to_date() -> Result<(), CheckError> {
    ///     project().check()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Crds::check`].
    pub fn check(&self) -> Result<(), CheckError> {
        check_files(&self.crds, &self.files()?)
    }

    /// Returns everything that the operator requires, in the order in which it is created: the definitions, and the objects of the
    /// [operator](Self::operator).
    ///
    /// # Errors
    ///
    /// The errors of [`Crds::render`].
    pub fn to_objects(&self) -> Result<Vec<Value>, EmitError> {
        let rendered = self.crds.render()?.crds;
        let beside = objects(&self.crds);
        Ok(match &self.operator {
            Some(operator) => operator.objects(&rendered, &beside),
            None => rendered.iter().map(to_object).chain(beside).collect(),
        })
    }

    /// Returns where the definitions do not follow conventions of the Kubernetes API.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, emit::Crds};
    /// use crdkit_tools::{Lint, Project};
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// Runs a command.
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
    /// pub struct AtSpec {
    ///     /// How often to try, on average.
    ///     pub attempts: f64,
    /// }
    ///
    /// let crds = Crds::new().add::<At>();
    /// assert_eq!(Project::new(crds.clone()).lint(&[Lint::NoFloats])?[0].path, ".spec.attempts");
    /// let crds = crds.allow("nofloats", "ats.example.com", ".spec.attempts", "It is an average.");
    /// let findings = Project::new(crds).lint(&[Lint::NoFloats])?;
    /// assert_eq!(findings[0].allowed.as_deref(), Some("It is an average."));
    /// # Ok::<(), crdkit_tools::LintError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Crds::render`], and if the file of exceptions cannot be read, or a [naming
    /// convention](Self::naming_convention) has an invalid pattern.
    pub fn lint(&self, lints: &[Lint]) -> Result<Vec<LintFinding>, LintError> {
        self.lint_definitions(&self.crds.render()?.crds, lints)
    }

    /// Returns the findings in definitions, with the exceptions and naming conventions of this project.
    pub(crate) fn lint_definitions(
        &self,
        definitions: &[CustomResourceDefinition],
        lints: &[Lint],
    ) -> Result<Vec<LintFinding>, LintError> {
        lint_definitions(&self.crds, &self.naming_conventions, definitions, lints)
    }

    /// Returns the files of the definitions and of the operator.
    pub(crate) fn files(&self) -> Result<Files, WriteError> {
        let Some(operator) = &self.operator else {
            return Files::of(&self.crds);
        };
        let rendered = self.crds.render()?;
        let files = Files::of_definitions(&self.crds, &rendered);
        Ok(operator.add_files(&rendered.crds, &objects(&self.crds), files))
    }

    /// Returns whether there is an operator.
    pub(crate) fn has_operator(&self) -> bool {
        self.operator.is_some()
    }

    /// Returns the namespace and the name of the Service of the operator.
    #[cfg(feature = "dev")]
    pub(crate) fn service_name(&self) -> Option<(&str, &str)> {
        self.operator.as_ref().map(Operator::service_name)
    }
}

/// A project without an operator.
impl From<Crds> for Project {
    fn from(crds: Crds) -> Self {
        Self::new(crds)
    }
}
