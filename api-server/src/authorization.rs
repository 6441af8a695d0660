//! Authorization by roles (RBAC), which is off unless a test turns it on.

use std::sync::Arc;

use crdkit::__internal::field_selector::{FieldSelector, SelectorField};
use crdkit_core::cel::{AuthorizationCheck, AuthorizationDecision, AuthorizationTarget};
use http::Method;
use serde_json::Value;

use super::{
    failure::{Failure, qualified_kind},
    request::{Query, Request, ResourceRequest},
    resource::Resource,
    route::{self, Route},
    store::Store,
    user::{User, service_account_name},
};
use policy::Policy;

mod aggregation;
pub(super) mod defaults;
mod escalation;
mod policy;
pub(super) mod reviews;
mod rules;
mod signers;

const GROUP: &str = "rbac.authorization.k8s.io";

/// What authorization keeps in the state of the server.
#[derive(Default)]
pub(super) struct Authorization {
    pub(super) is_enabled: bool,
    /// The roles and bindings, until one of them changes.
    policy: Option<Arc<Policy>>,
}

/// The answers to the authorization checks of expressions, by the roles at one moment.
#[derive(Clone)]
pub(super) struct Authorizer {
    /// `None` if everything is allowed.
    policy: Option<Arc<Policy>>,
}

impl Authorizer {
    /// Decides on a check of a request of a user.
    pub(super) fn check(&self, user: &User, check: &AuthorizationCheck) -> AuthorizationDecision {
        let account = check.service_account.as_ref().map(|(namespace, name)| {
            let mut account = User { name: service_account_name(namespace, name), ..User::default() };
            account.add_implied_groups();
            account
        });
        let user = account.as_ref().unwrap_or(user);
        let Some(policy) = self.policy.as_ref().filter(|_| !user.is_master()) else {
            return AuthorizationDecision { allowed: true, ..AuthorizationDecision::default() };
        };
        let target = match &check.target {
            AuthorizationTarget::Path(path) => Target::Path(path.clone()),
            AuthorizationTarget::Resource(resource) => Target::Resource(ResourceTarget {
                group: resource.group.clone(),
                resource: resource.resource.clone(),
                subresource: resource.subresource.clone(),
                namespace: resource.namespace.clone(),
                name: resource.name.clone(),
            }),
        };
        let decision = policy.decide(user, &Attributes { verb: check.verb.clone(), target });
        AuthorizationDecision { allowed: decision.is_allowed, reason: decision.reason, error: None }
    }
}

/// What a user is going to do.
pub(super) struct Attributes {
    verb: String,
    target: Target,
}

enum Target {
    /// A path that is no resource.
    Path(String),
    Resource(ResourceTarget),
}

struct ResourceTarget {
    group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

struct Decision {
    is_allowed: bool,
    reason: String,
}

impl Attributes {
    /// Returns the attributes of a request.
    pub(super) fn of(request: &Request, route: &Route) -> Self {
        match route {
            Route::Resource(target) => Self::of_target(&request.method, &Query::parse(request.uri.query()), target),
            Route::Document(_) | Route::Health(_) => {
                let verb = request.method.as_str().to_ascii_lowercase();
                Self { verb, target: Target::Path(request.uri.path().to_owned()) }
            }
        }
    }

    fn of_target(method: &Method, query: &Query, target: &route::Target) -> Self {
        let mut name = target.name.clone().unwrap_or_default();
        // Namespaces are in themselves.
        let namespace = target.namespace.as_ref().or(target.name.as_ref().filter(|_| target.plural == "namespaces"));
        let namespace = namespace.cloned().unwrap_or_default();
        let verb = match (method, name.is_empty()) {
            (&Method::GET | &Method::HEAD, true) => {
                name = selected_name(query.get("fieldSelector"));
                if query.flag("watch") { "watch" } else { "list" }
            }
            (&Method::GET | &Method::HEAD, false) => "get",
            (&Method::POST, _) => "create",
            (&Method::PUT, _) => "update",
            (&Method::PATCH, _) => "patch",
            (&Method::DELETE, true) => "deletecollection",
            (&Method::DELETE, false) => "delete",
            _ => "",
        };
        let subresource = target.subresource.as_deref().and_then(|it| it.split('/').next());
        let target = ResourceTarget {
            group: target.group.clone(),
            resource: target.plural.clone(),
            subresource: subresource.unwrap_or_default().to_owned(),
            namespace,
            name,
        };
        Self { verb: verb.to_owned(), target: Target::Resource(target) }
    }

    /// Returns the attributes of an impersonation of a user, a group and so on.
    fn impersonation(group: &str, resource: &str, subresource: &str, namespace: &str, name: &str) -> Self {
        let target = ResourceTarget {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        Self { verb: "impersonate".to_owned(), target: Target::Resource(target) }
    }

    fn namespace(&self) -> &str {
        match &self.target {
            Target::Path(_) => "",
            Target::Resource(target) => &target.namespace,
        }
    }

    fn forbidden(&self, user: &User, reason: &str) -> Failure {
        let mut problem = self.refusal(&user.name).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if !reason.is_empty() {
            problem += &format!(": {reason}");
        }
        let Target::Resource(ResourceTarget { group, resource, name, .. }) = &self.target else {
            return Failure::new(403, "Forbidden", format!("forbidden: {problem}")).about("", "", "");
        };
        let subject = match (qualified_kind(group, resource), name.as_str()) {
            (qualified, "") => qualified,
            (qualified, name) => format!("{qualified} \"{name}\""),
        };
        Failure::new(403, "Forbidden", format!("{subject} is forbidden: {problem}")).about(group, resource, name)
    }

    /// Describes what the user cannot do.
    fn refusal(&self, user: &str) -> String {
        let verb = &self.verb;
        let ResourceTarget { group, resource, subresource, namespace, .. } = match &self.target {
            Target::Path(path) => return format!("User \"{user}\" cannot {verb} path \"{path}\""),
            Target::Resource(target) => target,
        };
        let scope = match namespace.as_str() {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace \"{namespace}\""),
        };
        let slash = if subresource.is_empty() { "" } else { "/" };
        format!(
            "User \"{user}\" cannot {verb} resource \"{resource}{slash}{subresource}\" in API group \"{group}\" {scope}"
        )
    }
}

/// Returns the name that a field selector requires; empty if it requires none.
fn selected_name(selector: &str) -> String {
    let parsed = FieldSelector::parse(selector, |label| Ok(SelectorField::at(label))).unwrap_or_default();
    parsed.required("metadata.name").unwrap_or_default().to_owned()
}

impl Authorization {
    /// Returns the user of a request, who may be impersonated by the one who sends it.
    pub(super) fn authenticate(
        &mut self,
        store: &Store,
        sender: &Arc<User>,
        request: &Request,
    ) -> Result<Arc<User>, Failure> {
        let Some(mut user) = User::impersonated(&request.headers)? else {
            return Ok(sender.clone());
        };
        let authentication = "authentication.k8s.io";
        let mut wanted = Vec::new();
        wanted.push(match user.service_account() {
            Some((namespace, name)) => Attributes::impersonation("", "serviceaccounts", "", namespace, name),
            None => Attributes::impersonation("", "users", "", "", &user.name),
        });
        wanted.extend(user.groups.iter().map(|group| Attributes::impersonation("", "groups", "", "", group)));
        for (key, values) in &user.extra {
            let extra = |value: &String| Attributes::impersonation(authentication, "userextras", key, "", value);
            wanted.extend(values.iter().map(extra));
        }
        if !user.uid.is_empty() {
            wanted.push(Attributes::impersonation(authentication, "uids", "", "", &user.uid));
        }
        for attributes in wanted {
            self.authorize(store, sender, &attributes)?;
        }
        user.add_implied_groups();
        Ok(Arc::new(user))
    }

    /// Checks that a user may send a request.
    pub(super) fn authorize_request(
        &mut self,
        store: &Store,
        user: &User,
        request: &Request,
        route: &Route,
    ) -> Result<(), Failure> {
        if self.is_enabled { self.authorize(store, user, &Attributes::of(request, route)) } else { Ok(()) }
    }

    pub(super) fn authorize(&mut self, store: &Store, user: &User, attributes: &Attributes) -> Result<(), Failure> {
        let decision = self.decide(store, user, attributes);
        if decision.is_allowed { Ok(()) } else { Err(attributes.forbidden(user, &decision.reason)) }
    }

    fn decide(&mut self, store: &Store, user: &User, attributes: &Attributes) -> Decision {
        if !self.is_enabled || user.is_master() {
            return Decision { is_allowed: true, reason: String::new() };
        }
        self.policy(store).decide(user, attributes)
    }

    /// Returns who answers the authorization checks of expressions.
    pub(super) fn authorizer(&mut self, store: &Store) -> Authorizer {
        Authorizer { policy: self.is_enabled.then(|| self.policy(store)) }
    }

    fn policy(&mut self, store: &Store) -> Arc<Policy> {
        if let Some(policy) = &self.policy {
            return policy.clone();
        }
        let policy = Arc::new(Policy::read(store));
        self.policy = Some(policy.clone());
        policy
    }

    /// Checks what only the object of a write shows: whether it grants permissions, or is created by an update.
    pub(super) fn authorize_write(
        &mut self,
        store: &Store,
        call: &ResourceRequest,
        old: Option<&Value>,
        new: &Value,
    ) -> Result<(), Failure> {
        if !self.is_enabled {
            return Ok(());
        }
        if old.is_none() {
            self.authorize_creation(store, call)?;
        }
        self.check_signer(store, call, old, new)?;
        self.check_escalation(store, call, old, new)
    }

    /// Checks that a user may create what a request names, if its method does not say so.
    pub(super) fn authorize_creation(&mut self, store: &Store, call: &ResourceRequest) -> Result<(), Failure> {
        if call.request.method == Method::POST {
            return Ok(());
        }
        self.authorize(store, &call.user, &Attributes::of_target(&Method::POST, &call.query, &call.target))
    }

    /// Notices that an object has changed.
    pub(super) fn notice(&mut self, store: &mut Store, resource: &Resource) {
        if resource.group != GROUP {
            return;
        }
        if self.is_enabled && resource.names.plural == "clusterroles" {
            aggregation::aggregate(store);
        }
        self.forget();
    }

    /// Lets the next request read the roles again.
    pub(super) fn forget(&mut self) {
        self.policy = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(method: Method, uri: &'static str) -> String {
        let request =
            Request { method, uri: http::Uri::from_static(uri), headers: <_>::default(), body: <_>::default() };
        Attributes::of(&request, &Route::parse(request.uri.path())).forbidden(&User::new("jane", []), "").message
    }

    #[test]
    fn requests_are_described() {
        for (method, uri, message) in [
            (Method::GET, "/version", r#"forbidden: User "jane" cannot get path "/version""#),
            (
                Method::GET,
                "/apis/a.b/v1/namespaces/c/ds?watch=1",
                r#"ds.a.b is forbidden: User "jane" cannot watch resource "ds" in API group "a.b" in the namespace "c""#,
            ),
            (
                Method::GET,
                "/api/v1/pods?fieldSelector=metadata.name%3Da",
                r#"pods "a" is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope"#,
            ),
            (
                Method::GET,
                "/api/v1/pods?fieldSelector=spec.x%3Da%5C,metadata.name%3Db",
                r#"pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope"#,
            ),
            (
                Method::GET,
                "/api/v1/namespaces/a%2Db/pods/c%2Ed/log/x",
                r#"pods "c.d" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "a-b""#,
            ),
            (
                Method::PATCH,
                "/api/v1/namespaces/a/status",
                r#"namespaces "a" is forbidden: User "jane" cannot patch resource "namespaces/status" in API group "" in the namespace "a""#,
            ),
        ] {
            assert_eq!(describe(method, uri), message);
        }
    }
}
