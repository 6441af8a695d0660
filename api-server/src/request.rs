//! A request, as far as its path, query and headers go.

use std::{
    cell::{OnceCell, RefCell},
    str::FromStr,
    sync::Arc,
};

use bytes::Bytes;
use crdkit::__internal::merge::sort_by_priority;
use http::{HeaderMap, Method, Uri, header};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionVersion;

use super::{
    conversion::versions::Converted,
    decode,
    failure::Failure,
    resource::{Resource, Version},
    route::Target,
    store::Key,
    subresources::{self, OwnKind},
    user::User,
    webhook_calls::WebhookCalls,
};

/// The real server's `MaxRequestBodyBytes`.
pub(super) const MAX_BODY: usize = 3 << 20;

/// The maximum length of the name of a field manager, in bytes.
pub(super) const MAX_FIELD_MANAGER: usize = 128;

/// A request with its whole body.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Request {
    pub(super) fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the media type of the body, without parameters; JSON if there is none.
    pub(super) fn content_type(&self) -> &str {
        match self.header(header::CONTENT_TYPE).split(';').next().map(str::trim) {
            None | Some("") => "application/json",
            Some(media_type) => media_type,
        }
    }
}

/// The parameters of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// Returns a parameter; empty if it is absent.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns a flag, which the server parses leniently: anything but `false` and `0` is true.
    pub(super) fn flag(&self, name: &str) -> bool {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.is_some_and(|(_, value)| !matches!(value.to_ascii_lowercase().as_str(), "false" | "0"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    pub(super) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        match self.get(name) {
            "" => Ok(None),
            text => match text.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Failure::bad_request(format!(
                    "strconv.ParseInt: parsing {}: invalid syntax",
                    crdkit_core::go::quote(text)
                ))),
            },
        }
    }
}

/// A request for a served resource.
pub(super) struct ResourceRequest {
    pub(super) resource: Arc<Resource>,
    /// The index of the requested version in `resource.versions`.
    pub(super) version: usize,
    pub(super) target: Target,
    pub(super) query: Query,
    pub(super) request: Request,
    pub(super) user: Arc<User>,
    /// The texts of `Warning` headers.
    pub(super) warnings: RefCell<Vec<String>>,
    /// Whether the server itself makes the call.
    pub(super) is_internal: bool,
    pub(super) external: WebhookCalls,
    /// What the server generates for the call, which is the same if the call starts again.
    pub(super) time: OnceCell<String>,
    pub(super) uid: OnceCell<String>,
    pub(super) generated_name: OnceCell<String>,
}

impl ResourceRequest {
    pub(super) fn new(
        resource: Arc<Resource>,
        version: usize,
        target: Target,
        request: Request,
        user: Arc<User>,
    ) -> Self {
        let query = Query::parse(request.uri.query());
        Self {
            resource,
            version,
            target,
            query,
            request,
            user,
            warnings: RefCell::default(),
            is_internal: false,
            external: WebhookCalls::default(),
            time: OnceCell::new(),
            uid: OnceCell::new(),
            generated_name: OnceCell::new(),
        }
    }

    /// Returns a call of the server itself or of a controller. The name is empty for a collection.
    pub(super) fn without_client(
        resource: Arc<Resource>,
        version: usize,
        key: &Key,
        subresource: Option<&str>,
        (method, headers, body): (Method, HeaderMap, Bytes),
    ) -> Self {
        let named = |name: &str| Some(name.to_owned()).filter(|it| !it.is_empty());
        let target = Target {
            group: resource.group.clone(),
            version: resource.versions[version].spec.name.clone(),
            namespace: named(&key.namespace),
            plural: resource.names.plural.clone(),
            name: named(&key.name),
            subresource: subresource.map(str::to_owned),
        };
        let request = Request { method, uri: Uri::from_static("/"), headers, body };
        Self::new(resource, version, target, request, Arc::new(User::admin()))
    }

    /// Warns about a deprecated version.
    pub(super) fn warn_about_version(&self) {
        let spec = &self.version().spec;
        if spec.deprecated != Some(true) {
            return;
        }
        let default = || {
            let versions = self.resource.versions.iter().map(|it| &it.spec);
            let is_candidate = |it: &&CustomResourceDefinitionVersion| it.served && it.deprecated != Some(true);
            let mut names: Vec<_> = versions.filter(is_candidate).map(|it| &it.name).chain([&spec.name]).collect();
            sort_by_priority(&mut names, |name| name);
            let newer = names.first().filter(|name| **name != &spec.name);
            let advice = newer.map_or_else(String::new, |newer| {
                format!("; use {} {}", self.resource.api_version(newer), self.kind())
            });
            format!("{} {} is deprecated{advice}", self.api_version(), self.kind())
        };
        self.warn(spec.deprecation_warning.clone().unwrap_or_else(default));
    }

    /// Returns whether the call watches a collection.
    pub(super) fn is_watch(&self) -> bool {
        self.request.method == Method::GET && self.query.flag("watch") && self.target.name.is_none()
    }

    /// Adds a warning to the response, unless it is there already.
    pub(super) fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }

    pub(super) fn version(&self) -> &Version {
        &self.resource.versions[self.version]
    }

    pub(super) fn api_version(&self) -> String {
        self.resource.api_version(&self.version().spec.name)
    }

    pub(super) fn kind(&self) -> &str {
        &self.resource.names.kind
    }

    /// Returns the `apiVersion` and the kind of the documents of the request.
    pub(super) fn document_type(&self) -> (String, &str) {
        self.own_kind().map_or_else(|| (self.api_version(), self.kind()), |own| (own.api_version(), own.kind))
    }

    /// Returns the name in the path; empty for a collection.
    pub(super) fn name(&self) -> &str {
        self.target.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.target.namespace.as_deref().unwrap_or_default()
    }

    pub(super) fn key(&self) -> Key {
        Key::new(self.namespace(), self.name())
    }

    /// Returns the versions of the resource.
    pub(super) fn versions(&self) -> Converted<'_> {
        Converted { resource: &self.resource, external: &self.external }
    }

    /// Returns whether the call reads or writes the scale of an object.
    pub(super) fn is_scale(&self) -> bool {
        self.target.subresource.as_deref() == Some("scale")
    }

    /// Returns the kind of the documents of the request, if it is for a subresource with a kind of its own.
    pub(super) fn own_kind(&self) -> Option<OwnKind> {
        if self.is_scale() {
            return Some(OwnKind::SCALE);
        }
        subresources::find(&self.resource, self.target.subresource.as_deref()?)?.kind
    }

    pub(super) fn is_dry_run(&self) -> bool {
        let body = &self.request.body;
        if self.request.method == Method::DELETE && !body.is_empty() {
            let options = decode::parse(body, self.request.content_type()).map(|it| it.object).unwrap_or_default();
            return options["dryRun"].as_array().is_some_and(|all| all.iter().any(|it| it == "All"));
        }
        is_dry_run(&self.query)
    }

    /// Returns the name of the client in managed fields.
    pub(super) fn field_manager(&self) -> String {
        field_manager(&self.request, &self.query)
    }
}

pub(super) fn is_dry_run(query: &Query) -> bool {
    query.all("dryRun").any(|it| it == "All")
}

/// Returns the name of a client in managed fields: the parameter, or the start of the user agent.
pub(super) fn field_manager(request: &Request, query: &Query) -> String {
    let named = query.get("fieldManager");
    let manager =
        if named.is_empty() { request.header(header::USER_AGENT).split('/').next().unwrap_or_default() } else { named };
    let end = (0..=MAX_FIELD_MANAGER.min(manager.len())).rev().find(|at| manager.is_char_boundary(*at));
    match &manager[..end.unwrap_or_default()] {
        "" => "unknown".to_owned(),
        manager => manager.to_owned(),
    }
}
