//! Requests for objects of a custom resource.

use serde_json::{Map, Value, json};

use super::{APPLY, Generator, JSON, MERGE};
use crate::{both::Step, definition::GROUP};

impl Generator {
    pub(super) fn widget_step(&mut self) -> Step {
        let name = self.name();
        let one = format!("{}/{name}", self.path());
        match self.below(96) {
            0..18 => self.create(name),
            18..32 => {
                let body = self.object(name);
                Step::new("PUT", one, body)
            }
            32..46 => {
                let body = self.merge_patch();
                Step::new("PATCH", one, body).of_type(MERGE)
            }
            46..54 => {
                let body = self.json_patch();
                Step::new("PATCH", one, body).of_type(JSON)
            }
            54..72 => self.apply(name),
            72..80 => self.status(name),
            80..88 => self.scale(name),
            _ => self.read_or_delete(name),
        }
    }

    fn create(&mut self, name: &str) -> Step {
        let query = self.pick(&["", "", "", "?dryRun=All", "?fieldValidation=Strict", "?fieldValidation=Ignore"]);
        let body = self.object(name);
        Step::new("POST", format!("{}{query}", self.path()), body)
    }

    pub(super) fn object(&mut self, name: &str) -> Value {
        let mut object = json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": self.spec(),
        });
        if !self.one_in(4) {
            object["metadata"]["resourceVersion"] = "$resourceVersion".into();
        }
        if self.one_in(3) {
            object["metadata"]["labels"] = self.texts();
        }
        if self.one_in(8) {
            object["metadata"]["finalizers"] = json!(["example.com/x"]);
        }
        if self.one_in(8) {
            object["metadata"]["annotations"] = self.texts();
        }
        if self.one_in(5) {
            object["status"] = self.status_value();
        }
        if self.one_in(20) {
            object["unknown"] = json!({ "a": 1 });
        }
        if self.one_in(30) {
            object["metadata"]["managedFields"] = self.pick(&[json!([]), json!([{}])]);
        }
        object
    }

    pub(super) fn texts(&mut self) -> Value {
        let count = self.below(3);
        let texts = (0..count).map(|_| (self.pick(&["k", "l", "m"]).to_owned(), self.text()));
        Value::Object(texts.collect())
    }

    pub(super) fn text(&mut self) -> Value {
        self.pick(&["x", "y", "z"]).into()
    }

    fn spec(&mut self) -> Value {
        let mut spec = Map::new();
        if !self.one_in(25) {
            spec.insert("zone".into(), self.pick(&["a", "b", "c"]).into());
        }
        for _ in 0..self.below(4) {
            let (name, value) = self.field();
            spec.insert(name.to_owned(), value);
        }
        spec.into()
    }

    fn field(&mut self) -> (&'static str, Value) {
        let texts = [json!([]), json!(["x"]), json!(["x", "y"]), json!(["z", "y", "x"])];
        match self.below(16) {
            0 => {
                ("replicas", self.pick(&[json!(0), json!(1), json!(5), json!(101), json!(-1), json!("1"), json!(1.5)]))
            }
            1 => ("size", self.pick(&[json!(1), json!("1"), json!(true), Value::Null])),
            2 => ("note", self.pick(&[json!("a b"), json!("A"), Value::Null, json!("abcdefghijklmnopqrstuvwxyz")])),
            3 => ("flag", self.pick(&[json!(true), json!(false), Value::Null, json!("true")])),
            4 | 5 => ("ports", self.ports()),
            6 => ("tags", self.pick(&texts)),
            7 => ("steps", self.pick(&texts)),
            8 => ("settings", self.texts()),
            9 => (
                "atomic",
                self.pick(&[json!({}), json!({ "a": "x" }), json!({ "a": "x", "b": "y" }), json!({ "c": 1 })]),
            ),
            10 => ("any", self.pick(&[json!({}), json!({ "x": 1 }), json!({ "x": { "y": [1, { "z": null }] } })])),
            11 => (
                "limits",
                self.pick(&[json!({ "min": 1 }), json!({ "min": 1, "max": 2 }), json!({ "min": 3, "max": 2 })]),
            ),
            12 => ("fixed", self.text()),
            13 => ("unknown", json!({ "a": [1] })),
            14 => ("tags", self.pick(&[json!(["x", "x"]), json!("x"), json!([1])])),
            _ => ("zone", self.pick(&[json!("a"), json!("q"), Value::Null, json!(1)])),
        }
    }

    fn ports(&mut self) -> Value {
        let count = self.below(4);
        let port = |generator: &mut Self| {
            let mut port = Map::new();
            if !generator.one_in(20) {
                port.insert("port".into(), generator.pick(&[80, 81, 82]).into());
            }
            if generator.one_in(2) {
                port.insert("protocol".into(), generator.pick(&["TCP", "UDP"]).into());
            }
            if generator.one_in(2) {
                port.insert("name".into(), generator.text());
            }
            Value::Object(port)
        };
        (0..count).map(|_| port(self)).collect()
    }

    fn merge_patch(&mut self) -> Value {
        match self.below(8) {
            0 => json!({ "metadata": { "labels": self.texts() } }),
            1 => json!({ "metadata": { "labels": null, "annotations": { "a": "b" } } }),
            2 => {
                json!({ "metadata": { "finalizers": self.pick(&[Value::Null, json!([]), json!(["example.com/x"]), json!(["example.com/y"])]) } })
            }
            3 => json!({ "metadata": { "resourceVersion": "$resourceVersion" }, "spec": self.spec() }),
            4 => {
                let (name, _) = self.field();
                json!({ "spec": { name: null } })
            }
            _ => {
                let (name, value) = self.field();
                json!({ "spec": { name: value } })
            }
        }
    }

    fn json_patch(&mut self) -> Value {
        let count = 1 + self.below(2);
        let operation = |generator: &mut Self| {
            let (name, value) = generator.field();
            let path = generator.pick(&[
                format!("/spec/{name}"),
                format!("/spec/{name}"),
                "/spec/tags/-".to_owned(),
                "/spec/ports/0".to_owned(),
                "/metadata/labels".to_owned(),
            ]);
            match generator.below(6) {
                0 => json!({ "op": "remove", "path": path }),
                1 => json!({ "op": "test", "path": path, "value": value }),
                2 => json!({ "op": "replace", "path": path, "value": value }),
                3 => json!({ "op": "copy", "from": "/spec/zone", "path": path }),
                _ => json!({ "op": "add", "path": path, "value": value }),
            }
        };
        (0..count).map(|_| operation(self)).collect()
    }

    fn apply(&mut self, name: &str) -> Step {
        let manager = self.pick(&["m1", "m2", "m3"]);
        let force = self.pick(&["", "", "&force=true"]);
        let status = self.one_in(6);
        let mut object = json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name } });
        if status {
            object["status"] = self.status_value();
        } else {
            object["spec"] = self.spec();
        }
        // The real server stores empty labels of a configuration but does not show them, so that the next update, even one that
        // changes nothing, is written.
        let labels = self.texts();
        if self.one_in(4) && labels != json!({}) {
            object["metadata"]["labels"] = labels;
        }
        let part = if status { "/status" } else { "" };
        let path = format!("{}/{name}{part}?fieldManager={manager}{force}", self.path());
        Step::new("PATCH", path, object).of_type(APPLY)
    }

    fn status_value(&mut self) -> Value {
        let mut status = Map::new();
        if self.one_in(2) {
            status.insert("replicas".into(), self.pick(&[json!(1), json!(2), json!(-1), json!("1")]));
        }
        if self.one_in(2) {
            status.insert("phase".into(), self.pick(&["Pending", "Ready", "Gone"]).into());
        }
        if self.one_in(2) {
            let conditions = [
                json!([]),
                json!([{ "type": "Ready", "status": "True" }]),
                json!([{ "type": "Ready", "status": "False" }, { "type": "Other", "status": "True" }]),
                json!([{ "type": "Ready" }]),
            ];
            status.insert("conditions".into(), self.pick(&conditions));
        }
        status.into()
    }

    fn status(&mut self, name: &str) -> Step {
        let path = format!("{}/{name}/status", self.path());
        if self.one_in(2) {
            let body = json!({ "status": self.status_value() });
            return Step::new("PATCH", path, body).of_type(MERGE);
        }
        let mut object = self.object(name);
        object["status"] = self.status_value();
        Step::new("PUT", path, object)
    }

    pub(super) fn scale(&mut self, name: &str) -> Step {
        let path = format!("{}/{name}/scale", self.path());
        let replicas = self.pick(&[0, 1, 5, 101]);
        match self.below(4) {
            0 => Step::new("GET", path, Value::Null),
            1 => Step::new("PATCH", path, json!({ "spec": { "replicas": replicas } })).of_type(MERGE),
            2 => {
                let path_in_scale = self.pick(&["/spec/replicas", "/spec/replicas", "/spec/none"]);
                let operation = self.pick(&["test", "replace", "add", "remove"]);
                let operations = json!([{ "op": operation, "path": path_in_scale, "value": replicas }]);
                Step::new("PATCH", path, operations).of_type(JSON)
            }
            _ => {
                let metadata = json!({ "name": name, "namespace": "$namespace" });
                let scale = json!({
                    "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": { "replicas": replicas },
                });
                Step::new("PUT", path, scale)
            }
        }
    }
}
