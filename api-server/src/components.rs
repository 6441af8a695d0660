//! The status of the components of a control plane. This one is a store alone: no controller manager and no scheduler answer.

use serde_json::{Value, json};

use super::{
    failure::Failure,
    request::ResourceRequest,
    response::{Content, Items, List, Reply},
    selection::Selection,
    state::State,
    value::text,
    webhook_calls::Stop,
};

/// The components that are programs of their own, and their default ports.
const PROGRAMS: [(&str, u16); 2] = [("controller-manager", 10257), ("scheduler", 10259)];
const STORE: &str = "etcd-0";

/// Returns the status of all components.
fn statuses() -> Vec<Value> {
    let mut statuses: Vec<_> = PROGRAMS.iter().map(|(name, port)| status(name, "False", &refusal(*port))).collect();
    statuses.push(status(STORE, "True", "ok"));
    statuses
}

fn status(name: &str, is_healthy: &str, message: &str) -> Value {
    json!({
        "kind": "ComponentStatus", "apiVersion": "v1", "metadata": { "name": name },
        "conditions": [{ "type": "Healthy", "status": is_healthy, "message": message }],
    })
}

fn refusal(port: u16) -> String {
    let address = format!("127.0.0.1:{port}");
    format!("Get \"https://{address}/healthz\": dial tcp {address}: connect: connection refused")
}

pub(super) fn list(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let selection = Selection::parse(call, state.has_shards)?;
    let mut items = statuses();
    items.retain(|status| selection.matches(status));
    let list = List {
        is_custom: false,
        kind: call.resource.list_kind(),
        api_version: call.api_version(),
        revision: None,
        next: None,
        remaining: None,
        shards: None,
        items: Items::Objects(items),
    };
    Ok(Reply::new(200, Content::List(list)))
}

pub(super) fn get(_: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let name = call.name();
    let found = statuses().into_iter().find(|status| text(&status["metadata"], "name") == name);
    let status = found.ok_or_else(|| {
        let message = format!("componentstatus \"{name}\" not found");
        Failure::new(404, "NotFound", message).about("", "componentstatus", name)
    })?;
    Ok(Reply::new(200, Content::Object(status)))
}
