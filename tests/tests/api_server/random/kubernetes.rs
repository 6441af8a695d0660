//! Requests for objects of Kubernetes' own kinds.

use serde_json::{Value, json};

use super::{APPLY, Generator, JSON, Kind, MERGE, STRATEGIC};
use crate::both::Step;

pub(super) const KINDS: [Kind; 4] = [
    Kind { api_version: "v1", kind: "ConfigMap", plural: "configmaps" },
    Kind { api_version: "v1", kind: "Secret", plural: "secrets" },
    Kind { api_version: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
    Kind { api_version: "apps/v1", kind: "Deployment", plural: "deployments" },
];

impl Generator {
    pub(super) fn kubernetes_step(&mut self) -> Step {
        let name = self.name();
        let one = format!("{}/{name}", self.path());
        match self.below(100) {
            0..20 => {
                let query = self.pick(&["", "", "", "?dryRun=All", "?fieldManager=m1"]);
                let body = self.kubernetes_object(name);
                Step::new("POST", format!("{}{query}", self.path()), body)
            }
            20..35 => {
                let mut body = self.kubernetes_object(name);
                if self.one_in(3) {
                    body["metadata"]["resourceVersion"] = "$resourceVersion".into();
                }
                Step::new("PUT", one, body)
            }
            35..50 => {
                let body = self.kubernetes_patch();
                let media_type = self.pick(&[MERGE, STRATEGIC]);
                Step::new("PATCH", one, body).of_type(media_type)
            }
            50..55 => {
                let labels = self.texts();
                let operation = json!([{ "op": "add", "path": "/metadata/labels", "value": labels }]);
                Step::new("PATCH", one, operation).of_type(JSON)
            }
            55..82 if self.kind.kind != "Deployment" || self.one_in(2) => {
                let manager = self.pick(&["m1", "m2", "m3"]);
                let force = self.pick(&["", "", "&force=true"]);
                let body = self.kubernetes_object(name);
                Step::new("PATCH", format!("{one}?fieldManager={manager}{force}"), body).of_type(APPLY)
            }
            55..85 if self.kind.kind == "Deployment" => {
                let patch = self.strategic_patch();
                Step::new("PATCH", one, patch).of_type(STRATEGIC)
            }
            85..88 if self.kind.kind == "Deployment" => self.scale(name),
            88..91 if self.kind.kind == "Deployment" => {
                let status = json!({ "replicas": 1 + self.below(2), "observedGeneration": 1 + self.below(2) });
                Step::new("PATCH", format!("{one}/status"), json!({ "status": status })).of_type(MERGE)
            }
            _ => self.read_or_delete(name),
        }
    }

    fn kubernetes_object(&mut self, name: &str) -> Value {
        let mut object = self.kind.whole(name);
        for _ in 0..self.below(3) {
            let (member, value) = self.member();
            object[member] = value;
        }
        // Empty labels in a configuration are stored, but not shown.
        let labels = self.texts();
        if self.one_in(3) && labels != json!({}) {
            object["metadata"]["labels"] = labels;
        }
        if self.one_in(8) {
            object["metadata"]["finalizers"] = json!(["example.com/x"]);
        }
        object
    }

    /// Returns a valid member of the kind.
    fn member(&mut self) -> (&'static str, Value) {
        let name = self.pick(&["x", "y", "z"]);
        let other = self.pick(&["x", "y", "z"]);
        let number = 1 + self.below(3);
        let names =
            if name == other { json!([{ "name": name }]) } else { json!([{ "name": name }, { "name": other }]) };
        match self.kind.kind {
            "ConfigMap" => ("data", json!({ name: other, "k": number.to_string() })),
            "Secret" => ("data", json!({ name: "AAAA", other: "AAAB" })),
            "Deployment" => ("spec", self.deployment_spec()),
            _ => self.pick(&[
                ("secrets", names.clone()),
                ("imagePullSecrets", names),
                ("automountServiceAccountToken", (number == 1).into()),
            ]),
        }
    }

    fn kubernetes_patch(&mut self) -> Value {
        match self.below(6) {
            3.. if self.kind.kind == "Deployment" => json!({ "spec": { "replicas": self.below(3) } }),
            0 => json!({ "metadata": { "labels": self.texts() } }),
            1 => json!({ "metadata": { "labels": null, "annotations": { "a": "b" } } }),
            2 => {
                json!({ "metadata": { "finalizers": self.pick(&[Value::Null, json!([]), json!(["example.com/x"])]) } })
            }
            3 => json!({ (self.member().0): null }),
            _ => {
                let (member, value) = self.member();
                json!({ member: value })
            }
        }
    }
}
