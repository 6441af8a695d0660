//! Bounds, patterns, enums, formats and defaults.

crate::placements::fragments! {
    Accepted {
        pattern: { "type": "string", "pattern": "^a+$" };
        bounds: { "type": "integer", "minimum": 1, "maximum": 5 };
        exclusive: { "type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 5 };
        lengths: { "type": "string", "minLength": 1, "maxLength": 5 };
        enumeration: { "type": "string", "enum": ["a", "b"] };
        default: { "type": "string", "default": "a" };
        default_of_an_object: { "type": "object", "properties": { "a": { "type": "object", "default": { "b": "c" },
            "properties": { "b": { "type": "string", "maxLength": 1 } } } } };
        default_of_a_resource: { "type": "object", "properties": { "a": { "type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true, "default": { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" } } } } };
    }
    // Schemas that crdkit changes: it removes keywords without an effect on the server, and moves bounds to where they have one.
    Accepted {
        enum_with_null: { "type": "string", "nullable": true, "enum": ["a"] };
        bound_beyond: { "type": "integer", "maximum": 9223372036854775808u64 };
        all_forbidden: { "type": "object", "properties": { "a": { "type": "string" } }, "not": {} };
        either_typed: { "type": "string", "x-kubernetes-int-or-string": true };
        format_unknown: { "type": "string", "format": "binary" };
        format_of_another_type: { "type": "string", "format": "int32" };
    }
    O10 {
        pattern_look_ahead: { "type": "string", "pattern": "(?=a)" };
    }
    E5 {
        default_type: { "type": "object", "properties": { "a": { "type": "string", "default": 1 } } };
        default_required: { "type": "object", "properties": { "a": { "type": "object", "default": {}, "required": ["b"],
            "properties": { "b": { "type": "string" } } } } };
        default_of_the_value_of_items: { "type": "array", "items": { "type": "string", "maxLength": 1 }, "default": ["ab"] };
        default_of_the_value: { "type": "integer", "minimum": 2, "default": 1 };
    }
    E4 {
        default_unknown: { "type": "object", "properties": { "a": { "type": "object", "default": { "c": 1 },
            "properties": { "b": { "type": "string" } } } } };
    }
    E2 {
        default_in_labels: { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "properties": { "metadata": { "type": "object", "properties": { "labels": { "type": "object",
            "additionalProperties": { "type": "string", "default": "a" } } } } } };
    }
    E6 {
        default_no_resource: { "type": "object", "properties": { "a": { "type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true, "default": { "kind": "Pod" } } } };
    }
    E7 {
        default_of_the_value_against_a_rule: { "type": "integer", "default": 1, "x-kubernetes-validations": [{ "rule": "self > 3" }] };
        default_of_the_value_against_a_rule_within: { "type": "object", "default": { "b": 1 }, "properties": { "b": { "type": "integer",
            "x-kubernetes-validations": [{ "rule": "self > 3" }] } } };
    }
    X4 {
        multiple_of_a_fraction: { "type": "integer", "multipleOf": 0.5 };
    }
    X1 {
        required_nothing: { "type": "object", "required": ["b"], "properties": { "a": { "type": "string" } } };
    }
    X2 {
        enum_of_another_type: { "type": "string", "enum": [1] };
    }
    X5 {
        bounds_crossed: { "type": "integer", "minimum": 5, "maximum": 1 };
    }
    X6 {
        lengths_crossed: { "type": "string", "minLength": 5, "maxLength": 1 };
    }
    X18 {
        fraction_of_a_bound: { "type": "number", "minimum": 0.5 };
        fraction_in_a_branch: { "type": "number", "anyOf": [{ "maximum": -0.5 }] };
    }
    X7 {
        multiple_of_nothing: { "type": "integer", "multipleOf": 0 };
    }
    X8 {
        bound_of_text: { "type": "string", "maximum": 5 };
        length_of_a_number: { "type": "integer", "maxLength": 5 };
    }
    X15 {
        required_twice: { "type": "object", "required": ["a", "a"], "properties": { "a": { "type": "string" } } };
    }
    X16 {
        one_value_of_another_type: { "type": "string", "enum": ["a", 1] };
    }
    X17 {
        branch_requires_nothing: { "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] };
    }
}
