//! The definition, and random objects of its schema.

use crdkit_tests::faults::Random;
use serde_json::{Map, Value, json};

/// Returns the definition of a resource with every topology, with or without the subresource `status`.
pub(super) fn definition(kind: &str, has_status: bool) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let mut subresources =
        json!({"scale": {"specReplicasPath": ".spec.integer", "statusReplicasPath": ".status.replicas"}});
    if has_status {
        subresources["status"] = json!({});
    }
    let version = |name: &str, is_stored: bool| {
        json!({
            "name": name, "served": true, "storage": is_stored, "subresources": subresources,
            "schema": {"openAPIV3Schema": schema()},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.apply.example.com")},
        "spec": {
            "group": "apply.example.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"spec": spec(), "status": status()}})
}

pub(super) fn spec() -> Value {
    let text = json!({"type": "string"});
    let object = json!({"type": "object", "properties": {"x": text, "y": text, "inner": {"type": "object", "properties": {
        "z": {"type": "integer"},
    }}}});
    let pair = json!({"type": "object", "properties": {"x": text, "y": text}});
    let atomic = |mut schema: Value| {
        schema["x-kubernetes-map-type"] = "atomic".into();
        schema
    };
    let list = |kind: &str, items: &Value| json!({"type": "array", "x-kubernetes-list-type": kind, "items": items});
    let keyed = |keys: &[&str], items: Value| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items});
    let nullable = |mut schema: Value| {
        schema["nullable"] = true.into();
        schema
    };
    let port = json!({"type": "object", "required": ["port"], "properties": {
        "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "name": text, "tags": list("set", &text),
    }});
    let part =
        json!({"type": "object", "required": ["name"], "properties": {"name": text, "size": {"type": "integer"}}});
    let named = json!({"type": "object", "required": ["name"], "properties": {
        "name": text, "value": text, "object": pair, "parts": keyed(&["name"], part),
    }});
    json!({"type": "object", "properties": {
        "text": text,
        "integer": {"type": "integer"},
        "number": {"type": "number"},
        "flag": {"type": "boolean"},
        "time": {"type": "string", "format": "date-time"},
        "default": {"type": "string", "default": "a"},
        "object": object,
        "atomicObject": atomic(pair.clone()),
        "map": {"type": "object", "additionalProperties": text},
        "atomicMap": atomic(json!({"type": "object", "additionalProperties": text})),
        "mapOfObjects": {"type": "object", "additionalProperties": {"type": "object", "properties": {
            "x": text, "set": list("set", &text),
        }}},
        "mapOfMaps": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "list": {"type": "array", "items": text},
        "atomicList": list("atomic", &pair),
        "set": list("set", &text),
        "numbers": list("set", &json!({"type": "number"})),
        "setOfObjects": list("set", &atomic(pair.clone())),
        "ports": keyed(&["port", "protocol"], port),
        "named": keyed(&["name"], named),
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "anyWith": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"x": text, "object": pair}},
        "raw": {"x-kubernetes-preserve-unknown-fields": true},
        "intOrString": {"x-kubernetes-int-or-string": true},
        "embedded": {
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
        },
        "nullableObject": nullable(pair),
        "nullableSet": nullable(list("set", &text)),
        "nullableText": nullable(text),
    }})
}

pub(super) fn status() -> Value {
    json!({"type": "object", "properties": {
        "phase": {"type": "string"},
        "replicas": {"type": "integer"},
        "conditions": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
            "items": {"type": "object", "required": ["type"], "properties": {
                "type": {"type": "string"}, "status": {"type": "string"},
            }},
        },
    }})
}

/// Values of a schema, of which some are invalid.
pub(super) struct Documents<'a> {
    pub(super) random: &'a mut Random,
    /// How many of a thousand values have another type, or other fields.
    pub(super) invalid: usize,
}

impl Documents<'_> {
    fn permille(&mut self, times: usize) -> bool {
        self.random.below(1000) < times
    }

    pub(super) fn metadata(&mut self) -> Value {
        let mut metadata = json!({});
        let random = &mut *self.random;
        let mut pick = |of: &[&'static str]| *random.pick(of);
        let fields = [
            ("labels", json!({(pick(&["k", "l"])): (pick(&["a", "b"]))})),
            ("annotations", json!({(pick(&["k", "example.com/l"])): (pick(&["a", "b"]))})),
            ("finalizers", json!([(pick(&["example.com/a", "example.com/b"]))])),
            (
                "ownerReferences",
                json!([{
                    "apiVersion": "v1", "kind": "ConfigMap", "name": (pick(&["a", "b"])), "uid": (pick(&["1-1-1-1", "2-2-2-2"])),
                }]),
            ),
        ];
        for (name, value) in fields {
            if self.random.percent(30) {
                metadata[name] = value;
            }
        }
        metadata
    }

    /// Returns a value of a schema.
    pub(super) fn value(&mut self, schema: &Value) -> Value {
        if self.permille(self.invalid) {
            return self.any(2);
        }
        if schema["nullable"] == true && self.random.percent(20) || self.permille(5) {
            return Value::Null;
        }
        let is_preserved = schema["x-kubernetes-preserve-unknown-fields"] == true;
        match schema["type"].as_str() {
            Some("string") if schema["format"].is_string() => {
                (*self.random.pick(&["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])).into()
            }
            Some("string") => (*self.random.pick(&["a", "b", "c<\"d"])).into(),
            Some("integer") => (*self.random.pick(&[1, 2, 80])).into(),
            Some("number") => self.random.pick(&[json!(1), json!(1.5), json!(2_000_000)]).clone(),
            Some("boolean") => self.random.percent(50).into(),
            Some("array") => self.list(schema),
            _ if schema["x-kubernetes-embedded-resource"] == true => self.embedded(),
            Some(_) => self.object(schema, is_preserved),
            None if is_preserved => self.any(2),
            None => self.random.pick(&[json!(1), json!("1")]).clone(),
        }
    }

    fn list(&mut self, schema: &Value) -> Value {
        let keys: Vec<_> = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten().collect();
        let properties = &schema["items"]["properties"];
        let identity = |item: &Value| -> Value {
            if keys.is_empty() {
                return item.clone();
            }
            let keys = keys.iter().filter_map(|key| key.as_str());
            keys.map(|key| item.get(key).filter(|it| !it.is_null()).unwrap_or(&properties[key]["default"]).clone())
                .collect()
        };
        let is_unique = matches!(schema["x-kubernetes-list-type"].as_str(), Some("set" | "map"));
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..self.random.below(4) {
            let item = self.value(&schema["items"]);
            let is_duplicate = is_unique && items.iter().any(|other| identity(other) == identity(&item));
            if !is_duplicate || self.permille(self.invalid * 5) {
                items.push(item);
            }
        }
        items.into()
    }

    /// Returns an object of a schema, which has other fields if it preserves them.
    pub(super) fn object(&mut self, schema: &Value, is_preserved: bool) -> Value {
        let mut object = Map::new();
        let properties = schema["properties"].as_object();
        let percent = if properties.is_some_and(|it| it.len() > 8) { 25 } else { 50 };
        for (name, field) in properties.into_iter().flatten() {
            let is_required = schema["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name));
            if is_required && !self.permille(self.invalid * 2) || self.random.percent(percent) {
                object.insert(name.clone(), self.value(field));
            }
        }
        if let Some(values) = schema.get("additionalProperties") {
            for _ in 0..self.random.below(3) {
                object.insert((*self.random.pick(&["k", "l", "m.n/o"])).into(), self.value(values));
            }
        }
        if is_preserved {
            for _ in 0..self.random.below(3) {
                object.insert((*self.random.pick(&["u", "v", "w"])).into(), self.any(2));
            }
        }
        if self.permille(self.invalid / 2) {
            object.insert("unknown".into(), 1.into());
        }
        object.into()
    }

    fn embedded(&mut self) -> Value {
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
        if self.random.percent(50) {
            object["metadata"]["finalizers"] = json!(["a"]);
            object["metadata"]["labels"] = json!({"a": "b"});
        }
        if self.random.percent(50) {
            object["data"] = self.any(2);
        }
        object
    }

    fn any(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 4 } else { 7 }) {
            0 => self.random.below(3).into(),
            1 => (*self.random.pick(&["p", "q"])).into(),
            2 => self.random.percent(50).into(),
            3 => self.random.pick(&[json!(1.5), Value::Null]).clone(),
            4 => (0..self.random.below(3)).map(|_| self.any(depth - 1)).collect(),
            _ => {
                let fields = (0..self.random.below(4))
                    .map(|_| ((*self.random.pick(&["u", "v", "w"])).to_owned(), self.any(depth - 1)));
                Value::Object(fields.collect())
            }
        }
    }
}
