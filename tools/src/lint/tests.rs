use serde_json::json;

use super::*;

fn crd(spec: Value, status: Value) -> CustomResourceDefinition {
    let schema = json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    serde_json::from_value(json!({
        "metadata": { "name": "vms.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "vms", "kind": "Vm" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
                "subresources": { "status": {} },
            }],
        },
    }))
    .unwrap()
}

/// Returns the paths and lints of the findings in a schema of `.spec`.
fn found(spec: Value, lint: Lint) -> Vec<String> {
    let status = json!({ "type": "object" });
    findings(&crd(spec, status), &[lint], &Exceptions::default(), &[]).into_iter().map(|finding| finding.path).collect()
}

fn field(name: &str, schema: Value) -> Value {
    json!({ "type": "object", "properties": { name: schema } })
}

#[test]
fn each_lint_has_a_good_and_a_bad_example() {
    let item = |required: Value| json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": required });
    let list = |items: Value, type_: &str| json!({ "type": "array", "items": items, "x-kubernetes-list-type": type_ });
    let text = || json!({ "type": "string" });
    let described = |text: &str| json!({ "type": "string", "description": text });
    let required = |default: Value| json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "default": default } } });
    let conditions = |key: &str| {
        let required = ["lastTransitionTime", "message", "reason", "status", "type"];
        let items = json!({ "type": "object", "required": required });
        json!({ "type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] })
    };
    let union = |rules: &[&str]| {
        let rules: Value = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        json!({
            "type": "object", "required": ["type"], "x-kubernetes-validations": rules,
            "properties": { "type": { "type": "string", "enum": ["Http", "Tcp", "None"] }, "http": text(), "tcp": text() },
        })
    };
    for (lint, bad, good) in [
        (
            Lint::ArrayOfStruct,
            field("a", list(item(json!([])), "atomic")),
            field("a", list(item(json!(["a"])), "atomic")),
        ),
        (Lint::CommentStart, field("a", described("The a.")), field("a", described("a is one."))),
        (Lint::Conditions, field("conditions", conditions("reason")), field("conditions", conditions("type"))),
        (Lint::DefaultOrRequired, required(json!("a")), required(Value::Null)),
        (Lint::Descriptions, field("a", text()), field("a", described("An a."))),
        (
            Lint::DiscriminatedUnions,
            field("a", union(&["self.type == 'Http' ? has(self.http) : !has(self.http)"])),
            field(
                "a",
                union(&[
                    "self.type == 'Http' ? has(self.http) : !has(self.http)",
                    "has(self.tcp) == (self.type == 'Tcp')",
                ]),
            ),
        ),
        (
            Lint::EnumCase,
            field("a", json!({ "type": "string", "enum": ["one"] })),
            field("a", json!({ "enum": ["One"] })),
        ),
        (
            Lint::Integers,
            field("a", json!({ "type": "integer", "format": "uint8" })),
            field("a", json!({ "type": "integer", "format": "int32" })),
        ),
        (Lint::JsonTags, field("a_b", text()), field("aB", text())),
        (Lint::MaxLength, field("a", text()), field("a", json!({ "type": "string", "maxLength": 1 }))),
        (Lint::MinLength, field("a", text()), field("a", json!({ "type": "string", "minLength": 1 }))),
        (Lint::NoBools, field("a", json!({ "type": "boolean" })), field("a", text())),
        (Lint::NoDurations, field("a", json!({ "type": "string", "format": "duration" })), field("a", text())),
        (Lint::NoFloats, field("a", json!({ "type": "number" })), field("a", json!({ "type": "integer" }))),
        (
            Lint::NoMaps,
            field("a", json!({ "type": "object", "additionalProperties": { "type": "integer" } })),
            field("a", json!({ "type": "object", "additionalProperties": { "type": "string" } })),
        ),
        (Lint::NoNullable, field("a", json!({ "type": "string", "nullable": true })), field("a", text())),
        (Lint::NoPhase, field("vmPhase", text()), field("a", text())),
        (Lint::NoReferences, field("nodeReference", text()), field("nodeRef", text())),
        (Lint::NoTimestamp, field("startTimestamp", text()), field("startTime", text())),
        (
            Lint::NumericBounds,
            field("a", json!({ "type": "integer", "minimum": 1 })),
            field("a", json!({ "type": "integer", "minimum": 1, "maximum": 2 })),
        ),
        (Lint::SsaTags, field("a", json!({ "type": "array", "items": text() })), field("a", list(text(), "set"))),
    ] {
        let of_bad: Vec<_> = found(bad, lint).into_iter().filter(|path| path != ".spec").collect();
        assert_eq!(of_bad.len(), 1, "{lint} {of_bad:?}");
        let of_good: Vec<_> =
            found(good, lint).into_iter().filter(|path| path != ".spec" && path != ".status").collect();
        assert!(of_good.is_empty(), "{lint} {of_good:?}");
    }
}

#[test]
fn the_status() {
    let status = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } });
    let mut crd = crd(json!({ "type": "object" }), status);
    let paths = |crd: &CustomResourceDefinition, lint| -> Vec<String> {
        findings(crd, &[lint], &Exceptions::default(), &[]).into_iter().map(|finding| finding.path).collect()
    };
    assert_eq!(paths(&crd, Lint::StatusOptional), [".status.a"]);
    assert!(paths(&crd, Lint::StatusSubresource).is_empty());
    crd.spec.versions[0].subresources = None;
    assert_eq!(paths(&crd, Lint::StatusSubresource), [".status"]);
}

#[test]
fn unions_need_a_rule_for_each_member() {
    let properties = json!({ "kind": { "type": "string", "enum": ["HTTP", "Tcp"] }, "tcp": {}, "http": {} });
    let union = json!({ "type": "object", "required": ["kind"], "properties": properties });
    let crd = crd(union, json!({ "type": "object" }));
    let message = findings(&crd, &[Lint::DiscriminatedUnions], &Exceptions::default(), &[]).remove(0).message;
    assert!(message.ends_with("add `self.kind == 'HTTP' ? has(self.http) : !has(self.http)`"), "{message}");
    assert!(found(json!({ "type": "object", "properties": { "tcp": {} } }), Lint::DiscriminatedUnions).is_empty());
}

#[test]
fn messages_have_a_better_name() {
    let message = |name: &str, lint| {
        let crd = crd(field(name, json!({ "type": "string" })), json!({ "type": "object" }));
        findings(&crd, &[lint], &Exceptions::default(), &[]).remove(0).to_string()
    };
    assert_eq!(
        message("nodeReferences", Lint::NoReferences),
        "vms.example.com v1.spec.nodeReferences: the name contains `Reference`: use `nodeRefs` [noreferences]"
    );
    assert!(message("referenceNode", Lint::NoReferences).contains("use `refNode`"));
    assert!(message("timestampOfStart", Lint::NoTimestamp).contains("use `timeOfStart`"));
}

#[test]
fn what_is_in_types_of_kubernetes_is_not_judged() {
    let spec = json!({
        "type": "object", "description": "A job.",
        "properties": { "jobTemplate": crate::tests::job_template(), "Odd": { "type": "string", "description": "x" } },
    });
    let schema = json!({ "type": "object", "description": "A job.", "properties": { "spec": spec } });
    let crd = serde_json::from_value(json!({
        "metadata": { "name": "jobs.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "jobs", "kind": "Job" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    }))
    .unwrap();
    let found = lint_definitions(&Crds::new(), &[], &[crd], Lint::ALL).unwrap();
    let within = |finding: &&LintFinding| finding.path.starts_with(".spec.jobTemplate.");
    assert_eq!(found.iter().filter(within).count(), 0, "{found:?}");
    assert!(found.iter().any(|finding| finding.path == ".spec.Odd"), "{found:?}");
}
