//! The objects of an operator.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::Operator;

/// The label of all objects that belong to the operator.
const NAME_LABEL: &str = "app.kubernetes.io/name";
const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
const HEALTH_PORT: u16 = 8081;
const METRICS_PORT: u16 = 8080;
/// That of projects by kubebuilder.
const SECURE_METRICS_PORT: u16 = 8443;
const WEBHOOK_PORT: u16 = 9443;

/// The part that a chart does not have.
pub(super) const NAMESPACE: &str = "namespace";
/// The part that requires a definition of another operator.
pub(super) const SERVICE_MONITOR: &str = "service-monitor";

/// Objects that belong into one file.
pub(super) struct ManifestFile {
    /// The name of the file, without its extension.
    pub(super) name: &'static str,
    pub(super) objects: Vec<Value>,
}

impl Operator {
    /// Returns the objects except the definitions, in the order in which they are created.
    pub(super) fn parts(&self, crds: &[CustomResourceDefinition], beside: &[Value]) -> Vec<ManifestFile> {
        let has_webhooks = self.has_webhooks(crds, beside);
        let roles = [vec![self.service_account()], self.installed_roles(), self.metrics_roles()].concat();
        let all = [
            (NAMESPACE, vec![self.namespace_object()]),
            ("rbac", roles),
            ("objects", self.objects.clone()),
            ("service", vec![self.service(has_webhooks)]),
            ("deployment", vec![self.deployment(has_webhooks)]),
            ("network-policy", vec![self.network_policy(has_webhooks)]),
            (SERVICE_MONITOR, vec![self.service_monitor_object()]),
            ("admission", beside.to_vec()),
        ];
        let parts = all.into_iter().map(|(name, objects)| ManifestFile { name, objects });
        parts.filter(|part| !part.objects.is_empty()).collect()
    }

    /// Returns what is created before the definitions, and what is created after them, without a ServiceMonitor that is not selected.
    pub(super) fn installed_parts(
        &self,
        crds: &[CustomResourceDefinition],
        beside: &[Value],
    ) -> (Vec<ManifestFile>, Vec<ManifestFile>) {
        let parts = self
            .parts(crds, beside)
            .into_iter()
            .filter(|part| part.name != SERVICE_MONITOR || self.has_service_monitor);
        parts.partition(|part| part.name == NAMESPACE)
    }

    /// Returns whether webhooks are called at the Service of the operator.
    fn has_webhooks(&self, crds: &[CustomResourceDefinition], objects: &[Value]) -> bool {
        let is_own = |client: &Value| {
            let service = &client["service"];
            service["namespace"] == self.namespace && service["name"] == self.name
        };
        let configured = objects.iter().flat_map(|object| object["webhooks"].as_array().into_iter().flatten());
        configured.map(|webhook| &webhook["clientConfig"]).any(is_own) || converted(crds).iter().any(is_own)
    }

    fn metadata(&self) -> Value {
        json!({ "name": self.name, "namespace": self.namespace, "labels": self.labels() })
    }

    fn labels(&self) -> Value {
        json!({ NAME_LABEL: self.name })
    }

    fn namespace_object(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": self.namespace, "labels": { "pod-security.kubernetes.io/enforce": "restricted" } },
        })
    }

    pub(super) fn service_account(&self) -> Value {
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": self.metadata() })
    }

    /// Returns the role for the reviews of those who read metrics, and the role that permits to read them.
    fn metrics_roles(&self) -> Vec<Value> {
        if !self.has_secure_metrics {
            return Vec::new();
        }
        let role = |name: &str, rules: Value| {
            json!({
                "apiVersion": format!("{RBAC_GROUP}/v1"),
                "kind": "ClusterRole",
                "metadata": { "name": name, "labels": self.labels() },
                "rules": rules,
            })
        };
        let review =
            |group: &str, resource: &str| json!({ "apiGroups": [group], "resources": [resource], "verbs": ["create"] });
        let (auth, reader) = (format!("{}-metrics-auth", self.name), format!("{}-metrics-reader", self.name));
        let reviews = json!([
            review("authentication.k8s.io", "tokenreviews"),
            review("authorization.k8s.io", "subjectaccessreviews"),
        ]);
        let binding = json!({
            "apiVersion": format!("{RBAC_GROUP}/v1"),
            "kind": "ClusterRoleBinding",
            "metadata": { "name": auth, "labels": self.labels() },
            "roleRef": { "apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": auth },
            "subjects": [{ "kind": "ServiceAccount", "name": self.name, "namespace": self.namespace }],
        });
        vec![
            role(&auth, reviews),
            binding,
            role(&reader, json!([{ "nonResourceURLs": ["/metrics"], "verbs": ["get"] }])),
        ]
    }

    fn metrics_port(&self) -> u16 {
        if self.has_secure_metrics { SECURE_METRICS_PORT } else { METRICS_PORT }
    }

    fn service(&self, has_webhooks: bool) -> Value {
        let mut ports = vec![json!({ "name": "metrics", "port": self.metrics_port(), "targetPort": "metrics" })];
        if has_webhooks {
            ports.push(json!({ "name": "webhooks", "port": 443, "targetPort": "webhooks" }));
        }
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": self.metadata(),
            "spec": { "selector": self.labels(), "ports": ports },
        })
    }

    fn deployment(&self, has_webhooks: bool) -> Value {
        let mut ports = vec![port("health", HEALTH_PORT), port("metrics", self.metrics_port())];
        if has_webhooks {
            ports.push(port("webhooks", WEBHOOK_PORT));
        }
        let probe = |path: &str| json!({ "httpGet": { "path": path, "port": "health" } });
        let mut container = json!({
            "name": self.name,
            "image": self.full_image(),
            "ports": ports,
            "livenessProbe": probe("/healthz"),
            "readinessProbe": probe("/readyz"),
            "resources": self.resources,
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "capabilities": { "drop": ["ALL"] },
                "readOnlyRootFilesystem": true,
            },
        });
        let env = self.installed_env();
        if !env.is_empty() {
            container["env"] = env.into();
        }
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": self.metadata(),
            "spec": {
                "replicas": self.replicas,
                "selector": { "matchLabels": self.labels() },
                "template": {
                    "metadata": { "labels": self.labels() },
                    "spec": {
                        "serviceAccountName": self.name,
                        "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
                        "containers": [container],
                    },
                },
            },
        })
    }

    fn network_policy(&self, has_webhooks: bool) -> Value {
        let metrics = json!({
            "from": [{ "namespaceSelector": { "matchLabels": { "metrics": "enabled" } } }],
            "ports": [{ "port": "metrics" }],
        });
        let webhooks = has_webhooks.then(|| json!({ "ports": [{ "port": "webhooks" }] }));
        json!({
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": self.metadata(),
            "spec": {
                "podSelector": { "matchLabels": self.labels() },
                "policyTypes": ["Ingress"],
                "ingress": std::iter::once(metrics).chain(webhooks).collect::<Vec<_>>(),
            },
        })
    }

    fn service_monitor_object(&self) -> Value {
        let mut endpoint = json!({ "port": "metrics" });
        if self.has_secure_metrics {
            endpoint["scheme"] = "https".into();
            endpoint["bearerTokenFile"] = "/var/run/secrets/kubernetes.io/serviceaccount/token".into();
            // The certificate is one that the program has made at its start.
            endpoint["tlsConfig"] = json!({ "insecureSkipVerify": true });
        }
        json!({
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "metadata": self.metadata(),
            "spec": {
                "selector": { "matchLabels": self.labels() },
                "endpoints": [endpoint],
            },
        })
    }
}

fn port(name: &str, number: u16) -> Value {
    json!({ "name": name, "containerPort": number })
}

/// Returns the configurations of the clients that convert the kinds.
pub(super) fn converted(crds: &[CustomResourceDefinition]) -> Vec<Value> {
    let webhooks = crds.iter().filter_map(|crd| crd.spec.conversion.as_ref()?.webhook.as_ref());
    webhooks.map(|webhook| json!(webhook.client_config)).collect()
}
