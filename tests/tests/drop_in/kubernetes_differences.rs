//! The exact differences between the schemas that both derives have for Kubernetes' own types.

use serde_json::{Value, json};

use crate::schema_differences::{SchemaDifference, differences};

const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
const REASON: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
const CONDITION: &str =
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

pub(crate) fn kubernetes() -> Vec<SchemaDifference> {
    let members = |status: Value, message: Value, reason: Value, kind: Value, generation: Value| {
        json!({
            "type": "object",
            "properties": {
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "status": status, "message": message, "reason": reason, "type": kind,
                "observedGeneration": generation,
            },
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
        })
    };
    let text = || json!({ "type": "string" });
    let integer = json!({ "type": "integer", "format": "int64" });
    let loose = members(text(), text(), text(), text(), integer);
    let strict = members(
        json!({ "type": "string", "enum": ["True", "False", "Unknown"] }),
        json!({ "type": "string", "maxLength": 32768 }),
        json!({ "type": "string", "minLength": 1, "maxLength": 1024, "pattern": REASON }),
        json!({ "type": "string", "maxLength": 316, "pattern": CONDITION }),
        json!({ "type": "integer", "format": "int64", "minimum": 0 }),
    );
    differences! {
        quantity: { "x-kubernetes-int-or-string": true, "nullable": true }
            => { "x-kubernetes-int-or-string": true, "nullable": true, "pattern": QUANTITY };
        port: { "x-kubernetes-int-or-string": true, "nullable": true } => {
            "x-kubernetes-int-or-string": true, "nullable": true, "minimum": -2147483648_i64, "maximum": 2147483647,
        };
        short_port: { "x-kubernetes-int-or-string": true } => {
            "x-kubernetes-int-or-string": true, "minimum": -2147483648_i64, "maximum": 2147483647, "maxLength": 4,
        };
        condition: (loose.clone()) => (strict.clone());
        conditions: { "type": "array", "items": loose } => {
            "type": "array", "items": strict,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        };
        selector: (selector(Value::Null)) => (selector(json!("atomic")));
    }
}

/// The schema of a label selector, with this topology if it is one.
fn selector(topology: Value) -> Value {
    let list = |items: Value| {
        if topology.is_string() {
            json!({ "type": "array", "items": items, "x-kubernetes-list-type": topology })
        } else {
            json!({ "type": "array", "items": items })
        }
    };
    let requirement = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string" }, "operator": { "type": "string" }, "values": list(json!({ "type": "string" })),
        },
        "required": ["key", "operator"],
    });
    let mut selector = json!({
        "type": "object",
        "properties": {
            "matchExpressions": list(requirement),
            "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
        },
    });
    if topology.is_string() {
        selector["x-kubernetes-map-type"] = topology.clone();
    }
    selector
}
