//! ValidatingAdmissionPolicies: rules that the API server checks without a webhook.

use k8s_openapi::{
    api::admissionregistration::v1::{
        AuditAnnotation, MatchCondition, MatchResources, NamedRuleWithOperations, ValidatingAdmissionPolicy,
        ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicySpec, Validation, Variable,
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use kube_core::Resource;
use serde_json::json;

/// A ValidatingAdmissionPolicy with its binding: rules of CEL about objects and requests, which the API server checks without a
/// webhook.
///
/// Rules about one custom resource alone are better part of its schema. A policy can check Kubernetes' own kinds, several kinds,
/// the user, and the permissions of the user. Expressions have the variables `object`, `oldObject`, `request`, `namespaceObject`,
/// `authorizer`, and `variables`. They are compiled when the policy is written, with the types of the API server's environment.
///
/// ```
/// use crdkit::emit::{AdmissionPolicy, Crds};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let policy = AdmissionPolicy::new("pod-policy")
///     .of::<Pod>()
///     .variable("images", "object.spec.containers.map(it, it.image)")
///     .rule("variables.images.all(it, it.startsWith('registry.example.com/'))", "images must be from our registry")
///     .rule("request.operation == 'CREATE' || object.spec.nodeName == oldObject.spec.nodeName", "Pods do not move");
/// let yaml = Crds::new().add_policy(policy).to_yaml()?;
/// assert!(yaml.contains("kind: ValidatingAdmissionPolicy\n") && yaml.contains("kind: ValidatingAdmissionPolicyBinding\n"));
///
/// let mistake = AdmissionPolicy::new("pod-policy").of::<Pod>().rule("request.verb == 'create'", "never");
/// let error = Crds::new().add_policy(mistake).to_yaml().unwrap_err().to_string();
/// assert!(error.contains("undefined field 'verb'"), "{error}");
/// # Ok::<(), crdkit::emit::EmitError>(())
/// ```
#[doc(alias("ValidatingAdmissionPolicy", "VAP"))]
#[derive(Clone, Debug, PartialEq)]
#[must_use = "`Crds::add_policy` takes it"]
pub struct AdmissionPolicy {
    name: String,
    spec: ValidatingAdmissionPolicySpec,
    actions: Vec<&'static str>,
    selected: MatchResources,
}

impl AdmissionPolicy {
    /// Creates a policy without rules. The binding has the same name.
    pub fn new(name: impl Into<String>) -> Self {
        let spec = ValidatingAdmissionPolicySpec {
            failure_policy: Some("Fail".to_owned()),
            match_constraints: Some(MatchResources { resource_rules: Some(Vec::new()), ..MatchResources::default() }),
            ..ValidatingAdmissionPolicySpec::default()
        };
        Self { name: name.into(), spec, actions: vec!["Deny"], selected: MatchResources::default() }
    }

    /// Checks the objects of a kind when they are created and updated.
    pub fn of<K: Resource<DynamicType = ()>>(self) -> Self {
        self.of_operations::<K>(["CREATE", "UPDATE"])
    }

    /// Checks the objects of a kind for operations: `CREATE`, `UPDATE`, `DELETE`, `CONNECT` or `*`.
    pub fn of_operations<K: Resource<DynamicType = ()>>(
        self,
        operations: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        self.resource(&K::group(&()), &K::version(&()), &K::plural(&()), operations)
    }

    /// Checks a resource or subresource, such as `pods/exec`.
    pub fn resource(
        mut self,
        group: &str,
        version: &str,
        resource: &str,
        operations: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let rule = NamedRuleWithOperations {
            api_groups: Some(vec![group.to_owned()]),
            api_versions: Some(vec![version.to_owned()]),
            operations: Some(operations.into_iter().map(str::to_owned).collect()),
            resources: Some(vec![resource.to_owned()]),
            ..NamedRuleWithOperations::default()
        };
        let constraints = self.spec.match_constraints.get_or_insert_default();
        constraints.resource_rules.get_or_insert_default().push(rule);
        self
    }

    /// Adds a rule: an expression that must be true, and the message if it is not.
    pub fn rule(self, expression: impl Into<String>, message: impl Into<String>) -> Self {
        self.validation(Validation {
            expression: expression.into(),
            message: Some(message.into()),
            ..Validation::default()
        })
    }

    /// Adds a rule with all its fields, such as `messageExpression` and `reason`.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.spec.validations.get_or_insert_default().push(validation);
        self
    }

    /// Adds a variable, which further variables and rules use as `variables.NAME`.
    pub fn variable(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        let variable = Variable { name: name.into(), expression: expression.into() };
        self.spec.variables.get_or_insert_default().push(variable);
        self
    }

    /// Checks only requests that satisfy an expression.
    pub fn match_condition(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        let condition = MatchCondition { name: name.into(), expression: expression.into() };
        self.spec.match_conditions.get_or_insert_default().push(condition);
        self
    }

    /// Adds an annotation to the event in the audit log, if the expression evaluates to a string.
    pub fn audit_annotation(mut self, key: impl Into<String>, expression: impl Into<String>) -> Self {
        let annotation = AuditAnnotation { key: key.into(), value_expression: expression.into() };
        self.spec.audit_annotations.get_or_insert_default().push(annotation);
        self
    }

    /// Warns about requests that break a rule, instead of denying them.
    pub fn warn(self) -> Self {
        Self { actions: vec!["Warn"], ..self }
    }

    /// Records requests that break a rule in the audit log too.
    pub fn audit(mut self) -> Self {
        if !self.actions.contains(&"Audit") {
            self.actions.push("Audit");
        }
        self
    }

    /// Ignores rules whose evaluation fails. Without it, such a request is denied.
    pub fn ignore_failures(mut self) -> Self {
        self.spec.failure_policy = Some("Ignore".to_owned());
        self
    }

    /// Checks only objects in namespaces with these labels.
    pub fn namespace_selector(mut self, selector: LabelSelector) -> Self {
        self.selected.namespace_selector = Some(selector);
        self
    }

    /// Checks only objects with these labels.
    pub fn object_selector(mut self, selector: LabelSelector) -> Self {
        self.selected.object_selector = Some(selector);
        self
    }

    /// Returns the policy as an object of the API.
    pub fn to_policy(&self) -> ValidatingAdmissionPolicy {
        ValidatingAdmissionPolicy {
            metadata: self.metadata(),
            spec: Some(self.spec.clone()),
            ..ValidatingAdmissionPolicy::default()
        }
    }

    /// Returns the binding, without which a policy has no effect, as an object of the API.
    pub fn to_binding(&self) -> ValidatingAdmissionPolicyBinding {
        let mut binding = json!({
            "metadata": { "name": self.name },
            "spec": { "policyName": self.name, "validationActions": self.actions },
        });
        if self.selected != MatchResources::default() {
            binding["spec"]["matchResources"] = json!(self.selected);
        }
        // Which fields are optional depends on the version of Kubernetes.
        serde_json::from_value(binding).expect("the fields are those of a binding")
    }

    fn metadata(&self) -> ObjectMeta {
        ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() }
    }
}
