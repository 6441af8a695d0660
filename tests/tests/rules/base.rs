//! The definition that cases change, and the places where they do.

use serde_json::{Map, Value, json};

/// A field of each type, for paths that lead to them.
fn fields() -> Value {
    json!({
        "s": { "type": "string" },
        "e": { "type": "string", "enum": ["a", "b"] },
        "t": { "type": "string", "format": "date-time" },
        "b": { "type": "boolean" },
        "i": { "type": "integer" },
        "n": { "type": "number" },
        "x": { "x-kubernetes-int-or-string": true },
        "any": { "x-kubernetes-preserve-unknown-fields": true },
        "o": { "type": "object", "properties": { "s": { "type": "string" } } },
        "l": { "type": "array", "items": { "type": "string" } },
        "m": { "type": "object", "additionalProperties": { "type": "string" } },
        "mo": { "type": "object", "additionalProperties": { "type": "object", "properties": { "s": { "type": "string" } } } },
        "a-b": { "type": "string" },
        "a.b": { "type": "string" },
        "a b": { "type": "string" },
        "1a": { "type": "string" },
        "replicas": { "type": "integer" },
    })
}

/// An object of fields of all types, which are bounded, with a rule; a text is one without more.
fn ruled(patch: Value) -> Value {
    let rule = match patch {
        Value::String(text) => json!({ "rule": text }),
        patch => patch,
    };
    let text = || json!({ "type": "string", "maxLength": 20 });
    let of = |format: &str| json!({ "type": "string", "format": format });
    let list = |items: Value| json!({ "type": "array", "maxItems": 5, "items": items });
    let map = |values: Value| json!({ "type": "object", "maxProperties": 5, "additionalProperties": values });
    let any = || json!({ "x-kubernetes-preserve-unknown-fields": true });
    let integer = || json!({ "type": "integer" });
    let part = || object(json!({ "s": text(), "i": integer(), "o": object(json!({ "s": text() })) }));
    let mut schema = object(json!({
        "s": text(), "t": text(), "i": integer(), "j": integer(), "n": { "type": "number" },
        "b": { "type": "boolean" }, "x": { "x-kubernetes-int-or-string": true, "maxLength": 20 },
        "e": { "type": "string", "enum": ["a", "b"] }, "nul": { "type": "string", "nullable": true, "maxLength": 5 },
        "by": { "type": "string", "format": "byte", "maxLength": 20 },
        "dt": of("date-time"), "d": of("date"), "du": of("duration"), "datetime": of("datetime"),
        "ip": { "type": "string", "format": "ipv4", "maxLength": 20 },
        "ss": list(text()), "is": list(integer()), "ns": list(json!({ "type": "number" })), "os": list(part()),
        "bs": list(json!({ "type": "boolean" })), "dts": list(of("date-time")), "bys": list(json!({ "type": "string", "format": "byte", "maxLength": 9 })),
        "ll": list(list(text())), "xs": list(json!({ "x-kubernetes-int-or-string": true, "maxLength": 9 })),
        "mi": map(integer()), "ms": map(text()), "mo": map(part()), "ml": map(list(text())),
        "o": part(), "p": part(), "empty": { "type": "object" },
        "any": any(), "anys": list(any()), "anym": map(any()),
        "pu": { "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": { "s": text() } },
        "er": { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    }));
    let odd = [
        "a-b",
        "a.b",
        "a/b",
        "a__b",
        "a b",
        "1a",
        "_x",
        "__y",
        "namespace",
        "in",
        "true",
        "if",
        "self",
        "oldSelf",
        "é",
    ];
    for name in odd {
        schema["properties"][name] = text();
    }
    schema["x-kubernetes-validations"] = json!([rule]);
    schema
}

/// The fields of the object that a case with the place `rule` is about.
pub(crate) fn of_the_rule() -> Map<String, Value> {
    let mut schema = ruled("true".into());
    match schema["properties"].take() {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn version(name: &str, is_storage: bool, schema: &Value) -> Value {
    json!({ "name": name, "served": true, "storage": is_storage, "schema": { "openAPIV3Schema": schema } })
}

fn definition(versions: Vec<Value>) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {},
        "spec": {
            "group": "example.com",
            "names": { "plural": "things", "kind": "Thing" },
            "scope": "Namespaced",
            "versions": versions,
        },
    })
}

/// A definition of one version with this schema.
pub(crate) fn of_schema(schema: &Value) -> Value {
    named(definition(vec![version("v1", true, schema)]))
}

/// A definition that differs from the base by `patch` at `place`.
pub(crate) fn changed(place: &str, patch: Value) -> Value {
    let plain = object(json!({ "spec": object(fields()), "status": object(fields()) }));
    let mut crd = definition(vec![version("v1", true, &plain)]);
    match place {
        "rule" => return of_schema(&object(json!({ "spec": ruled(patch) }))),
        "f" => return of_schema(&object(json!({ "spec": object(json!({ "f": patch })) }))),
        "spec" => return of_schema(&object(json!({ "spec": patch }))),
        "schema" => return of_schema(&patch),
        "root" => merge(schema_of(&mut crd), patch),
        "status" => {
            crd["spec"]["versions"][0]["subresources"] = json!({ "status": {} });
            merge(schema_of(&mut crd), patch);
        }
        "column" => {
            let mut column = json!({ "name": "A", "type": "string", "jsonPath": ".spec.s" });
            merge(&mut column, patch);
            crd["spec"]["versions"][0]["additionalPrinterColumns"] = json!([column]);
        }
        "scale" => {
            let mut scale = json!({ "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" });
            merge(&mut scale, patch);
            crd["spec"]["versions"][0]["subresources"] = json!({ "scale": scale });
        }
        "selectable" => {
            let paths = items(patch);
            let fields: Vec<_> = paths.map(|path| json!({ "jsonPath": path })).collect();
            crd["spec"]["versions"][0]["selectableFields"] = Value::Array(fields);
        }
        "versions" => {
            let patched = items(patch).enumerate().map(|(at, patch)| {
                let mut version = version(&format!("v{}", at + 1), at == 0, &plain);
                merge(&mut version, patch);
                version
            });
            crd["spec"]["versions"] = patched.collect();
        }
        "webhook" | "service" => {
            let mut webhook = json!({ "clientConfig": {}, "conversionReviewVersions": ["v1"] });
            webhook["clientConfig"] = match place {
                "webhook" => json!({ "url": "https://example.com/convert" }),
                _ => json!({ "service": { "namespace": "a", "name": "b" } }),
            };
            let changed = match place {
                "webhook" => &mut webhook,
                _ => &mut webhook["clientConfig"]["service"],
            };
            merge(changed, patch);
            crd["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": webhook });
        }
        "version" => merge(&mut crd["spec"]["versions"][0], patch),
        "names" => merge(&mut crd["spec"]["names"], patch),
        "metadata" => merge(&mut crd["metadata"], patch),
        "s" => merge(&mut crd["spec"], patch),
        "crd" => merge(&mut crd, patch),
        other => panic!("`{other}` is not a place"),
    }
    named(crd)
}

fn items(list: Value) -> impl Iterator<Item = Value> {
    let Value::Array(items) = list else {
        panic!("a list is wanted, not {list}");
    };
    items.into_iter()
}

fn schema_of(crd: &mut Value) -> &mut Value {
    &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
}

/// The definition with the only name that it may have, if it has none.
fn named(mut crd: Value) -> Value {
    let part = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let (plural, group) = (part(&crd["spec"]["names"]["plural"]), part(&crd["spec"]["group"]));
    if let Some(metadata) = crd["metadata"].as_object_mut() {
        let name = metadata.entry("name").or_insert_with(|| format!("{plural}.{group}").into());
        if name == "-" {
            metadata.remove("name");
        }
    }
    crd
}

/// Changes `value` by a merge patch: null removes.
fn merge(value: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *value = patch;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let object = value.as_object_mut().expect("it is an object by now");
    for (key, patch) in patch {
        if patch.is_null() {
            object.remove(&key);
        } else {
            merge(object.entry(key).or_insert(Value::Null), patch);
        }
    }
}
