//! Tables of the kinds that the cluster and its administrators use.

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::{MERGE, TABLE, compare, get, hide_times},
};

const NAMESPACE: &str = "cluster-tables";

/// An object whose table is compared.
struct Case {
    api: &'static str,
    kind: &'static str,
    plural: &'static str,
    is_namespaced: bool,
    object: Value,
    /// A patch of the status, if there is one.
    status: Value,
}

impl Case {
    fn path(&self) -> String {
        let root = if self.api.contains('/') { format!("/apis/{}", self.api) } else { format!("/api/{}", self.api) };
        if self.is_namespaced {
            format!("{root}/namespaces/{NAMESPACE}/{}", self.plural)
        } else {
            format!("{root}/{}", self.plural)
        }
    }

    fn steps(&self) -> Vec<Step> {
        let mut object = self.object.clone();
        object["apiVersion"] = self.api.into();
        object["kind"] = self.kind.into();
        if object["metadata"]["name"].is_null() {
            object["metadata"]["name"] = format!("tables-{}", self.plural).into();
        }
        let one = format!("{}/{}", self.path(), object["metadata"]["name"].as_str().unwrap());
        let mut steps = vec![Step::new("POST", self.path(), object)];
        if !self.status.is_null() {
            steps.push(Step::new("PATCH", format!("{one}/status"), json!({ "status": self.status })).of_type(MERGE));
        }
        steps.push(get(format!("{one}?includeObject=None")).accepting(TABLE));
        steps
    }
}

fn namespaced(api: &'static str, kind: &'static str, plural: &'static str, object: Value) -> Case {
    Case { api, kind, plural, is_namespaced: true, object, status: Value::Null }
}

fn cluster(api: &'static str, kind: &'static str, plural: &'static str, object: Value) -> Case {
    Case { is_namespaced: false, ..namespaced(api, kind, plural, object) }
}

fn core() -> Vec<Case> {
    let template = json!({
        "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "x", "image": "i" }] },
    });
    let addresses = [1, 2, 3, 4].map(|at| format!("10.1.0.{at}"));
    let ips: Vec<_> = addresses.iter().map(|ip| json!({ "ip": ip })).collect();
    let status = json!({
        "conditions": [{ "type": "Ready", "status": "True" }],
        "addresses": [{ "type": "InternalIP", "address": "10.1.0.1" }],
        "nodeInfo": {
            "kubeletVersion": "v1", "kernelVersion": "6", "architecture": "arm64", "osImage": "", "bootID": "", "machineID": "",
            "systemUUID": "", "containerRuntimeVersion": "c://2", "kubeProxyVersion": "", "operatingSystem": "linux",
        },
    });
    let labels = json!({ "node-role.kubernetes.io/web": "", "kubernetes.io/role": "db" });
    let node = json!({ "metadata": { "labels": labels }, "spec": { "unschedulable": true } });
    let volume = json!({ "spec": {
        "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "hostPath": { "path": "/a" },
        "storageClassName": "fast", "volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain",
        "claimRef": { "namespace": "a", "name": "b" },
    } });
    let hard = json!({ "pods": "3", "limits.cpu": "2", "count/jobs.batch": "4" });
    let owner = json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": true });
    vec![
        Case { status, ..cluster("v1", "Node", "nodes", node) },
        cluster("v1", "Node", "nodes", json!({ "metadata": { "name": "tables-empty" } })),
        Case {
            status: json!({ "phase": "Available", "reason": "r" }),
            ..cluster("v1", "PersistentVolume", "persistentvolumes", volume)
        },
        namespaced(
            "v1",
            "Endpoints",
            "endpoints",
            json!({ "subsets": [{ "addresses": ips, "ports": [{ "port": 80 }] }] }),
        ),
        namespaced("v1", "Endpoints", "endpoints", json!({ "metadata": { "name": "empty" } })),
        namespaced("v1", "PodTemplate", "podtemplates", json!({ "template": template })),
        namespaced(
            "v1",
            "ReplicationController",
            "replicationcontrollers",
            json!({ "spec": { "replicas": 2, "selector": { "a": "b" }, "template": template } }),
        ),
        Case {
            status: json!({ "hard": hard, "used": { "pods": "1" } }),
            ..namespaced("v1", "ResourceQuota", "resourcequotas", json!({ "spec": { "hard": hard } }))
        },
        namespaced(
            "apps/v1",
            "ControllerRevision",
            "controllerrevisions",
            json!({ "metadata": { "name": "r", "ownerReferences": [owner] }, "revision": 3, "data": {} }),
        ),
        namespaced(
            "discovery.k8s.io/v1",
            "EndpointSlice",
            "endpointslices",
            json!({
                "addressType": "IPv4", "endpoints": [{ "addresses": [addresses[0]] }, { "addresses": [addresses[1]] }],
                "ports": [{ "name": "a", "port": 80, "protocol": "TCP" }, { "name": "b", "protocol": "TCP" }],
            }),
        ),
    ]
}

fn autoscalers() -> Vec<Case> {
    let target = json!({ "kind": "Deployment", "name": "web", "apiVersion": "apps/v1" });
    let metrics = [
        json!({ "type": "Resource", "resource": { "name": "cpu", "target": { "type": "Utilization", "averageUtilization": 80 } } }),
        json!({ "type": "Pods", "pods": { "metric": { "name": "p" }, "target": { "type": "AverageValue", "averageValue": "2" } } }),
        json!({ "type": "External", "external": { "metric": { "name": "e" }, "target": { "type": "Value", "value": "3" } } }),
    ];
    let scaler = |name: &str, metrics: &[Value]| {
        let spec = json!({ "maxReplicas": 3, "minReplicas": 2, "scaleTargetRef": target, "metrics": metrics });
        json!({ "metadata": { "name": name }, "spec": spec })
    };
    let of = |object| namespaced("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", object);
    let mut first = scaler("first", &[]);
    first["spec"]["targetCPUUtilizationPercentage"] = 70.into();
    vec![
        of(scaler("all", &metrics)),
        of(scaler("resource", &metrics[..1])),
        of(scaler("others", &metrics[1..])),
        Case { api: "autoscaling/v1", ..of(first) },
    ]
}

fn admission() -> Vec<Case> {
    const API: &str = "admissionregistration.k8s.io/v1";
    let rule =
        json!({ "apiGroups": ["none.example.com"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["none"] });
    let constraints = json!({ "resourceRules": [rule] });
    let parameters = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
    let mutation = json!({ "patchType": "ApplyConfiguration", "applyConfiguration": { "expression": "Object{}" } });
    let binding = |name: &str, reference: Value| {
        let spec = json!({ "policyName": "p", "validationActions": ["Deny"], "paramRef": reference });
        json!({ "metadata": { "name": name }, "spec": spec })
    };
    let selector = json!({ "matchLabels": { "a": "b" }, "matchExpressions": [{ "key": "k", "operator": "In", "values": ["x", "y"] }] });
    let references = [
        ("tables-named", json!({ "name": "n", "parameterNotFoundAction": "Deny" })),
        ("tables-in-namespace", json!({ "name": "n", "namespace": "m", "parameterNotFoundAction": "Deny" })),
        ("tables-selected", json!({ "selector": selector, "parameterNotFoundAction": "Deny" })),
        ("tables-none", Value::Null),
    ];
    let bindings = references.map(|(name, reference)| {
        cluster(API, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", binding(name, reference))
    });
    let mut cases = vec![
        cluster(API, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", json!({ "webhooks": [] })),
        cluster(API, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", json!({ "webhooks": [] })),
        cluster(
            API,
            "ValidatingAdmissionPolicy",
            "validatingadmissionpolicies",
            json!({ "spec": {
                "matchConstraints": constraints, "paramKind": parameters, "validations": [{ "expression": "true" }],
            } }),
        ),
        cluster(
            API,
            "MutatingAdmissionPolicy",
            "mutatingadmissionpolicies",
            json!({ "spec": { "matchConstraints": constraints, "mutations": [mutation], "reinvocationPolicy": "Never" } }),
        ),
    ];
    cases.extend(bindings);
    cases
}

/// A certificate request, and a certificate of an authority.
const REQUEST: &str = "MIHFMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMUHDS7q0BkNf1mWCSIeMLRMvS7Mk4ClsiKuuZWGTXJaZF7FxUUl4+A048NSnhU8hS+tArad2tIkScJeThviN16gADAKBggqhkjOPQQDAgNHADBEAiBj9ELB0EL08otg3dpASmmTZaCY+pGBsdSrMVaGz09lJwIgFaFEcUICX5mgailSf9BtntLLy0TH6xiSypq8wGS4cJI=";
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUG7lQQLlzpDgqSbqZ72xhqQAnfaYwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjYxNDQxMjdaGA8yMTI1MDYyMDE0NDEyN1ow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPNHMXfNDTY2
dNoFIZaH0LnZ1L7nndlbsxcY/gOM9MXjusew9p8mdzru/R1lVcegSmDM0FKdChVT
smTFRYxhg4GjUzBRMB0GA1UdDgQWBBTnPXj84M/MpPUi9lyLccVNEZ828TAfBgNV
HSMEGDAWgBTnPXj84M/MpPUi9lyLccVNEZ828TAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDTSgMmkpCFS0u3fW3kNE5htd+mxtv/CjojLaN3xcuS
TAIhAJaa4ch9PJjGbP2DtN2CcVbgCb5PuaQC0yf6pim9zZEa
-----END CERTIFICATE-----
";

/// The text of a PEM block of a certificate request, in base64.
pub(crate) fn encoded_request() -> Value {
    let pem = format!("-----BEGIN CERTIFICATE REQUEST-----\n{REQUEST}\n-----END CERTIFICATE REQUEST-----\n");
    json!(k8s_openapi::ByteString(pem.into_bytes()))
}

fn certificates() -> Vec<Case> {
    const API: &str = "certificates.k8s.io/v1";
    let of_pod = json!({
        "signerName": "example.com/s", "podName": "p", "podUID": "pu", "serviceAccountName": "s", "serviceAccountUID": "su",
        "nodeName": "n", "nodeUID": "nu", "stubPKCS10Request": REQUEST, "unverifiedUserAnnotations": { "example.com/a": "b" },
    });
    let condition = |kind: &str| {
        json!({ "conditions": [{
            "type": kind, "status": "True", "reason": "R", "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z",
        }] })
    };
    let request = |name: &str, duration: Value| {
        let mut spec =
            json!({ "request": encoded_request(), "signerName": "example.com/s", "usages": ["client auth"] });
        if !duration.is_null() {
            spec["expirationSeconds"] = duration;
        }
        json!({ "metadata": { "name": name }, "spec": spec })
    };
    let requests = |object| cluster(API, "CertificateSigningRequest", "certificatesigningrequests", object);
    let of_pods = |name: &str| {
        let object = json!({ "metadata": { "name": name }, "spec": of_pod });
        namespaced(API, "PodCertificateRequest", "podcertificaterequests", object)
    };
    vec![
        requests(request("tables-pending", Value::Null)),
        Case { status: condition("Failed"), ..requests(request("tables-failed", 3600.into())) },
        cluster(API, "ClusterTrustBundle", "clustertrustbundles", json!({ "spec": { "trustBundle": AUTHORITY } })),
        of_pods("pending"),
        Case { status: condition("Denied"), ..of_pods("denied") },
    ]
}

/// Kinds that the cluster uses for itself.
fn machinery() -> Vec<Case> {
    const FLOWS: &str = "flowcontrol.apiserver.k8s.io/v1";
    let time = "2026-01-01T00:00:00Z";
    let flow = json!({ "spec": {
        "priorityLevelConfiguration": { "name": "exempt" }, "matchingPrecedence": 9000,
        "distinguisherMethod": { "type": "ByUser" },
    } });
    let found =
        json!({ "type": "Dangling", "status": "False", "lastTransitionTime": time, "reason": "Found", "message": "m" });
    let running =
        json!({ "type": "Running", "status": "True", "lastTransitionTime": time, "reason": "R", "message": "m" });
    let taint = json!({ "key": "k", "value": "v", "effect": "NoSchedule", "timeAdded": time });
    let rule = json!({ "spec": { "deviceSelector": { "driver": "d.example.com", "pool": "p" }, "taint": taint } });
    let migration = |name: &str, resource: Value| {
        let object = json!({ "metadata": { "name": name }, "spec": { "resource": resource } });
        cluster("storagemigration.k8s.io/v1", "StorageVersionMigration", "storageversionmigrations", object)
    };
    vec![
        Case { status: json!({ "conditions": [found] }), ..cluster(FLOWS, "FlowSchema", "flowschemas", flow) },
        cluster(
            "networking.k8s.io/v1",
            "ServiceCIDR",
            "servicecidrs",
            json!({ "spec": { "cidrs": ["10.77.0.0/24"] } }),
        ),
        cluster("resource.k8s.io/v1", "DeviceTaintRule", "devicetaintrules", rule),
        migration("tables-core", json!({ "group": "", "resource": "none" })),
        Case {
            status: json!({ "conditions": [running] }),
            ..migration("tables-running", json!({ "group": "g.example.com", "resource": "none" }))
        },
    ]
}

/// Requests that create no object: an API without a server would be in the discovery of other tests.
fn api_services() -> [Step; 2] {
    let spec =
        json!({ "group": "none.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10 });
    let mut remote = spec.clone();
    remote["insecureSkipTLSVerify"] = true.into();
    remote["service"] = json!({ "namespace": "a", "name": "b" });
    [spec, remote].map(|spec| {
        let object = json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": { "name": "v1.none.example.com" },
            "spec": spec,
        });
        let path = "/apis/apiregistration.k8s.io/v1/apiservices?dryRun=All&includeObject=None";
        Step::new("POST", path, object).accepting(TABLE)
    })
}

fn others() -> Vec<Case> {
    let limited = json!({ "nominalConcurrencyShares": 3, "lendablePercent": 0, "limitResponse": { "type": "Reject" } });
    let queuing = json!({ "type": "Queue", "queuing": { "queues": 8, "handSize": 2, "queueLengthLimit": 5 } });
    let queued = json!({ "nominalConcurrencyShares": 3, "lendablePercent": 0, "limitResponse": queuing });
    let level = |name: &str, limited: &Value| {
        cluster(
            "flowcontrol.apiserver.k8s.io/v1",
            "PriorityLevelConfiguration",
            "prioritylevelconfigurations",
            json!({ "metadata": { "name": name }, "spec": { "type": "Limited", "limited": limited } }),
        )
    };
    let parameters = json!({ "apiGroup": "k.example.com", "kind": "X", "name": "y", "scope": "Cluster" });
    // A default class would be that of the Ingresses of other tests, too.
    let not_default = json!({ "ingressclass.kubernetes.io/is-default-class": "false" });
    let pool = json!({ "name": "p", "generation": 1, "resourceSliceCount": 1 });
    vec![
        level("tables-rejects", &limited),
        level("tables-queues", &queued),
        cluster(
            "networking.k8s.io/v1",
            "IngressClass",
            "ingressclasses",
            json!({ "metadata": { "annotations": not_default }, "spec": { "controller": "a.b/c", "parameters": parameters } }),
        ),
        cluster(
            "networking.k8s.io/v1",
            "IPAddress",
            "ipaddresses",
            json!({
                "metadata": { "name": "10.9.9.9" },
                "spec": { "parentRef": { "group": "", "resource": "services", "namespace": "a", "name": "b" } },
            }),
        ),
        cluster("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", json!({ "handler": "h" })),
        cluster(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            "priorityclasses",
            json!({ "value": 5, "globalDefault": false, "preemptionPolicy": "Never" }),
        ),
        cluster(
            "storage.k8s.io/v1",
            "CSIDriver",
            "csidrivers",
            json!({ "spec": {
                "attachRequired": false, "podInfoOnMount": true, "volumeLifecycleModes": ["Persistent", "Ephemeral"],
                "tokenRequests": [{ "audience": "a" }, { "audience": "b" }],
            } }),
        ),
        cluster("storage.k8s.io/v1", "CSINode", "csinodes", json!({ "spec": { "drivers": [] } })),
        namespaced(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            "csistoragecapacities",
            json!({ "storageClassName": "s", "capacity": "1Gi" }),
        ),
        cluster(
            "storage.k8s.io/v1",
            "StorageClass",
            "storageclasses",
            json!({ "provisioner": "p", "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer" }),
        ),
        cluster(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            "volumeattachments",
            json!({ "spec": { "attacher": "a", "nodeName": "n", "source": { "persistentVolumeName": "v" } } }),
        ),
        cluster(
            "storage.k8s.io/v1",
            "VolumeAttributesClass",
            "volumeattributesclasses",
            json!({ "driverName": "d", "parameters": { "a": "b" } }),
        ),
        cluster("resource.k8s.io/v1", "DeviceClass", "deviceclasses", json!({ "spec": {} })),
        namespaced("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", json!({ "spec": { "devices": {} } })),
        namespaced(
            "resource.k8s.io/v1",
            "ResourceClaimTemplate",
            "resourceclaimtemplates",
            json!({ "spec": { "spec": { "devices": {} } } }),
        ),
        cluster(
            "resource.k8s.io/v1",
            "ResourceSlice",
            "resourceslices",
            json!({ "spec": { "nodeName": "n", "driver": "d.example.com", "pool": pool, "devices": [] } }),
        ),
    ]
}

#[tokio::test]
async fn kinds_of_the_cluster_have_their_columns() {
    let Some(mut both) = Both::with_namespace(NAMESPACE).await else { return };
    let (mut tables, mut refused) = (Vec::new(), Vec::new());
    let cases = [core(), autoscalers(), admission(), certificates(), machinery(), others()];
    for case in cases.into_iter().flatten() {
        let mut steps = case.steps();
        tables.extend(steps.pop());
        for step in steps {
            let [ours, theirs] = both.respond(&step).await;
            let is_success = |response: &Value| response["code"].as_u64() < Some(300);
            if !(is_success(&ours) && is_success(&theirs)) {
                refused.push(format!("{step}: {ours} {theirs}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    tables.extend(api_services());
    compare(&mut both, tables, |responses| {
        hide_times(responses);
        for response in responses {
            // The objects differ in their versions.
            response["body"]["metadata"].take();
            // Endpoints are deprecated.
            response["warnings"].take();
        }
    })
    .await;
}
