//! A request, with what is known of it before it is processed.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use http::{Method, header};
use serde_json::Value;

use crate::{
    decode,
    request::{Query, Request, field_manager, is_dry_run},
    route::{Route, Target},
    value::text,
};

/// The verb of a request, as in RBAC; server-side apply is a verb of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum RequestVerb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Apply,
    Delete,
    DeleteCollection,
}

impl RequestVerb {
    fn of(request: &Request, target: Option<&Target>, query: &Query) -> Self {
        let has_name = target.is_none_or(|target| target.name.is_some());
        match request.method {
            Method::POST => Self::Create,
            Method::PUT => Self::Update,
            Method::PATCH if request.content_type() == "application/apply-patch+yaml" => Self::Apply,
            Method::PATCH => Self::Patch,
            Method::DELETE if has_name => Self::Delete,
            Method::DELETE => Self::DeleteCollection,
            _ if has_name => Self::Get,
            _ if query.flag("watch") => Self::Watch,
            _ => Self::List,
        }
    }

    /// Returns whether requests with the verb change objects.
    pub fn is_write(self) -> bool {
        !matches!(self, Self::Get | Self::List | Self::Watch)
    }

    /// Returns the name of the verb, such as `deletecollection`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

impl fmt::Display for RequestVerb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request to an [`ApiServer`](crate::ApiServer).
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    verb: RequestVerb,
    path: String,
    /// `None` for discovery and other documents.
    target: Option<Target>,
    field_manager: String,
    user_agent: String,
    is_dry_run: bool,
    content_type: String,
    body: Bytes,
}

impl ReceivedRequest {
    pub(crate) fn new(request: &Request, route: &Route) -> Self {
        let target = match route {
            Route::Resource(target) => Some(target.clone()),
            Route::Document(_) | Route::Health(_) => None,
        };
        let query = Query::parse(request.uri.query());
        Self {
            verb: RequestVerb::of(request, target.as_ref(), &query),
            path: request.uri.to_string(),
            target,
            field_manager: field_manager(request, &query),
            user_agent: request.header(header::USER_AGENT).to_owned(),
            is_dry_run: is_dry_run(&query),
            content_type: request.content_type().to_owned(),
            body: request.body.clone(),
        }
    }

    /// The verb.
    pub fn verb(&self) -> RequestVerb {
        self.verb
    }

    /// The path, with the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The API group; empty for the core group, and for paths outside resources.
    pub fn group(&self) -> &str {
        self.target.as_ref().map_or("", |target| &target.group)
    }

    /// The version of the API group; empty for paths outside resources.
    pub fn version(&self) -> &str {
        self.target.as_ref().map_or("", |target| &target.version)
    }

    /// The plural name of the resource; empty for paths outside resources.
    pub fn resource(&self) -> &str {
        self.target.as_ref().map_or("", |target| &target.plural)
    }

    /// The namespace, unless the request is for objects of the cluster or of all namespaces.
    pub fn namespace(&self) -> Option<&str> {
        self.target.as_ref()?.namespace.as_deref()
    }

    /// The name of the object. That of a new object is in the body; it is `None` if the server generates it.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        let target = self.target.as_ref()?;
        match (&target.name, self.verb) {
            (Some(name), _) => Some(name.as_str().into()),
            (None, RequestVerb::Create) => {
                let body = self.body()?;
                Some(text(&body["metadata"], "name").to_owned()).filter(|it| !it.is_empty()).map(Cow::Owned)
            }
            _ => None,
        }
    }

    /// The subresource, such as `status`.
    pub fn subresource(&self) -> Option<&str> {
        self.target.as_ref()?.subresource.as_deref()
    }

    /// The field manager: the parameter, or else the start of the user agent.
    pub fn field_manager(&self) -> &str {
        &self.field_manager
    }

    /// The header `User-Agent`.
    pub fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Whether the request is a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    /// The body, if there is one that can be parsed.
    pub fn body(&self) -> Option<Value> {
        if self.body.is_empty() {
            None
        } else {
            decode::parse(&self.body, &self.content_type).ok().map(|decoded| decoded.object)
        }
    }

    pub(crate) fn body_size(&self) -> usize {
        self.body.len()
    }

    pub(crate) fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// Formats the request with the name of an object that it changed.
    pub(crate) fn describe(&self, changed: Option<&str>) -> String {
        let Some(target) = &self.target else {
            return format!("{} {}", self.verb, self.path);
        };
        let mut line = format!("{} {}", self.verb, target.plural);
        if !target.group.is_empty() {
            line += &format!(".{}", target.group);
        }
        if let Some(subresource) = &target.subresource {
            line += &format!("/{subresource}");
        }
        let name = self.name();
        let place: Vec<&str> =
            [target.namespace.as_deref(), name.as_deref().or(changed)].into_iter().flatten().collect();
        if !place.is_empty() {
            line += &format!(" {}", place.join("/"));
        }
        if self.is_dry_run {
            line += " (dry run)";
        }
        line
    }
}

/// `update virtualmachines.infra.example.com/status default/web`.
impl fmt::Display for ReceivedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}
