//! The manifests of an operator: its Deployment, and what it requires.

use std::path::PathBuf;

use crdkit::__internal::{emit::objects::to_object, json_value::to_value};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

mod chart;
mod files;
mod objects;
mod watched_namespaces;

/// The manifests that run a program in a cluster: its Deployment, and what that requires.
///
/// A [`Project`](crate::Project::operator) writes them together with its definitions, [policies](crdkit::emit::AdmissionPolicy) and
/// webhook configurations, in the forms that are selected here, and checks in a test that they are up to date:
///
/// | form | contents |
/// |---|---|
/// | [`yaml`](Self::yaml) | everything in one file, for `kubectl apply` |
/// | [`kustomize`](Self::kustomize) | a base for overlays of kustomize, with a component for the ServiceMonitor |
/// | [`helm`](Self::helm) | a Helm chart, with the definitions in `crds/`, which Helm installs but does not update |
/// | [`samples`](Self::samples) | a minimal and a full object of each kind |
///
/// The objects:
///
/// | kind | |
/// |---|---|
/// | Namespace | enforces the Pod security standard `restricted`; a chart has none |
/// | ServiceAccount and roles | with the name of the operator, and the roles of `Manager::rbac` |
/// | Deployment | probes, limits and the security context of the standard `restricted` |
/// | Service | metrics, and webhooks if a webhook configuration or a conversion refers to it |
/// | NetworkPolicy | webhooks from everywhere, and metrics from namespaces with the label `metrics: enabled` |
/// | ClusterRoles for metrics | with [`secure_metrics`](Self::secure_metrics): one by which the operator asks who may read them, and one for those who may |
/// | ServiceMonitor | for the operator of Prometheus, [if it is selected](Self::service_monitor), in a chart by the value `serviceMonitor.enabled` |
///
/// The ports are those of `ServeOptions` and `WebhookServer`. With more than one replica, the manager must have a leader election
/// or shards.
///
/// ```
/// use crdkit::{CustomResource, KubeSchema, emit::Crds};
/// use crdkit_tools::{Operator, Project};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// pub struct AtSpec {
///     pub schedule: String,
/// }
/// # let directory = std::env::temp_dir().join(format!("crdkit-operator-{}", std::process::id()));
///
/// let operator = Operator::new("at-operator", "at-system").image("registry.example.com/at-operator:1.2.0").directory(&directory);
/// let project = Project::new(Crds::new().add::<At>().directory(directory.join("crds"))).operator(operator);
/// project.write()?;
/// assert!(directory.join("install.yaml").exists() && directory.join("chart/values.yaml").exists());
/// assert!(project.check().is_ok());
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("Deployment", "Helm", "kustomize", "chart", "ServiceMonitor", "NetworkPolicy"))]
#[derive(Clone, Debug)]
#[must_use = "`Project::operator` takes it"]
pub struct Operator {
    name: String,
    namespace: String,
    version: String,
    image: String,
    replicas: u32,
    resources: Value,
    env: Vec<Value>,
    has_service_monitor: bool,
    has_secure_metrics: bool,
    /// The roles and bindings.
    roles: Vec<Value>,
    /// Those of a program that is limited to [`watched_namespaces::WATCHED`]; empty if it does not take its namespaces from the environment.
    limited_roles: Vec<Value>,
    /// The namespaces to which it is limited; `None` for all.
    watched: Option<Vec<String>>,
    /// Further objects.
    objects: Vec<Value>,
    yaml: Option<PathBuf>,
    kustomize: Option<PathBuf>,
    helm: Option<PathBuf>,
    samples: Option<PathBuf>,
}

impl Operator {
    /// Creates the manifests of a program. All objects have its name, also the Service and the ServiceAccount.
    ///
    /// The image is `NAME:VERSION`, and there are two replicas.
    pub fn new(name: impl Into<String>, namespace: impl Into<String>) -> Self {
        let name = name.into();
        let resources = json!({
            "limits": { "cpu": "500m", "memory": "128Mi" },
            "requests": { "cpu": "10m", "memory": "64Mi" },
        });
        Self {
            image: name.clone(),
            name,
            namespace: namespace.into(),
            version: std::env::var("CARGO_PKG_VERSION").unwrap_or_else(|_| "0.1.0".to_owned()),
            replicas: 2,
            resources,
            env: Vec::new(),
            has_service_monitor: false,
            has_secure_metrics: false,
            roles: Vec::new(),
            limited_roles: Vec::new(),
            watched: None,
            objects: Vec::new(),
            yaml: None,
            kustomize: None,
            helm: None,
            samples: None,
        }
    }

    /// Sets the version of the program, which is that of the chart, and the tag of an image without one. By default, it is that of
    /// the package that cargo runs.
    pub fn version(self, version: impl Into<String>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// Sets the image, such as `registry.example.com/vm-operator`, with a tag or a digest or without.
    pub fn image(self, image: impl Into<String>) -> Self {
        Self { image: image.into(), ..self }
    }

    /// Sets the number of replicas, of which one is the leader.
    pub fn replicas(self, replicas: u32) -> Self {
        Self { replicas, ..self }
    }

    /// Sets the requests of the container for resources, such as `[("cpu", "100m"), ("memory", "256Mi")]`.
    pub fn requests<'a>(mut self, requests: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.resources["requests"] = requests.into_iter().collect();
        self
    }

    /// Sets the limits of the container for resources.
    pub fn limits<'a>(mut self, limits: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.resources["limits"] = limits.into_iter().collect();
        self
    }

    /// Sets an environment variable of the container, such as `RUST_LOG`.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push(json!({ "name": name, "value": value }));
        self
    }

    /// Adds the ServiceMonitor to the file and to the values of the chart. The cluster must have its definition.
    pub fn service_monitor(self) -> Self {
        Self { has_service_monitor: true, ..self }
    }

    /// Serves metrics at the port 8443 by HTTPS, for those whom the API server permits to read them, as projects by kubebuilder do. The
    /// program calls `ServeOptions::secure_metrics`.
    ///
    /// Adds the ClusterRoles `NAME-metrics-auth`, for the reviews that the program asks for, and `NAME-metrics-reader`. Bind the second
    /// one to the service account of Prometheus, such as by `kubectl create clusterrolebinding vm-operator-metrics
    /// --clusterrole=vm-operator-metrics-reader --serviceaccount=monitoring:prometheus-k8s`.
    #[doc(alias("kube-rbac-proxy", "metrics-reader", "metrics-auth-role"))]
    pub fn secure_metrics(self) -> Self {
        Self { has_secure_metrics: true, ..self }
    }

    /// Adds roles, from [`Manager::rbac`](crdkit::controller::Manager::rbac), for the service account of the operator.
    ///
    /// If the manager takes its namespaces [from the environment](crdkit::controller::Manager::namespaces_from_env), a chart has the value
    /// `watchNamespaces`: with names, the Deployment has them, and each of these namespaces has a Role in place of the ClusterRole.
    #[cfg(feature = "controller")]
    #[cfg_attr(docsrs, doc(cfg(feature = "controller")))]
    pub fn rbac(mut self, rbac: crdkit::controller::Rbac) -> Self {
        let rbac = rbac.service_account(&self.namespace, &self.name);
        if rbac.is_limited_by_env() {
            let limited = rbac.clone().namespaces([watched_namespaces::WATCHED]).to_objects();
            self.limited_roles = watched_namespaces::renamed(limited);
            // Whatever the environment of this process says.
            self.roles = rbac.all_namespaces().to_objects();
        } else {
            self.roles = rbac.to_objects();
        }
        self
    }

    /// Limits the operator to namespaces, if its manager takes them [from the
    /// environment](crdkit::controller::Manager::namespaces_from_env): the Deployment has the variable, and the roles are those of these
    /// namespaces, which must exist.
    ///
    /// A chart has the value `watchNamespaces`, of which this is the default.
    #[cfg(feature = "controller")]
    #[cfg_attr(docsrs, doc(cfg(feature = "controller")))]
    pub fn watch_namespaces(mut self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.watched = Some(namespaces.into_iter().map(Into::into).collect());
        self
    }

    /// Adds an object, such as a ConfigMap.
    ///
    /// # Errors
    ///
    /// If the object cannot be serialized.
    pub fn object(mut self, object: &impl serde::Serialize) -> Result<Self, serde_json::Error> {
        self.objects.push(to_value(object)?);
        Ok(self)
    }

    /// Writes everything into one file. Relative paths are resolved as for [`Crds::directory`](crdkit::emit::Crds::directory).
    pub fn yaml(self, path: impl Into<PathBuf>) -> Self {
        Self { yaml: Some(path.into()), ..self }
    }

    /// Writes a base for kustomize into this directory.
    pub fn kustomize(self, directory: impl Into<PathBuf>) -> Self {
        Self { kustomize: Some(directory.into()), ..self }
    }

    /// Writes a Helm chart into this directory, with values for the image, the replicas, the resources and where Pods are scheduled.
    ///
    /// The names do not depend on the release, since a cluster has one operator of a kind.
    pub fn helm(self, directory: impl Into<PathBuf>) -> Self {
        Self { helm: Some(directory.into()), ..self }
    }

    /// Writes a minimal and a full object of each kind into this directory.
    pub fn samples(self, directory: impl Into<PathBuf>) -> Self {
        Self { samples: Some(directory.into()), ..self }
    }

    /// Writes all forms into a directory: `install.yaml`, `kustomize`, `chart` and `samples`.
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        self.yaml(directory.join("install.yaml"))
            .kustomize(directory.join("kustomize"))
            .helm(directory.join("chart"))
            .samples(directory.join("samples"))
    }

    /// Returns the definitions and the objects of the operator, in the order in which they are created. `beside` are the other
    /// objects of the set.
    pub(crate) fn objects(&self, crds: &[CustomResourceDefinition], beside: &[Value]) -> Vec<Value> {
        let (first, last) = self.installed_parts(crds, beside);
        let [first, last] = [first, last].map(|parts| parts.into_iter().flat_map(|part| part.objects));
        first.chain(crds.iter().map(to_object)).chain(last).collect()
    }

    #[cfg(feature = "controller")]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the namespace and the name of the Service.
    #[cfg(feature = "dev")]
    pub(crate) fn service_name(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }

    /// Returns the roles in all forms but a chart.
    fn installed_roles(&self) -> Vec<Value> {
        match self.limited_to() {
            Some(namespaces) => watched_namespaces::in_namespaces(&self.limited_roles, namespaces),
            None => self.roles.clone(),
        }
    }

    /// Returns the environment of the container in all forms but a chart.
    fn installed_env(&self) -> Vec<Value> {
        self.limited_to().map(watched_namespaces::variable).into_iter().chain(self.env.clone()).collect()
    }

    /// Returns the namespaces to which the operator is limited, if its manager reads them.
    fn limited_to(&self) -> Option<&[String]> {
        self.watched.as_deref().filter(|_| !self.limited_roles.is_empty())
    }

    /// Returns the image with a tag or a digest.
    fn full_image(&self) -> String {
        let (repository, suffix) = self.split_image();
        if suffix.is_empty() { format!("{repository}:{}", self.version) } else { self.image.clone() }
    }

    /// Returns the image, and its tag or digest with the character before, or nothing.
    fn split_image(&self) -> (&str, &str) {
        let name = self.image.rfind('/').map_or(0, |slash| slash + 1);
        let end = self.image[name..].find(['@', ':']).map_or(self.image.len(), |at| name + at);
        self.image.split_at(end)
    }
}

#[cfg(test)]
mod tests;
