//! Requests, as faults and the journal see them.

use std::{fmt, sync::Arc};

use kube::core::Resource;

mod received;

pub use received::{ReceivedRequest, RequestVerb};

type Predicate = dyn Fn(&ReceivedRequest) -> bool + Send + Sync;

/// A selection of requests, for [faults](super::ApiServer::faults), the [journal](super::ApiServer::journal) and
/// [watches](super::ApiServer::watches). A request must match all that is set.
///
/// ```
/// # use crdkit_api_server::Requests;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// let status = Requests::writes().of::<ConfigMap>().namespace("default").name("web").subresource("status");
/// let large = Requests::apply().matching(|request| request.body().is_some_and(|body| body.to_string().len() > 1000));
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Requests {
    verbs: Option<&'static [RequestVerb]>,
    resource: Option<(String, String)>,
    namespace: Option<String>,
    name: Option<String>,
    /// `Some(None)` selects requests without a subresource.
    subresource: Option<Option<String>>,
    field_manager: Option<String>,
    user_agent: Option<String>,
    predicates: Vec<Arc<Predicate>>,
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verbs, resource, namespace, name, subresource, field_manager, user_agent, predicates: _ } = self;
        f.debug_struct("Requests")
            .field("verbs", verbs)
            .field("resource", resource)
            .field("namespace", namespace)
            .field("name", name)
            .field("subresource", subresource)
            .field("field_manager", field_manager)
            .field("user_agent", user_agent)
            .finish_non_exhaustive()
    }
}

impl Requests {
    /// Selects all requests, including those for discovery.
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects requests that get, list or watch.
    pub fn reads() -> Self {
        Self::verbs(&[RequestVerb::Get, RequestVerb::List, RequestVerb::Watch])
    }

    /// Selects all other requests.
    pub fn writes() -> Self {
        use RequestVerb::{Apply, Create, Delete, DeleteCollection, Patch, Update};
        Self::verbs(&[Create, Update, Patch, Apply, Delete, DeleteCollection])
    }

    /// Selects requests for one object.
    pub fn get() -> Self {
        Self::verbs(&[RequestVerb::Get])
    }

    /// Selects lists.
    pub fn list() -> Self {
        Self::verbs(&[RequestVerb::List])
    }

    /// Selects watches.
    pub fn watch() -> Self {
        Self::verbs(&[RequestVerb::Watch])
    }

    /// Selects creations.
    pub fn create() -> Self {
        Self::verbs(&[RequestVerb::Create])
    }

    /// Selects updates: replacements and patches, such as that of [`Resources::update`](crdkit::client::Resources::update), but
    /// not server-side apply.
    pub fn update() -> Self {
        Self::verbs(&[RequestVerb::Update, RequestVerb::Patch])
    }

    /// Selects replacements of a whole object or subresource: the verb `update`.
    pub fn replace() -> Self {
        Self::verbs(&[RequestVerb::Update])
    }

    /// Selects patches but for server-side apply.
    pub fn patch() -> Self {
        Self::verbs(&[RequestVerb::Patch])
    }

    /// Selects server-side apply.
    pub fn apply() -> Self {
        Self::verbs(&[RequestVerb::Apply])
    }

    /// Selects deletions of one object.
    pub fn delete() -> Self {
        Self::verbs(&[RequestVerb::Delete])
    }

    /// Selects deletions of collections.
    pub fn delete_collection() -> Self {
        Self::verbs(&[RequestVerb::DeleteCollection])
    }

    fn verbs(verbs: &'static [RequestVerb]) -> Self {
        Self { verbs: Some(verbs), ..Self::default() }
    }

    /// Selects requests for the objects of a kind, in any version.
    pub fn of<K: Resource<DynamicType = ()>>(self) -> Self {
        self.of_resource(&K::group(&()), &K::plural(&()))
    }

    /// Selects requests for a resource by its group, which is empty for the core group, and its plural name.
    pub fn of_resource(mut self, group: &str, plural: &str) -> Self {
        self.resource = Some((group.to_owned(), plural.to_owned()));
        self
    }

    /// Selects requests for the objects of a namespace.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Selects requests for an object.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Selects requests for a subresource, such as `status`. Without this, requests for objects and for their subresources are
    /// selected.
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(Some(subresource.to_owned()));
        self
    }

    /// Selects requests without a subresource.
    pub fn without_subresource(mut self) -> Self {
        self.subresource = Some(None);
        self
    }

    /// Selects requests of a [field manager](ReceivedRequest::field_manager).
    pub fn field_manager(mut self, manager: &str) -> Self {
        self.field_manager = Some(manager.to_owned());
        self
    }

    /// Selects requests of a program, whose user agent starts with this text.
    pub fn user_agent(mut self, start: &str) -> Self {
        self.user_agent = Some(start.to_owned());
        self
    }

    /// Selects requests for which a function returns `true`.
    pub fn matching(mut self, predicate: impl Fn(&ReceivedRequest) -> bool + Send + Sync + 'static) -> Self {
        self.predicates.push(Arc::new(predicate));
        self
    }

    /// Returns whether a request is selected.
    pub fn matches(&self, request: &ReceivedRequest) -> bool {
        let resource = self.resource.as_ref();
        self.verbs.is_none_or(|verbs| verbs.contains(&request.verb()))
            && resource.is_none_or(|(group, plural)| group == request.group() && plural == request.resource())
            && self.namespace.as_deref().is_none_or(|expected| request.namespace() == Some(expected))
            && self.subresource.as_ref().is_none_or(|expected| request.subresource() == expected.as_deref())
            && self.field_manager.as_deref().is_none_or(|expected| request.field_manager() == expected)
            && self.user_agent.as_deref().is_none_or(|start| request.user_agent().starts_with(start))
            && self.name.as_deref().is_none_or(|expected| request.name().as_deref() == Some(expected))
            && self.predicates.iter().all(|predicate| predicate(request))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, Method, header};
    use serde_json::{Value, json};

    use super::*;
    use crate::{request::Request, route::Route};

    fn request(method: Method, path: &str, body: &Value) -> ReceivedRequest {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, "operator/1.0 (linux)".parse().unwrap());
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let uri: http::Uri = path.parse().unwrap();
        let route = Route::parse(uri.path());
        ReceivedRequest::new(&Request { method, uri, headers, body }, &route)
    }

    #[test]
    fn verbs_follow_the_method_and_the_path() {
        let pods = "/api/v1/namespaces/a/pods";
        for (method, path, expected) in [
            (Method::GET, format!("{pods}/x"), RequestVerb::Get),
            (Method::GET, pods.to_owned(), RequestVerb::List),
            (Method::GET, format!("{pods}?watch=true"), RequestVerb::Watch),
            (Method::POST, pods.to_owned(), RequestVerb::Create),
            (Method::PUT, format!("{pods}/x/status"), RequestVerb::Update),
            (Method::PATCH, format!("{pods}/x"), RequestVerb::Patch),
            (Method::DELETE, format!("{pods}/x"), RequestVerb::Delete),
            (Method::DELETE, pods.to_owned(), RequestVerb::DeleteCollection),
            (Method::GET, "/apis".to_owned(), RequestVerb::Get),
        ] {
            assert_eq!(request(method, &path, &Value::Null).verb(), expected, "{path}");
        }
    }

    #[test]
    fn lines_have_the_resource_and_the_place() {
        let path = "/apis/example.com/v1/namespaces/a/servers/web/status?dryRun=All";
        let status = request(Method::PUT, path, &Value::Null);
        assert_eq!(status.to_string(), "update servers.example.com/status a/web (dry run)");
        let named = request(Method::POST, "/api/v1/namespaces/a/pods", &json!({ "metadata": { "name": "x" } }));
        assert_eq!(named.to_string(), "create pods a/x");
        let generated = request(Method::POST, "/api/v1/namespaces/a/pods", &json!({ "metadata": {} }));
        assert_eq!(generated.describe(Some("x-5")), "create pods a/x-5");
        assert_eq!(request(Method::GET, "/apis", &Value::Null).to_string(), "get /apis");
    }

    #[test]
    fn all_criteria_must_match() {
        let update = request(Method::PUT, "/apis/example.com/v1/namespaces/a/servers/web/status", &Value::Null);
        let matching = [
            Requests::all(),
            Requests::writes().of_resource("example.com", "servers"),
            Requests::update().namespace("a").name("web").subresource("status"),
            Requests::all().field_manager("operator"),
            Requests::all().user_agent("operator/1"),
            Requests::all().matching(|request| request.version() == "v1"),
        ];
        for requests in matching {
            assert!(requests.matches(&update), "{requests:?}");
        }
        let others = [
            Requests::reads(),
            Requests::patch(),
            Requests::update().of_resource("", "servers"),
            Requests::update().namespace("b"),
            Requests::update().name("db"),
            Requests::update().without_subresource(),
            Requests::update().subresource("scale"),
            Requests::all().field_manager("operator/1.0"),
            Requests::all().user_agent("kubectl"),
            Requests::update().matching(|_| false),
        ];
        for requests in others {
            assert!(!requests.matches(&update), "{requests:?}");
        }
        let create = request(Method::POST, "/api/v1/namespaces/a/pods", &json!({ "metadata": { "name": "x" } }));
        assert!(Requests::create().name("x").matches(&create));
    }
}
