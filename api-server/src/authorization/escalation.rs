//! No user can grant more permissions than their own.

use k8s_openapi::api::rbac::v1::{PolicyRule, RoleRef};
use serde::Deserialize;
use serde_json::Value;

use super::{Attributes, Authorization, GROUP, ResourceTarget, Target, policy::Policy, rules};
use crate::{
    failure::{Failure, aggregate_texts},
    request::ResourceRequest,
    store::Store,
    value::text,
};

impl Authorization {
    /// Checks that a write of a role or a binding grants only what the user may grant.
    pub(super) fn check_escalation(
        &mut self,
        store: &Store,
        call: &ResourceRequest,
        old: Option<&Value>,
        new: &Value,
    ) -> Result<(), Failure> {
        let resource = &call.resource;
        if resource.group != GROUP || call.user.is_master() || old.is_some_and(|old| is_collection_only(old, new)) {
            return Ok(());
        }
        let policy = self.policy(store);
        match resource.names.plural.as_str() {
            "roles" | "clusterroles" => self.check_role(store, &policy, call, old, new),
            _ => self.check_binding(store, &policy, call, new),
        }
    }

    fn check_role(
        &mut self,
        store: &Store,
        policy: &Policy,
        call: &ResourceRequest,
        old: Option<&Value>,
        new: &Value,
    ) -> Result<(), Failure> {
        if self.may(store, call, "escalate", &call.resource.names.plural, call.name()) {
            return Ok(());
        }
        let rules = Vec::<PolicyRule>::deserialize(&new["rules"]).unwrap_or_default();
        check_rules(policy, call, new, &rules)?;
        let has_selectors = |role: &Value| {
            role["aggregationRule"]["clusterRoleSelectors"].as_array().is_some_and(|list| !list.is_empty())
        };
        if has_selectors(new) || old.is_some_and(has_selectors) {
            let all = || vec!["*".to_owned()];
            let everything = [
                PolicyRule { api_groups: Some(all()), resources: Some(all()), verbs: all(), ..<_>::default() },
                PolicyRule { non_resource_urls: Some(all()), verbs: all(), ..<_>::default() },
            ];
            let problem = "must have cluster-admin privileges to use the aggregationRule";
            check_rules(policy, call, new, &everything).map_err(|_| forbidden(call, new, problem))?;
        }
        Ok(())
    }

    fn check_binding(
        &mut self,
        store: &Store,
        policy: &Policy,
        call: &ResourceRequest,
        new: &Value,
    ) -> Result<(), Failure> {
        let Ok(role) = RoleRef::deserialize(&new["roleRef"]) else { return Ok(()) };
        let plural = match role.kind.as_str() {
            "Role" => "roles",
            _ => "clusterroles",
        };
        if self.may(store, call, "bind", plural, &role.name) {
            return Ok(());
        }
        let rules = policy.rules_of_role(&role, call.namespace()).map_err(|_| call.resource.not_found(&role.name))?;
        check_rules(policy, call, new, rules)
    }

    fn may(&mut self, store: &Store, call: &ResourceRequest, verb: &str, resource: &str, name: &str) -> bool {
        let target = ResourceTarget {
            group: GROUP.to_owned(),
            resource: resource.to_owned(),
            subresource: String::new(),
            namespace: call.namespace().to_owned(),
            name: name.to_owned(),
        };
        let attributes = Attributes { verb: verb.to_owned(), target: Target::Resource(target) };
        self.decide(store, &call.user, &attributes).is_allowed
    }
}

fn check_rules(policy: &Policy, call: &ResourceRequest, new: &Value, rules: &[PolicyRule]) -> Result<(), Failure> {
    let user = &call.user;
    let (owned, errors) = policy.rules_of(user, call.namespace());
    let missing = rules::uncovered(&owned, rules);
    if missing.is_empty() {
        return Ok(());
    }
    let mut problem = format!(
        "user \"{}\" (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        user.name,
        rules::quote_list(&user.groups),
        rules::describe(&missing).join("\n"),
    );
    if let Some(error) = aggregate_texts(&errors) {
        problem += &format!("; resolution errors: [{error}]");
    }
    Err(forbidden(call, new, &problem))
}

fn forbidden(call: &ResourceRequest, new: &Value, problem: &str) -> Failure {
    call.resource.forbidden(text(&new["metadata"], "name"), problem)
}

/// Returns whether an update changes only what the garbage collector changes.
fn is_collection_only(old: &Value, new: &Value) -> bool {
    let [old, new] = [old, new].map(|object| {
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            ["ownerReferences", "finalizers", "managedFields"].iter().for_each(|name| {
                metadata.remove(*name);
            });
        }
        object
    });
    old == new
}
