//! What the server asks of the nodes of Pods and of the programs in them: logs and connections. Neither exists here, so that a request
//! gets as far as in a cluster whose nodes do not answer.

use std::net::IpAddr;

use crdkit_core::{ErrorType, go, object_processing::FieldError};
use serde_json::Value;

use crate::{
    failure::Failure,
    request::ResourceRequest,
    response::{Content, Reply},
    state::State,
    store::Key,
    value::text,
    webhook_calls::Stop,
};

/// The port of a kubelet that reports no other one.
const KUBELET_PORT: i64 = 10250;
/// The flag `--kubelet-preferred-address-types` of the server.
const ADDRESS_TYPES: [&str; 5] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/// The log of a container. That of a Pod without a node is empty.
pub(super) fn log(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    check_log_options(call)?;
    let pod = state.stored(call)?.value();
    let container = container(call, &pod)?;
    let Some(address) = address(state, call, &pod)? else { return Ok(Reply::new(204, Content::Text("".into()))) };
    let path = format!("containerLogs/{}/{}/{container}", call.namespace(), call.name());
    Err(Failure::internal(format!("Get \"https://{address}/{path}\": {}", unreachable(&address))).into())
}

/// `ValidatePodLogOptions`.
fn check_log_options(call: &ResourceRequest) -> Result<(), Failure> {
    let number = |name: &str| call.query.number::<i64>(name);
    let mut errors = Vec::new();
    let mut error = |name: &str, kind: ErrorType, value: Option<i64>, detail: &str| {
        let value = value.map(|value| value.to_string());
        errors.push(FieldError { place: format!(".{name}"), kind, value, detail: detail.to_owned() });
    };
    let least = [("tailLines", 0, "must be greater than or equal to 0"), ("limitBytes", 1, "must be greater than 0")];
    for (name, least, detail) in least {
        if let Some(value) = number(name)?.filter(|value| *value < least) {
            error(name, ErrorType::Invalid, Some(value), detail);
        }
    }
    match number("sinceSeconds")? {
        Some(_) if call.query.has("sinceTime") => {
            let detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
            error("", ErrorType::Forbidden, None, detail);
        }
        Some(seconds) if seconds < 1 => {
            error("sinceSeconds", ErrorType::Invalid, Some(seconds), "must be greater than 0");
        }
        _ => {}
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::invalid("", "PodLogOptions", call.name(), &errors)) }
}

/// A connection to a process in a container.
pub(super) fn stream(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    // Over WebSocket it is a `GET`.
    state.authorization.authorize_creation(&state.store, call)?;
    let pod = state.stored(call)?.value();
    container(call, &pod)?;
    dial(state, call, &pod)
}

/// A connection to a port of a Pod.
pub(super) fn forward_port(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    state.authorization.authorize_creation(&state.store, call)?;
    let pod = state.stored(call)?.value();
    dial(state, call, &pod)
}

fn dial(state: &State, call: &ResourceRequest, pod: &Value) -> Result<Reply, Stop> {
    Err(match address(state, call, pod)? {
        None => Failure::bad_request(format!("pod {} does not have a host assigned", call.name())),
        Some(address) => Failure::internal(format!("error dialing backend: {}", unreachable(&address))),
    }
    .into())
}

fn unreachable(address: &str) -> String {
    format!("dial tcp {address}: connect: connection refused")
}

/// `validateContainer`: returns the container that a request is for.
fn container(call: &ResourceRequest, pod: &Value) -> Result<String, Failure> {
    let names = |list: &str| -> Vec<&str> {
        pod["spec"][list].as_array().into_iter().flatten().map(|it| text(it, "name")).collect()
    };
    let all = ["initContainers", "containers", "ephemeralContainers"].map(names).concat();
    let name = call.name();
    match (call.query.get("container"), &names("containers")[..]) {
        ("", [only]) => Ok((*only).to_owned()),
        ("", []) => Err(Failure::bad_request(format!("a container name must be specified for pod {name}"))),
        ("", _) => Err(Failure::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all.join(" ")
        ))),
        (container, _) if all.contains(&container) => Ok(container.to_owned()),
        (container, _) => Err(Failure::bad_request(format!("container {container} is not valid for pod {name}"))),
    }
}

/// Returns the address of the kubelet of a Pod; `None` if it has no node.
fn address(state: &State, call: &ResourceRequest, pod: &Value) -> Result<Option<String>, Failure> {
    match text(&pod["spec"], "nodeName") {
        "" => Ok(None),
        node => kubelet(state, call, node).map(Some),
    }
}

/// `GetConnectionInfo`. The server names the resource of the request if there is no such node.
fn kubelet(state: &State, call: &ResourceRequest, name: &str) -> Result<String, Failure> {
    let node = state.store.find("nodes", &Key::new("", name)).ok_or_else(|| call.resource.not_found(name))?;
    let status = &node["status"];
    let of_type = |wanted: &&str| {
        let mut addresses = status["addresses"].as_array()?.iter();
        addresses.find(|it| text(it, "type") == *wanted).map(|it| text(it, "address"))
    };
    let Some(host) = ADDRESS_TYPES.iter().find_map(of_type) else {
        return Err(Failure::internal("no preferred addresses found; known addresses: []"));
    };
    let port = status["daemonEndpoints"]["kubeletEndpoint"]["Port"].as_i64().filter(|port| *port > 0);
    Ok(format!("{host}:{}", port.unwrap_or(KUBELET_PORT)))
}

/// A request to a program in a Pod.
pub(super) fn proxy_to_pod(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let (name, port) = proxied(call, "pod")?;
    let pod = state.store.find("pods", &Key::new(call.namespace(), name));
    let pod = pod.ok_or_else(|| call.resource.not_found(name))?;
    let ip = pod["status"]["podIPs"][0]["ip"].as_str().and_then(|ip| ip.parse::<IpAddr>().ok());
    let Some(ip) = ip.filter(|ip| !ip.is_loopback() && !ip.is_unspecified() && !ip.is_multicast()) else {
        return Err(Failure::bad_request("address not allowed").into());
    };
    let port = if port.is_empty() { "80" } else { port };
    Err(no_service(&format!("{ip}:{port}")).into())
}

/// Returns the name and the port of what a request is forwarded to.
fn proxied<'c>(call: &'c ResourceRequest, kind: &str) -> Result<(&'c str, &'c str), Failure> {
    let id = call.name();
    name_and_port(id).ok_or_else(|| Failure::bad_request(format!("invalid {kind} request {}", go::quote(id))))
}

fn no_service(address: &str) -> Failure {
    Failure::unavailable(&format!("error trying to reach service: {}", unreachable(address)))
}

/// A request to the kubelet of a node.
pub(super) fn proxy_to_node(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let (name, _) = proxied(call, "node")?;
    Err(no_service(&kubelet(state, call, name)?).into())
}

/// A request to one of the Pods of a Service.
pub(super) fn proxy_to_service(_: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let (name, _) = proxied(call, "service")?;
    Err(Failure::unavailable(&format!("no endpoints available for service {}", go::quote(name))).into())
}

/// `SplitSchemeNamePort`: the name and the port of `name`, `name:port` and `scheme:name:port`.
fn name_and_port(id: &str) -> Option<(&str, &str)> {
    let parts: Vec<_> = id.split(':').collect();
    let (name, port) = match parts[..] {
        [name] => (name, ""),
        [name, port] | ["" | "http" | "https", name, port] => (name, port),
        _ => return None,
    };
    (!name.is_empty()).then_some((name, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_a_scheme_and_a_port() {
        for (id, expected) in [
            ("web", Some(("web", ""))),
            ("web:80", Some(("web", "80"))),
            ("https:web:", Some(("web", ""))),
            ("ftp:web:21", None),
            (":80", None),
        ] {
            assert_eq!(name_and_port(id), expected, "{id}");
        }
    }
}
