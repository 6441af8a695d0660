//! The subresources of Kubernetes' own kinds besides `status` and `scale`. A new one is a row of [`ALL`].

use http::Method;
use serde_json::{Value, json};

use super::{
    decode,
    draft::{self, Draft},
    failure::Failure,
    go_types::{self, GoType},
    patch, read,
    request::ResourceRequest,
    resource::Resource,
    response::{Content, Reply},
    state::State,
    tokens,
    validation::WrittenPart,
    verbs::{self, Verb},
    webhook_calls::Stop,
    write::check_namespace,
};

pub(super) mod binding;
mod eviction;
mod nodes;
mod parts;
mod pod_conditions;

pub(super) use parts::{keep_other_parts, restrict};

/// A subresource of one of Kubernetes' own resources.
pub(super) struct Subresource {
    group: &'static str,
    plural: &'static str,
    pub(super) name: &'static str,
    pub(super) verbs: &'static [&'static str],
    /// The kind of the documents, if they are no objects of the resource.
    pub(super) kind: Option<OwnKind>,
    serve: Verb,
}

/// The kind of the documents of a subresource that are no objects of its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnKind {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
}

impl OwnKind {
    /// The kind of the subresource `scale`, which resources of any group have.
    pub(super) const SCALE: Self = Self::new("autoscaling", "v1", "Scale");

    const fn new(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self { group, version, kind }
    }

    /// The parameters of a connection.
    const fn options(kind: &'static str) -> Option<Self> {
        Some(Self::new("", "v1", kind))
    }

    pub(super) fn api_version(self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns the type of Go, which [`ALL`] has for each kind that is read.
    pub(super) fn go_type(self) -> &'static GoType {
        go_types::of_kind(&self.api_version(), self.kind).expect("the server has the kind")
    }
}

const STREAM: &[&str] = &["create", "get"];
const PROXY: &[&str] = &["create", "delete", "get", "patch", "update"];
/// The verbs of a subresource that is a part of an object.
pub(super) const PART: &[&str] = &["get", "patch", "update"];

const fn of_pods(
    name: &'static str,
    verbs: &'static [&'static str],
    kind: Option<OwnKind>,
    serve: Verb,
) -> Subresource {
    Subresource { group: "", plural: "pods", name, verbs, kind, serve }
}

/// In the order of their names for each resource, as in discovery.
const ALL: &[Subresource] = &[
    Subresource {
        group: "certificates.k8s.io",
        plural: "certificatesigningrequests",
        name: "approval",
        verbs: PART,
        kind: None,
        serve: |state, call| serve_part(state, call, WrittenPart::Approval),
    },
    Subresource {
        group: "",
        plural: "namespaces",
        name: "finalize",
        verbs: &["update"],
        kind: None,
        // It writes `spec.finalizers` too.
        serve: |state, call| serve_part(state, call, WrittenPart::Main),
    },
    Subresource {
        group: "",
        plural: "nodes",
        name: "proxy",
        verbs: PROXY,
        kind: OwnKind::options("NodeProxyOptions"),
        serve: nodes::proxy_to_node,
    },
    of_pods("attach", STREAM, OwnKind::options("PodAttachOptions"), nodes::stream),
    of_pods("binding", &["create"], Some(OwnKind::new("", "v1", "Binding")), binding::bind),
    of_pods("ephemeralcontainers", PART, None, |state, call| serve_part(state, call, WrittenPart::EphemeralContainers)),
    of_pods("eviction", &["create"], Some(OwnKind::new("policy", "v1", "Eviction")), eviction::evict),
    of_pods("exec", STREAM, OwnKind::options("PodExecOptions"), nodes::stream),
    of_pods("log", &["get"], None, nodes::log),
    of_pods("portforward", STREAM, OwnKind::options("PodPortForwardOptions"), nodes::forward_port),
    of_pods("proxy", PROXY, OwnKind::options("PodProxyOptions"), nodes::proxy_to_pod),
    of_pods("resize", PART, None, |state, call| serve_part(state, call, WrittenPart::Resize)),
    Subresource {
        group: "",
        plural: "serviceaccounts",
        name: "token",
        verbs: &["create"],
        kind: Some(OwnKind::new("authentication.k8s.io", "v1", "TokenRequest")),
        serve: tokens::issue,
    },
    Subresource {
        group: "",
        plural: "services",
        name: "proxy",
        verbs: PROXY,
        kind: OwnKind::options("ServiceProxyOptions"),
        serve: nodes::proxy_to_service,
    },
];

/// Returns the subresources of a resource.
pub(super) fn of_resource(resource: &Resource) -> impl Iterator<Item = &'static Subresource> {
    ALL.iter().filter(|it| !resource.is_custom && it.group == resource.group && it.plural == resource.names.plural)
}

/// Returns the subresource of a path. What follows the name is for the program to which a proxy forwards a request.
pub(super) fn find(resource: &Resource, path: &str) -> Option<&'static Subresource> {
    let (name, is_longer) = path.split_once('/').map_or((path, false), |(name, _)| (name, true));
    of_resource(resource).find(|it| it.name == name && (!is_longer || name == "proxy"))
}

impl Subresource {
    /// Returns what serves a method.
    pub(super) fn verb(&self, resource: &Resource, method: &Method) -> Result<Verb, Failure> {
        let verb = match *method {
            Method::GET => "get",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            _ => "",
        };
        if self.verbs.contains(&verb) { Ok(self.serve) } else { Err(resource.method_not_allowed(method)) }
    }
}

/// Reads and writes a part of an object.
pub(super) fn serve_part(state: &mut State, call: &ResourceRequest, part: WrittenPart) -> Result<Reply, Stop> {
    let draft: Draft = match call.request.method {
        Method::GET => return read::get(state, call),
        Method::PATCH => patch::patch(state, call, part)?,
        _ => draft::update(state, call, part)?,
    };
    verbs::write(draft, state, call)
}

/// Reads the document of a request for a subresource.
fn document(call: &ResourceRequest) -> Result<Value, Failure> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    let mut document = decoded.object;
    check_namespace(call, &mut document)?;
    Ok(document)
}

/// The response to a document that caused an action.
fn success() -> Reply {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
    Reply::new(201, Content::Document(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    fn resource(plural: &str) -> Resource {
        builtin::resources().into_iter().find(|it| it.names.plural == plural).unwrap()
    }

    #[test]
    fn subresources_are_found_by_their_paths() {
        let pods = resource("pods");
        let name = |path: &str| find(&pods, path).map(|it| it.name);
        assert_eq!(name("eviction"), Some("eviction"));
        assert_eq!(name("proxy/a/b"), Some("proxy"));
        assert_eq!(name("exec/a"), None);
        assert_eq!(name("token"), None);
        assert!(find(&resource("deployments"), "eviction").is_none());
    }

    #[test]
    fn methods_are_verbs() {
        let pods = resource("pods");
        let allows = |name: &str, method| find(&pods, name).unwrap().verb(&pods, &method).is_ok();
        assert!(allows("eviction", Method::POST) && !allows("eviction", Method::GET));
        assert!(allows("exec", Method::GET) && allows("exec", Method::POST) && !allows("exec", Method::PUT));
        assert!(allows("resize", Method::PATCH) && !allows("log", Method::POST));
    }

    #[test]
    fn documents_have_types() {
        for own in ALL.iter().filter(|it| it.verbs == ["create"]).filter_map(|it| it.kind) {
            assert_eq!(own.go_type().own_name(), own.kind);
        }
    }

    #[test]
    fn names_are_sorted_for_each_resource() {
        assert!(ALL.windows(2).all(|pair| pair[0].plural != pair[1].plural || pair[0].name < pair[1].name));
    }
}
