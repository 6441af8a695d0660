//! Definitions as JSON, and the objects that are written beside them: policies and webhook configurations.

use std::collections::HashSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde_json::Value;

use super::{AdmissionPolicy, Crds, error::EmitProblem};
use crate::{crd::validate::validate_admission, yaml::write};

/// Objects that belong into one file.
#[derive(Clone, Debug)]
pub(super) struct ObjectFile {
    /// The name of the file, without its extension.
    pub(super) name: String,
    pub(super) objects: Vec<Value>,
}

impl Crds {
    /// Adds a policy with its binding, which are written beside the definitions, as `NAME.validatingadmissionpolicy.yaml`.
    pub fn add_policy(self, policy: AdmissionPolicy) -> Self {
        let objects = vec![to_value(&policy.to_policy()), to_value(&policy.to_binding())];
        self.add_objects(objects)
    }

    /// Adds the configurations of webhooks, which are written beside the definitions, as `NAME.mutatingwebhookconfiguration.yaml` and
    /// `NAME.validatingwebhookconfiguration.yaml`.
    ///
    /// ```
    /// use crdkit::{emit::Crds, webhook::{Webhook, WebhookClient, Webhooks}};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let webhooks = Webhooks::new("pod-policy").add(Webhook::of::<Pod>().mutate(|_, _| {}));
    /// let crds = Crds::new().add_webhooks(&webhooks, &WebhookClient::service("operators", "pod-policy"))?;
    /// assert!(crds.to_yaml()?.contains("kind: MutatingWebhookConfiguration\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Webhooks::configurations`](crate::webhook::Webhooks::configurations).
    #[cfg(feature = "webhook")]
    pub fn add_webhooks(
        mut self,
        webhooks: &crate::webhook::Webhooks,
        client: &crate::webhook::WebhookClient,
    ) -> Result<Self, crate::webhook::ConfigurationError> {
        let configurations = webhooks.configurations(client)?;
        let objects =
            [configurations.mutating.as_ref().map(to_value), configurations.validating.as_ref().map(to_value)];
        for object in objects.into_iter().flatten() {
            self = self.add_objects(vec![object]);
        }
        Ok(self)
    }

    fn add_objects(mut self, objects: Vec<Value>) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, kind) = (text(&objects[0]["metadata"]["name"]), text(&objects[0]["kind"]));
        self.objects.push(ObjectFile { name: format!("{name}.{}", kind.to_lowercase()), objects });
        self
    }
}

/// Returns a definition without its status, which belongs to the server.
pub fn to_object(crd: &CustomResourceDefinition) -> Value {
    let mut value = serde_json::to_value(crd).expect("all keys of a definition are strings");
    if let Some(object) = value.as_object_mut() {
        object.remove("status");
    }
    value
}

/// Returns the objects that are written beside the definitions of a set.
pub fn objects(crds: &Crds) -> Vec<Value> {
    crds.objects.iter().flat_map(|file| file.objects.clone()).collect()
}

impl ObjectFile {
    pub(super) fn documents(&self) -> String {
        write::documents(&self.objects)
    }
}

/// Returns a problem for each object that the API server would reject, or that is there twice.
pub(super) fn problems(files: &[ObjectFile]) -> Vec<EmitProblem> {
    let mut names = HashSet::new();
    let mut problems = Vec::new();
    for file in files {
        for object in &file.objects {
            let (kind, name) = (&object["kind"], &object["metadata"]["name"]);
            let (kind, name) = (kind.as_str().unwrap_or_default(), name.as_str().unwrap_or_default());
            let mut errors: Vec<_> = validate_admission(object).iter().map(ToString::to_string).collect();
            if !names.insert((kind, name)) {
                errors.push("it is added twice".to_owned());
            }
            if !errors.is_empty() {
                problems.push(EmitProblem::Rejected { object: format!("{kind} `{name}`"), errors });
            }
        }
    }
    problems
}

fn to_value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).expect("all keys of the object are strings")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;

    fn policy(name: &str) -> AdmissionPolicy {
        AdmissionPolicy::new(name).of::<Pod>().rule("object.spec.hostNetwork != true", "no host network").warn().audit()
    }

    #[test]
    fn a_policy_is_written_with_its_binding() {
        let directory = tempfile::tempdir().unwrap();
        let crds = Crds::new().add_policy(policy("pods")).directory(directory.path());
        crds.write().unwrap();
        let written = std::fs::read_to_string(directory.path().join("pods.validatingadmissionpolicy.yaml")).unwrap();
        let expected = "\
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: pods
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups:
      - ''
      apiVersions:
      - v1
      operations:
      - CREATE
      - UPDATE
      resources:
      - pods
  validations:
  - expression: object.spec.hostNetwork != true
    message: no host network
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: pods
spec:
  policyName: pods
  validationActions:
  - Warn
  - Audit
";
        assert_eq!(written.split_once('\n').unwrap().1.replace("\"\"", "''"), expected);
        assert!(crds.check().is_ok());
        // A policy that is gone takes its file with it.
        let report = Crds::new().directory(directory.path()).write().unwrap();
        assert_eq!(report.removed.len(), 1);
    }

    #[test]
    fn problems_name_the_object() {
        let twice = Crds::new().add_policy(policy("pods")).add_policy(policy("pods"));
        let error = twice.render().unwrap_err().to_string();
        assert!(
            error.starts_with("the API server would reject the ValidatingAdmissionPolicy `pods`: it is added twice")
        );
        let broken = AdmissionPolicy::new("pods").rule("variables.x", "never").variable("x", "1");
        let error = Crds::new().add_policy(broken).render().unwrap_err().to_string();
        let expected = "the API server would reject the ValidatingAdmissionPolicy `pods`: \
            spec.matchConstraints.resourceRules: Required value; spec.validations[0].expression: Invalid value: \"variables.x\": \
            must evaluate to bool but got int";
        assert_eq!(error, expected);
    }
}
