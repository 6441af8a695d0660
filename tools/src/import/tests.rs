use serde_json::json;

use super::*;

fn crd(spec: Value) -> CustomResourceDefinition {
    serde_json::from_value(json!({
        "metadata": { "name": "vms.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "vms", "kind": "Vm" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "required": ["spec"], "properties": { "spec": spec } } },
            }],
        },
    }))
    .unwrap()
}

/// Returns the code of a field of the spec.
fn field(schema: &Value) -> String {
    let spec = json!({ "type": "object", "properties": { "aB": schema } });
    let code = import(&crd(spec)).code;
    let start = code.find("pub struct VmSpec {\n").expect(&code) + "pub struct VmSpec {\n".len();
    let end = code[start..].find("\n}").unwrap() + start;
    code[start..end].lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_keyword_has_a_key_or_is_a_patch() {
    const SKIP: &str = "#[serde(skip_serializing_if = \"Option::is_none\")]\n";
    for (schema, attributes, type_) in [
        (
            json!({ "type": "string", "minLength": 1, "pattern": "^a" }),
            "#[crd(min_length = 1, pattern = \"^a\")]\n",
            "String",
        ),
        (json!({ "type": "string", "format": "date-time" }), "#[crd(format = \"date-time\")]\n", "String"),
        (
            json!({ "type": "string", "format": "other" }),
            "#[crd(nullable = false, schema_patch({ \"format\": \"other\" }))]\n",
            "String",
        ),
        (json!({ "type": "integer", "format": "int32", "minimum": 1 }), "#[crd(minimum = 1)]\n", "i32"),
        (
            json!({ "type": "integer", "maximum": 3 }),
            "#[crd(nullable = false, schema_patch({ \"format\": null, \"maximum\": 3.0 }))]\n",
            "i64",
        ),
        (
            json!({ "type": "integer", "default": 3 }),
            "#[crd(nullable = false, schema_patch({ \"default\": 3, \"format\": null }))]\n",
            "i64",
        ),
        (
            json!({ "type": "array", "items": { "type": "string", "maxLength": 3 }, "x-kubernetes-list-type": "set" }),
            "#[crd(list_type = \"set\", items(max_length = 3))]\n",
            "Vec<String>",
        ),
        (json!({ "type": "object", "additionalProperties": { "type": "boolean" } }), "", "BTreeMap<String, bool>"),
        (json!({ "x-kubernetes-int-or-string": true }), "#[crd(int_or_string)]\n", "IntOrString"),
        (
            json!({ "x-kubernetes-preserve-unknown-fields": true }),
            "#[crd(preserve_unknown_fields)]\n",
            "serde_json::Value",
        ),
        (json!({ "type": "string", "enum": ["A", "b-c"] }), "", "VmSpecAB"),
        (
            json!({ "type": "boolean", "x-kubernetes-validations": [{ "rule": "self" }] }),
            "#[crd(validation = \"self\")]\n",
            "bool",
        ),
    ] {
        assert_eq!(field(&schema), format!("{attributes}{SKIP}pub a_b: Option<{type_}>,"), "{schema}");
    }
    assert_eq!(field(&json!({ "type": "string", "default": "x" })), "#[crd(default = \"x\")]\npub a_b: String,");
}

#[test]
fn enums_and_structs_follow_the_type_that_uses_them() {
    let disk = json!({
        "type": "object", "required": ["podCIDR"], "description": "A disk.",
        "properties": { "podCIDR": { "type": "string", "description": "Its\n\nrange." } },
    });
    let code = import(&crd(json!({ "type": "object", "properties": {
        "disks": { "type": "array", "items": disk }, "mode": { "type": "string", "enum": ["On", "off"] },
    } })))
    .code;
    for part in [
        "pub disks: Option<Vec<VmSpecDisksItem>>,\n",
        "/// A disk.\n#[derive(KubeSchema,",
        "pub struct VmSpecDisksItem {\n    /// Its\n    ///\n    /// range.\n    #[serde(rename = \"podCIDR\")]\n    pub pod_cidr: String,\n}\n",
        "pub enum VmSpecMode {\n    On,\n    #[serde(rename = \"off\")]\n    Off,\n}\n",
    ] {
        assert!(code.contains(part), "{part}\n{code}");
    }
}

#[test]
fn differences_are_noted() {
    let mut crd = crd(json!({ "type": "object", "properties": {} }));
    assert!(import(&crd).notes.is_empty());
    let root = crd.spec.versions[0].schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut()).unwrap();
    root.required = None;
    let imported = import(&crd);
    assert_eq!(imported.notes, ["v1: `.spec` is required"]);
    assert!(imported.code.contains("//! - v1: `.spec` is required\n"), "{}", imported.code);
}

#[test]
fn parts_that_no_type_has_are_noted() {
    let rule = json!({ "rule": "true" });
    let spec = json!({ "type": "object", "oneOf": [{ "required": ["a"] }], "properties": {
        "a": { "type": "array", "items": { "type": "string", "x-kubernetes-validations": [rule, rule] } },
        "b": { "type": "string", "x-kubernetes-int-or-string": true },
        "c": { "type": "string", "format": "idn-hostname", "allOf": [{ "maxLength": 3 }] },
    } });
    let mut crd = crd(spec);
    let root = crd.spec.versions[0].schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut()).unwrap();
    let metadata = json!({ "type": "object", "properties": { "name": { "type": "string", "maxLength": 8 } } });
    let field = json!({ "type": "string", "default": "x" });
    let status = json!({ "type": "object", "properties": { "a": field }, "required": ["a"] });
    let properties = root.properties.as_mut().unwrap();
    properties.insert("metadata".to_owned(), serde_json::from_value(metadata).unwrap());
    properties.insert("status".to_owned(), serde_json::from_value(status).unwrap());
    let imported = import(&crd);
    assert_eq!(
        imported.notes,
        [
            "v1: `.metadata.name` has no schema",
            "v1: `oneOf` of `.spec` may become `anyOf`, or the keywords that follow from it",
            "v1: a repeated rule of `.spec.a[*]` is written once, since server-side apply rejects it",
            "v1: `.spec.b` has no `type` beside `x-kubernetes-int-or-string`",
            "v1: `allOf` of `.spec.c` may become the keywords that follow from it",
            "v1: `.spec.c` has no format `idn-hostname`, which the API server ignores",
            "v1: there is a status subresource",
            "v1: `.status` can be null",
        ]
    );
    assert_eq!(imported.code.matches("\"true\"").count(), 1, "{}", imported.code);
}

#[test]
fn a_choice_of_fields_is_imported_without_a_note() {
    let fields = json!({ "a": { "type": "string" }, "b": { "type": "string" } });
    let choice = json!([{ "required": ["a"] }, { "required": ["b"] }]);
    let imported = import(&crd(json!({ "type": "object", "oneOf": choice, "properties": fields })));
    assert_eq!(imported.notes, [""; 0]);
}

#[test]
fn a_root_without_a_spec_keeps_other_fields() {
    let mut crd = crd(json!({ "type": "object" }));
    let root = json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    crd.spec.versions[0].schema = serde_json::from_value(root).unwrap();
    let code = import(&crd).code;
    let field = "pub struct VmFields {\n    #[crd(preserve_unknown_fields)]\n    #[serde(flatten)]\n    \
        pub other_fields: BTreeMap<String, serde_json::Value>,\n}\n";
    assert!(code.contains(field) && code.contains("use std::collections::BTreeMap;"), "{code}");
}

#[test]
fn enums_with_null_are_those_without() {
    let schema = json!({ "type": "string", "nullable": true, "enum": ["A", "b-c", null] });
    let plain = json!({ "type": "string", "enum": ["A", "b-c"] });
    assert_eq!(field(&schema), field(&plain));
    let imported = import(&crd(json!({ "type": "object", "properties": { "a": schema } })));
    assert!(imported.notes.iter().any(|note| note.contains("`.spec.a` has no null")), "{:?}", imported.notes);
}

#[test]
fn keywords_that_no_value_satisfies_are_left_out() {
    for schema in [
        json!({ "type": "string", "minLength": 3, "maxLength": 2 }),
        json!({ "type": "integer", "format": "int32", "minimum": 3, "maximum": 2 }),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 3, "maxItems": 2 }),
    ] {
        let imported = import(&crd(json!({ "type": "object", "properties": { "a": schema } })));
        let [note] = &imported.notes[..] else { panic!("{:?}", imported.notes) };
        assert!(note.contains("` of `v1.spec.a` is left out: "), "{note}");
    }
}

#[test]
fn nothing_in_a_description_is_run_by_rustdoc() {
    for text in ["a\n\n    b", "a\n```\nb\n```", "~~~\nb\n~~~", "a\n\tb", "- a\n\n      b"] {
        let code = import(&crd(json!({ "type": "object", "description": text, "properties": {
            "a": { "type": "string", "description": text },
        } })))
        .code;
        assert!(!code.lines().any(|line| line.trim_start().starts_with("///")), "{code}");
        assert_eq!(code.matches(&format!("description = {text:?}")).count(), 2, "{code}");
    }
}

#[test]
fn a_description_without_a_spec_is_that_of_the_resource() {
    let mut crd = crd(json!({}));
    let schema = json!({ "type": "object", "description": "a\n\tb", "properties": { "a": { "type": "string" } } });
    crd.spec.versions[0].schema = serde_json::from_value(json!({ "openAPIV3Schema": schema })).unwrap();
    let code = import(&crd).code;
    assert!(code.contains("no_spec") && code.contains("#[crd(doc = \"a\\n\\tb\")]"), "{code}");
}
