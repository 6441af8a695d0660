//! Rules in CEL.

crate::placements::fragments! {
    Accepted {
        rule: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0" }] };
        path: { "type": "object", "properties": { "a": { "type": "string" } },
            "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": ".a" }] };
        whole: { "type": "string", "maxLength": 5, "x-kubernetes-validations": [{ "rule": "self != ''", "message": "no", "messageExpression": "'got ' + self",
            "reason": "FieldValueForbidden" }] };
        several_lines: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0 ||\nself < 0", "message": "not nothing" }] };
    }
    C1 {
        rule_blank: { "type": "integer", "x-kubernetes-validations": [{ "rule": " " }] };
    }
    C2 {
        message_blank: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "message": " " }] };
    }
    C3 {
        message_of_lines: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "message": "a\nb" }] };
    }
    C4 {
        rule_of_lines: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0 ||\nself < 0" }] };
    }
    C5 {
        message_expression_blank: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "messageExpression": " " }] };
    }
    C6 {
        reason_foo: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "reason": "Foo" }] };
    }
    C7 {
        path_blank: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "fieldPath": " " }] };
    }
    C8 {
        path_to_nothing: { "type": "object", "properties": { "a": { "type": "string" } },
            "x-kubernetes-validations": [{ "rule": "has(self.a)", "fieldPath": ".b" }] };
    }
    C9 {
        rule_twice: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0" }, { "rule": "self > 0", "message": "again" }] };
    }
    C10 {
        rule_field: { "type": "object", "properties": { "a": { "type": "string" } },
            "x-kubernetes-validations": [{ "rule": "has(self.b)" }] };
    }
    C11 {
        rule_no_boolean: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self + 1" }] };
    }
    C12 {
        message_expression: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "messageExpression": "self" }] };
    }
    C13 {
        rule_on_anything: { "x-kubernetes-preserve-unknown-fields": true, "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true },
            "x-kubernetes-validations": [{ "rule": "true" }] };
    }
    C14 {
        rule_dear: { "type": "array", "items": { "type": "array", "items": { "type": "string",
            "x-kubernetes-validations": [{ "rule": "self.matches('^a+b+c+$') && self.contains('abc')" }] } } };
    }
    C15 {
        message_expression_dear: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "messageExpression": "'got ' + string(self)" }] };
    }
    C17 {
        rule_old_self: { "type": "array", "items": { "type": "integer", "x-kubernetes-validations": [{ "rule": "self == oldSelf" }] } };
    }
    C18 {
        rule_optional: { "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "optionalOldSelf": true }] };
    }
}
