//! Deployments, whose lists strategic merge patches merge.

use serde_json::{Value, json};

use super::Generator;

/// The spec of a Deployment with these containers.
pub(super) fn spec(containers: Value) -> Value {
    json!({
        "selector": { "matchLabels": { "app": "a" } },
        "template": { "metadata": { "labels": { "app": "a" } }, "spec": { "containers": containers } },
    })
}

impl Generator {
    /// Returns the spec of a Deployment, which has the container `x`.
    pub(super) fn deployment_spec(&mut self) -> Value {
        let mut spec = spec(self.containers());
        match self.below(4) {
            0 => spec["replicas"] = self.below(3).into(),
            1 => spec["strategy"] = json!({ "type": "Recreate" }),
            2 => spec["template"]["spec"]["tolerations"] = json!([{ "key": "a", "operator": "Exists" }]),
            _ => {}
        }
        spec
    }

    fn containers(&mut self) -> Value {
        let mut names = vec!["x"];
        for other in ["y", "z"] {
            if self.one_in(3) {
                names.insert(self.below(names.len() + 1), other);
            }
        }
        names.into_iter().map(|name| self.container(name)).collect()
    }

    fn container(&mut self, name: &str) -> Value {
        let mut container = json!({ "name": name, "image": self.pick(&["i", "j:1"]) });
        if self.one_in(3) {
            container["env"] = self.variables();
        }
        // The ports of several containers would have warnings.
        if name == "x" && self.one_in(3) {
            container["ports"] = self.container_ports();
        }
        if self.one_in(4) {
            container["args"] = self.pick(&[json!(["a"]), json!(["b", "a"])]);
        }
        container
    }

    fn variables(&mut self) -> Value {
        let value = self.pick(&["1", "2"]);
        self.pick(&[
            json!([{ "name": "A", "value": value }]),
            json!([{ "name": "B", "value": value }]),
            json!([{ "name": "B", "value": value }, { "name": "A", "value": "3" }]),
        ])
    }

    fn container_ports(&mut self) -> Value {
        let [first, second] = [80, 81].map(|port| json!({ "containerPort": port, "protocol": "TCP" }));
        self.pick(&[json!([first]), json!([second]), json!([second, first])])
    }

    /// Returns a patch that merges lists by their keys, or has directives.
    pub(super) fn strategic_patch(&mut self) -> Value {
        let of_pod = |pod: Value| json!({ "spec": { "template": { "spec": pod } } });
        let of_container = |container: Value| of_pod(json!({ "containers": [container] }));
        match self.below(9) {
            0 => of_pod(json!({ "containers": self.containers() })),
            1 => {
                let other = self.pick(&["y", "z"]);
                of_container(json!({ "name": other, "$patch": "delete" }))
            }
            2 => {
                let mut variables = self.variables();
                variables.as_array_mut().into_iter().for_each(|it| it.push(json!({ "$patch": "replace" })));
                of_container(json!({ "name": "x", "env": variables }))
            }
            3 => of_container(json!({ "name": "x", "env": null, "ports": self.container_ports() })),
            4 => of_pod(json!({
                "$setElementOrder/containers": [{ "name": "z" }, { "name": "x" }, { "name": "y" }],
                "containers": [self.container("x")],
            })),
            5 => json!({ "spec": { "strategy": { "$retainKeys": ["type"], "type": "Recreate" } } }),
            6 => of_container(json!({ "name": "x", "args": [], "env": [{ "name": "A", "$patch": "delete" }] })),
            7 => {
                let labels = json!({ "app": "a", "$patch": "replace", "other": self.pick(&["1", "2"]) });
                json!({ "spec": { "template": { "metadata": { "labels": labels } } } })
            }
            _ => json!({ "metadata": { "labels": { "$patch": "delete" } }, "spec": { "replicas": self.below(3) } }),
        }
    }
}
