//! The structure of schemas: types, members, resources, branches.

crate::placements::fragments! {
    Accepted {
        int_or_string: { "x-kubernetes-int-or-string": true };
        // Keywords beside it are removed.
        either_preserved: { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true };
        resource: { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
        resource_with_fields: { "type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "apiVersion": { "type": "string" }, "kind": { "type": "string" }, "metadata": { "type": "object" }, "a": { "type": "string" } } };
        any_of: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] };
        one_of: { "type": "object", "properties": { "a": { "type": "string" } },
            "oneOf": [{ "required": ["a"] }, { "not": { "required": ["a"] } }] };
        branch_of_types: { "anyOf": [{ "type": "integer" }, { "type": "string" }] };
        branch_with_words: { "type": "string", "anyOf": [{ "title": "A", "enum": ["a"] }, { "description": "B", "enum": ["b"] }] };
        branch_with_a_null: { "anyOf": [{ "type": "string" }, { "type": "null" }] };
        branch_with_fields: { "type": "object", "oneOf": [
            { "required": ["a"], "properties": { "a": { "type": "string" } } },
            { "required": ["b"], "properties": { "b": { "type": "integer" } } }] };
        type_list: { "type": ["string", "null"] };
        constant: { "const": "a" };
        tuple: { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "string" }], "minItems": 2, "maxItems": 2 };
        patterns: { "type": "object", "patternProperties": { "^a$": { "type": "string" } } };
        closed: { "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": false };
        anything: { "type": "object", "additionalProperties": true };
        set_of_unique: { "type": "array", "uniqueItems": true, "items": { "type": "string" } };
        list_of_anything: { "type": "array" };
        dated: { "type": "string", "format": "date" };
    }
    S5 {
        resource_of_text: { "type": "string", "x-kubernetes-embedded-resource": true };
    }
    S6 {
        resource_of_a_map: { "type": "object", "x-kubernetes-embedded-resource": true, "additionalProperties": { "type": "string" } };
    }
    S7 {
        resource_empty: { "type": "object", "x-kubernetes-embedded-resource": true };
    }
    S8 {
        resource_kind: { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "kind": { "type": "integer" } } };
        resource_metadata: { "type": "object", "x-kubernetes-embedded-resource": true,
            "properties": { "metadata": { "type": "array", "items": { "type": "string" } } } };
    }
    O9 {
        resource_in_metadata: { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "metadata": {
            "type": "object", "properties": { "a": { "type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true } } } } };
    }
    // Schemas that crdkit changes: a branch needs no `metadata`.
    Accepted {
        branch_with_metadata: { "type": "object", "properties": { "metadata": { "type": "object", "properties": { "a": { "type": "string" } } },
            "b": { "type": "string" } }, "not": { "properties": { "metadata": { "required": ["a"] } }, "required": ["metadata"] } };
    }
    CrdkitOnly {
        type_foo: { "type": "foo" };
        type_of_two: { "type": ["integer", "object"] };
        tuple_of_two_types: { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }] };
        branch_with_a_rule: { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } }, "anyOf": [
            { "required": ["a"], "x-kubernetes-validations": [{ "rule": "self.a == ''" }] }, { "required": ["b"] }] };
        branch_of_two_types: { "anyOf": [{ "type": "integer" }, { "type": "object", "properties": { "a": { "type": "string" } } }] };
        nothing: { "enum": [] };
        fraction_of_a_length: { "type": "string", "maxLength": 1.5 };
        list_of_words: { "type": "string", "pattern": ["a"] };
    }
}
