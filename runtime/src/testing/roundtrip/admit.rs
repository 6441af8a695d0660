//! The server's processing of an object before validation.

use serde_json::Value;

use super::node::SchemaNode;
use crate::crd::object_processing::prune_and_default;

/// Drops nulls, sets defaults and prunes unknown fields; returns the paths of the unknown fields.
pub(super) fn admit(node: &SchemaNode, value: &mut Value) -> Vec<String> {
    let unknown = prune_and_default(&node.schema, value).into_iter();
    let path = |path: String| if path.starts_with('[') { path } else { format!(".{path}") };
    unknown.map(path).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_admitted_as_the_server_does() {
        let integer = json!({ "type": "integer" });
        let kept = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let defaulted = json!({ "type": "integer", "default": 1 });
        let nullable = json!({ "type": "integer", "nullable": true, "default": 1 });
        for (schema, document, expected) in [
            (json!({ "a": integer }), json!({ "a": 1, "b": 2 }), json!({ "a": 1 })),
            (json!({ "a": integer }), json!({ "a": 1.0 }), json!({ "a": 1 })),
            (json!({ "a": integer }), json!({ "a": null }), json!({})),
            (json!({ "a": defaulted }), json!({ "a": null }), json!({ "a": 1 })),
            (json!({ "a": defaulted }), json!({}), json!({ "a": 1 })),
            (json!({ "a": nullable }), json!({ "a": null }), json!({ "a": null })),
            (json!({ "a": { "type": "object", "properties": { "b": defaulted } } }), json!({}), json!({})),
            (
                json!({ "a": { "type": "object", "default": {}, "properties": { "b": defaulted } } }),
                json!({}),
                json!({ "a": { "b": 1 } }),
            ),
            (json!({ "a": { "type": "object" } }), json!({ "a": { "b": 1 } }), json!({ "a": {} })),
            (
                json!({ "a": { "type": "object", "additionalProperties": true } }),
                json!({ "a": { "b": { "c": 1 }, "d": 1, "e": null, "f": [{ "g": 1 }] } }),
                json!({ "a": { "b": {}, "d": 1, "e": null, "f": [{}] } }),
            ),
            (
                json!({ "a": { "type": "object", "additionalProperties": integer } }),
                json!({ "a": { "b": 1, "c": null } }),
                json!({ "a": { "b": 1 } }),
            ),
            (json!({ "a": { "type": "array", "items": integer } }), json!({ "a": [null] }), json!({ "a": [null] })),
            (json!({ "a": kept }), json!({ "a": { "b": { "c": null } } }), json!({ "a": { "b": { "c": null } } })),
            (
                json!({ "a": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": { "b": { "type": "object" } },
                } }),
                json!({ "a": { "b": { "c": 1 }, "d": { "e": 1 } } }),
                json!({ "a": { "b": {}, "d": { "e": 1 } } }),
            ),
            (
                json!({ "a": {
                    "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "b": integer },
                } }),
                json!({ "a": { "kind": "A", "metadata": { "name": "a" }, "b": 1, "c": 1 } }),
                json!({ "a": { "kind": "A", "metadata": { "name": "a" }, "b": 1 } }),
            ),
            (
                json!({ "a": { "type": "object", "x-kubernetes-embedded-resource": true } }),
                json!({ "a": { "metadata": { "name": "", "labels": {}, "uid": "b", "c": 1 } } }),
                json!({ "a": { "metadata": { "uid": "b" } } }),
            ),
            (
                json!({ "a": kept }),
                json!({ "a": { "b": u64::MAX } }),
                json!({ "a": { "b": 18_446_744_073_709_551_615.0 } }),
            ),
        ] {
            let schema = json!({ "type": "object", "properties": schema });
            let node = SchemaNode::new(serde_json::from_value(schema.clone()).unwrap());
            let mut admitted = document.clone();
            admit(&node, &mut admitted);
            assert_eq!(admitted, expected, "{schema} {document}");
        }
    }

    #[test]
    fn pruned_fields_are_named() {
        let schema = json!({ "type": "array", "items": { "type": "object" } });
        let node = SchemaNode::new(serde_json::from_value(schema).unwrap());
        assert_eq!(admit(&node, &mut json!([{ "a": 1 }])), ["[0].a"]);
    }
}
