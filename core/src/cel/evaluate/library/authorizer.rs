//! Authorization checks of expressions of admission.

use alloc::string::{String, ToString};

use crate::literal::dns;

/// What an expression asks of the authorizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationCheck {
    /// The namespace and the name of the service account whose permissions are checked; if there is none, those of the user who
    /// makes the request.
    pub service_account: Option<(String, String)>,
    /// The verb.
    pub verb: String,
    /// What the verb is for.
    pub target: AuthorizationTarget,
}

/// What a verb is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorizationTarget {
    /// A path that is no resource.
    Path(String),
    /// A resource.
    Resource(AuthorizedResource),
}

/// The resource of an authorization check. Texts that are not given are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizedResource {
    /// The API group.
    pub group: String,
    /// The resource in the plural.
    pub resource: String,
    /// The subresource.
    pub subresource: String,
    /// The namespace.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The field selector.
    pub field_selector: String,
    /// The label selector.
    pub label_selector: String,
}

/// The answer of the authorizer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationDecision {
    /// Whether the verb is allowed.
    pub allowed: bool,
    /// The reason.
    pub reason: String,
    /// Why the authorizer cannot decide.
    pub error: Option<String>,
}

type ServiceAccount = Option<(String, String)>;

/// A value on the way to a decision.
#[derive(Clone, Debug)]
pub(in crate::cel) enum AuthorizationStep {
    Authorizer(ServiceAccount),
    Path(ServiceAccount, String),
    Group(ServiceAccount, String),
    Resource(ServiceAccount, AuthorizedResource),
    Decision(AuthorizationDecision),
}

impl AuthorizationStep {
    pub(in crate::cel::evaluate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Authorizer(_) => "kubernetes.authorization.Authorizer",
            Self::Path(..) => "kubernetes.authorization.PathCheck",
            Self::Group(..) => "kubernetes.authorization.GroupCheck",
            Self::Resource(..) => "kubernetes.authorization.ResourceCheck",
            Self::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    /// Takes the step of a method with one text. `None` if the value has no such method; the error is the server's.
    pub(in crate::cel::evaluate) fn step(&self, method: &str, text: &str) -> Option<Result<Self, &'static str>> {
        Some(Ok(match (self, method) {
            (Self::Authorizer(_), "path") if text.trim().is_empty() => return Some(Err("path must not be empty")),
            (Self::Authorizer(account), "path") => Self::Path(account.clone(), text.to_string()),
            (Self::Authorizer(account), "group") => Self::Group(account.clone(), text.to_string()),
            (Self::Group(..), "resource") if text.trim().is_empty() => {
                return Some(Err("resource must not be empty"));
            }
            (Self::Group(account, group), "resource") => {
                let resource = AuthorizedResource {
                    group: group.clone(),
                    resource: text.to_string(),
                    ..AuthorizedResource::default()
                };
                Self::Resource(account.clone(), resource)
            }
            (Self::Resource(account, resource), _) => {
                let mut resource = resource.clone();
                let part = match method {
                    "subresource" => &mut resource.subresource,
                    "namespace" => &mut resource.namespace,
                    "name" => &mut resource.name,
                    "fieldSelector" => &mut resource.field_selector,
                    "labelSelector" => &mut resource.label_selector,
                    _ => return None,
                };
                *part = text.to_string();
                Self::Resource(account.clone(), resource)
            }
            _ => return None,
        }))
    }

    /// Returns the authorizer of a service account. The error is the server's.
    pub(in crate::cel::evaluate) fn of_service_account(namespace: &str, name: &str) -> Result<Self, &'static str> {
        if dns::subdomain(name).is_err() {
            return Err("Invalid service account name");
        }
        if dns::label_1123(namespace).is_err() {
            return Err("Invalid service account namespace");
        }
        Ok(Self::Authorizer(Some((namespace.to_string(), name.to_string()))))
    }

    /// Returns the check of a verb, if the value is one that can be checked.
    pub(in crate::cel::evaluate) fn check(&self, verb: &str) -> Option<AuthorizationCheck> {
        let (service_account, target) = match self {
            Self::Path(account, path) => (account.clone(), AuthorizationTarget::Path(path.clone())),
            Self::Resource(account, resource) => (account.clone(), AuthorizationTarget::Resource(resource.clone())),
            _ => return None,
        };
        Some(AuthorizationCheck { service_account, verb: verb.to_string(), target })
    }
}
