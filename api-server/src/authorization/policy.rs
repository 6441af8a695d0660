//! The roles and bindings in the server.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{PolicyRule, RoleRef, Subject};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Attributes, Decision, GROUP, rules};
use crate::{
    failure::aggregate_texts,
    store::Store,
    user::{User, service_account_name},
    value::text,
};

/// All roles and bindings; those of the cluster have the namespace "".
#[derive(Default)]
pub(super) struct Policy {
    roles: BTreeMap<(String, String), Vec<PolicyRule>>,
    bindings: Vec<Binding>,
}

struct Binding {
    namespace: String,
    name: String,
    role: RoleRef,
    subjects: Vec<Subject>,
}

impl Policy {
    /// Reads the objects in the server. What is malformed grants nothing.
    pub(super) fn read(store: &Store) -> Self {
        let mut policy = Self::default();
        for plural in ["clusterroles", "roles"] {
            for object in store.values(&format!("{plural}.{GROUP}")) {
                policy.roles.insert(id(&object), member(&object, "rules").unwrap_or_default());
            }
        }
        for plural in ["clusterrolebindings", "rolebindings"] {
            for object in store.values(&format!("{plural}.{GROUP}")) {
                let (namespace, name) = id(&object);
                let Some(role) = member(&object, "roleRef") else { continue };
                let subjects = member(&object, "subjects").unwrap_or_default();
                policy.bindings.push(Binding { namespace, name, role, subjects });
            }
        }
        policy
    }

    /// Returns the rules that a user has in a namespace, and why roles are unknown.
    pub(super) fn rules_of(&self, user: &User, namespace: &str) -> (Vec<PolicyRule>, Vec<String>) {
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (binding, _) in self.bindings_of(user, namespace) {
            match self.rules_of_role(&binding.role, &binding.namespace) {
                Ok(of_role) => rules.extend_from_slice(of_role),
                Err(error) => errors.push(error),
            }
        }
        (rules, errors)
    }

    /// Returns the rules of a role that a binding of this namespace refers to.
    pub(super) fn rules_of_role(&self, role: &RoleRef, namespace: &str) -> Result<&[PolicyRule], String> {
        let (namespace, kind) = match role.kind.as_str() {
            "Role" => (namespace, "role"),
            "ClusterRole" => ("", "clusterrole"),
            other => return Err(format!("unsupported role reference kind: \"{other}\"")),
        };
        let found = self.roles.get(&(namespace.to_owned(), role.name.clone()));
        found.map(Vec::as_slice).ok_or_else(|| format!("{kind}.{GROUP} \"{}\" not found", role.name))
    }

    pub(super) fn decide(&self, user: &User, attributes: &Attributes) -> Decision {
        let mut errors = Vec::new();
        for (binding, subject) in self.bindings_of(user, attributes.namespace()) {
            match self.rules_of_role(&binding.role, &binding.namespace) {
                Ok(rules) if rules.iter().any(|rule| rules::is_allowed(rule, attributes)) => {
                    let reason = format!("RBAC: allowed by {}", binding.describe(subject));
                    return Decision { is_allowed: true, reason };
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        Decision {
            is_allowed: false,
            reason: aggregate_texts(&errors).map_or_else(String::new, |it| format!("rbac: RBAC: {it}")),
        }
    }

    /// Returns the bindings that apply to a user, each with the subject that does.
    fn bindings_of<'a>(
        &'a self,
        user: &'a User,
        namespace: &'a str,
    ) -> impl Iterator<Item = (&'a Binding, &'a Subject)> {
        let here = self.bindings.iter().filter(move |it| it.namespace.is_empty() || it.namespace == namespace);
        here.filter_map(|binding| {
            let subject = binding.subjects.iter().find(|subject| is_subject(user, subject, &binding.namespace))?;
            Some((binding, subject))
        })
    }
}

impl Binding {
    fn describe(&self, subject: &Subject) -> String {
        let (kind, name) = match self.namespace.as_str() {
            "" => ("ClusterRoleBinding", self.name.clone()),
            namespace => ("RoleBinding", format!("{}/{namespace}", self.name)),
        };
        let subject_name = match subject.kind.as_str() {
            "ServiceAccount" => {
                let namespace = subject.namespace.as_deref().filter(|it| !it.is_empty());
                format!("{}/{}", subject.name, namespace.unwrap_or(&self.namespace))
            }
            _ => subject.name.clone(),
        };
        let role = &self.role;
        format!("{kind} \"{name}\" of {} \"{}\" to {} \"{subject_name}\"", role.kind, role.name, subject.kind)
    }
}

fn is_subject(user: &User, subject: &Subject, namespace: &str) -> bool {
    match subject.kind.as_str() {
        "User" => user.name == subject.name,
        "Group" => user.groups.contains(&subject.name),
        "ServiceAccount" => {
            let own = subject.namespace.as_deref().filter(|it| !it.is_empty());
            let namespace = own.unwrap_or(namespace);
            !namespace.is_empty() && user.name == service_account_name(namespace, &subject.name)
        }
        _ => false,
    }
}

fn id(object: &Value) -> (String, String) {
    let metadata = &object["metadata"];
    (text(metadata, "namespace").to_owned(), text(metadata, "name").to_owned())
}

fn member<T: DeserializeOwned>(object: &Value, name: &str) -> Option<T> {
    T::deserialize(object.get(name)?).ok()
}
