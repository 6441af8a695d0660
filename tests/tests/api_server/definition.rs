//! The definition of the resource that the comparisons use.

use serde_json::{Value, json};

pub(crate) const GROUP: &str = "differential.example.com";

/// The path of the widgets in a namespace.
pub(crate) fn widgets(namespace: &str) -> String {
    format!("/apis/{GROUP}/v1/namespaces/{namespace}/widgets")
}

/// A resource with all kinds of lists, maps, defaults and rules, a status and a scale, and two versions.
pub(crate) fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{GROUP}") },
        "spec": {
            "group": GROUP,
            "names": { "kind": "Widget", "plural": "widgets", "shortNames": ["wd"], "categories": ["all"] },
            "scope": "Namespaced",
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    })
}

fn version(name: &str, is_stored: bool) -> Value {
    json!({
        "name": name, "served": true, "storage": is_stored,
        "schema": { "openAPIV3Schema": schema() },
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "selectableFields": [{ "jsonPath": ".spec.zone" }],
        "additionalPrinterColumns": [
            { "name": "Zone", "type": "string", "jsonPath": ".spec.zone" },
            { "name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas" },
            { "name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status" },
            { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
        ],
    })
}

fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": 20 });
    json!({
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {
                "type": "object",
                "required": ["zone"],
                "properties": {
                    "zone": { "type": "string", "enum": ["a", "b", "c"] },
                    "replicas": { "type": "integer", "minimum": 0, "maximum": 100, "default": 1 },
                    "size": { "x-kubernetes-int-or-string": true },
                    "note": { "type": "string", "maxLength": 20, "pattern": "^[a-z ]*$", "nullable": true },
                    "flag": { "type": "boolean", "default": false },
                    "ports": {
                        "type": "array", "maxItems": 5,
                        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
                        "items": {
                            "type": "object", "required": ["port"],
                            "properties": {
                                "port": { "type": "integer" },
                                "protocol": { "type": "string", "default": "TCP" },
                                "name": text,
                            },
                        },
                    },
                    "tags": { "type": "array", "x-kubernetes-list-type": "set", "maxItems": 5, "items": text },
                    "steps": { "type": "array", "maxItems": 5, "items": text },
                    "settings": { "type": "object", "maxProperties": 5, "additionalProperties": text },
                    "atomic": {
                        "type": "object", "x-kubernetes-map-type": "atomic",
                        "properties": { "a": text, "b": text },
                    },
                    "any": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                    "limits": {
                        "type": "object",
                        "properties": { "min": { "type": "integer" }, "max": { "type": "integer" } },
                        "x-kubernetes-validations": [
                            { "rule": "!has(self.min) || !has(self.max) || self.min <= self.max",
                              "message": "min must not exceed max" },
                        ],
                    },
                    "fixed": {
                        "type": "string", "maxLength": 20,
                        "x-kubernetes-validations": [{ "rule": "self == oldSelf", "message": "fixed is immutable" }],
                    },
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "replicas": { "type": "integer" },
                    "selector": { "type": "string" },
                    "phase": { "type": "string", "enum": ["Pending", "Ready"] },
                    "conditions": {
                        "type": "array",
                        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                        "items": {
                            "type": "object", "required": ["type", "status"],
                            "properties": { "type": { "type": "string" }, "status": { "type": "string" } },
                        },
                    },
                },
            },
        },
    })
}
