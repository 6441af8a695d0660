use super::*;

fn crd(spec: Value) -> CustomResourceDefinition {
    let schema = json!({ "type": "object", "required": ["spec"], "properties": { "spec": spec } });
    serde_json::from_value(json!({
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": { "plural": "vms", "kind": "Vm" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    }))
    .unwrap()
}

/// Returns `.spec` of the minimal and of the full sample.
fn specs(spec: Value) -> [Value; 2] {
    let samples = samples(&crd(spec));
    for sample in &samples {
        assert!(sample.problems.is_empty(), "{:?}", sample.problems);
    }
    [samples[0].object["spec"].clone(), samples[1].object["spec"].clone()]
}

fn object(properties: Value, required: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

#[test]
fn minimal_objects_have_the_required_fields() {
    let spec = object(
        json!({
            "a": { "type": "string", "example": "from the docs" },
            "b": { "type": "integer", "minimum": 5 },
            "c": { "type": "boolean", "default": false },
        }),
        json!(["a", "c"]),
    );
    assert_eq!(specs(spec), [json!({ "a": "from the docs" }), json!({ "a": "from the docs", "b": 5, "c": false })]);
}

#[test]
fn values_match_their_keywords() {
    for (schema, expected) in [
        (json!({ "type": "string" }), json!("example")),
        (json!({ "type": "string", "maxLength": 3 }), json!("exa")),
        (json!({ "type": "string", "minLength": 10 }), json!("example-ex")),
        (json!({ "type": "string", "enum": ["x", "y"] }), json!("x")),
        (json!({ "type": "string", "format": "ipv4" }), json!("127.0.0.1")),
        (json!({ "type": "integer", "minimum": 2, "exclusiveMinimum": true }), json!(3)),
        (json!({ "type": "integer", "multipleOf": 7 }), json!(0)),
        (json!({ "type": "number", "maximum": -2.5 }), json!(-2.5)),
        (json!({ "x-kubernetes-int-or-string": true }), json!(1)),
        (json!({ "type": "array", "items": { "type": "boolean" } }), json!([true])),
        (json!({ "type": "array", "maxItems": 0, "items": { "type": "boolean" } }), json!([])),
        (json!({ "type": "object", "additionalProperties": { "type": "integer" } }), json!({ "example": 1 })),
    ] {
        let [_, full] = specs(object(json!({ "a": schema }), json!([])));
        assert_eq!(full["a"], expected, "{schema}");
    }
    let [_, full] = specs(object(json!({ "a": { "type": "string", "pattern": "^[a-f]{2}-[0-9]$" } }), json!([])));
    assert_eq!(full["a"].as_str().map(str::len), Some(4));
}

#[test]
fn one_branch_is_chosen() {
    let text = json!({ "type": "string" });
    let mut spec = object(json!({ "a": text, "b": text, "c": text }), json!([]));
    spec["oneOf"] = json!([{ "required": ["a"] }, { "required": ["b"] }]);
    assert_eq!(specs(spec), [json!({ "a": "example" }), json!({ "a": "example", "c": "example" })]);
}

#[test]
fn rules_are_satisfied() {
    let number = json!({ "type": "integer", "minimum": 0, "maximum": 9 });
    let mut spec = object(json!({ "min": number, "max": number }), json!(["min", "max"]));
    spec["x-kubernetes-validations"] = json!([{ "rule": "self.min < self.max" }]);
    for spec in specs(spec) {
        assert!(spec["min"].as_i64() < spec["max"].as_i64(), "{spec}");
    }
    let text = json!({ "type": "string" });
    let mut spec = object(json!({ "a": text, "b": text }), json!([]));
    spec["x-kubernetes-validations"] = json!([{ "rule": "has(self.a) != has(self.b)" }]);
    assert_eq!(specs(spec), [json!({ "a": "example" }), json!({ "a": "example" })]);
}

#[test]
fn a_field_without_a_value_is_named() {
    let never = json!({ "type": "string", "enum": ["ab"], "maxLength": 1 });
    let samples = samples(&crd(object(json!({ "a": never, "b": never }), json!(["a"]))));
    let texts: Vec<_> = samples[1].problems.iter().map(|it| (it.path.as_str(), it.is_required)).collect();
    assert!(texts.contains(&(".spec.a", true)) && texts.contains(&(".spec.b", false)), "{texts:?}");
}

#[test]
fn comments_come_from_the_docs() {
    let size = json!({
        "type": "integer", "minimum": 1, "description": "The size\nin GiB.\n\nMore.",
        "x-kubernetes-validations": [{ "rule": "self < 100", "message": "at most 99 GiB" }],
    });
    let disk = object(json!({ "size": size }), json!(["size"]));
    let samples =
        samples(&crd(object(json!({ "disks": { "type": "array", "items": disk, "description": "All." } }), json!([]))));
    assert_eq!(
        samples[1].to_yaml(),
        "\
apiVersion: example.com/v1
kind: Vm
metadata:
  name: example
spec:
  # All.
  disks:
  - # The size in GiB.
    # Required; at least 1; at most 99 GiB.
    size: 1
"
    );
}

/// Returns a definition whose root has these rules.
fn ruled(rules: &[&str]) -> CustomResourceDefinition {
    let mut crd = crd(object(json!({ "title": { "type": "string" } }), json!([])));
    let schema = crd.spec.versions[0].schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()).unwrap();
    let rules: Value = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    schema.x_kubernetes_validations = serde_json::from_value(rules).unwrap();
    crd
}

#[test]
fn names_follow_rules() {
    for (rules, expected) in [
        (&["self.metadata.name == 'cluster'"][..], Some("cluster")),
        (&["self.metadata.name in ['default', 'other']"], Some("default")),
        (&["self.metadata.name.startsWith('vm-')"], None),
        (&["self.metadata.name.endsWith('.example.com')"], None),
        (&["self.metadata.name.startsWith('vm-')", "self.metadata.name.endsWith('-x')"], None),
        (&["self.metadata.name.matches('^[a-c]{2}-[0-9]+$')"], None),
        (&["size(self.metadata.name) <= 3"], None),
        (&["self.metadata.name.size() > 40"], None),
        (&["self.metadata.name != 'example'"], None),
        (&["self.metadata.name == 'a' || self.metadata.name == 'b'"], Some("a")),
        (&["self.metadata.name == self.spec.title"], None),
        (&["has(self.spec.title)"], Some("example")),
    ] {
        for sample in samples(&ruled(rules)) {
            assert_eq!(sample.problems, [], "{rules:?} {}", sample.object);
            let name = sample.object["metadata"]["name"].as_str().unwrap();
            assert!(expected.is_none_or(|expected| name == expected), "{rules:?} {name}");
        }
    }
}

#[test]
fn rules_with_optional_syntax_are_no_obstacle() {
    let text = json!({ "type": "string" });
    let mut spec = object(json!({ "a": text }), json!(["a"]));
    spec["x-kubernetes-validations"] = json!([{ "rule": "self.?a.orValue('') != ''" }]);
    assert_eq!(specs(spec), [json!({ "a": "example" }), json!({ "a": "example" })]);
}

#[test]
fn types_of_kubernetes_are_small() {
    let job = crate::tests::job_template();
    let samples = samples(&crd(object(json!({ "job": job, "note": { "type": "string" } }), json!([]))));
    let full = &samples[1];
    assert_eq!(full.problems, []);
    let lines = full.to_yaml().lines().count();
    assert!(lines < 60, "{lines}\n{}", full.to_yaml());
    let pod = &full.object["spec"]["job"]["spec"]["template"]["spec"];
    assert_eq!(pod["restartPolicy"], "Never", "{pod}");
}
