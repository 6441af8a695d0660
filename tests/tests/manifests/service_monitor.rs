//! The definition of ServiceMonitors, with the fields that are written.

use serde_json::{Value, json};

pub(crate) fn definition() -> Value {
    let string = || json!({ "type": "string" });
    let endpoint = json!({
        "type": "object",
        "properties": {
            "port": string(),
            "scheme": string(),
            "bearerTokenFile": string(),
            "tlsConfig": { "type": "object", "properties": { "insecureSkipVerify": { "type": "boolean" } } },
        },
    });
    let spec = json!({
        "type": "object",
        "required": ["endpoints", "selector"],
        "properties": {
            "endpoints": { "type": "array", "items": endpoint },
            "selector": {
                "type": "object",
                "properties": { "matchLabels": { "type": "object", "additionalProperties": string() } },
            },
        },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "servicemonitors.monitoring.coreos.com" },
        "spec": {
            "group": "monitoring.coreos.com",
            "names": {
                "kind": "ServiceMonitor", "listKind": "ServiceMonitorList", "plural": "servicemonitors",
                "singular": "servicemonitor",
            },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } },
            }],
        },
    })
}
