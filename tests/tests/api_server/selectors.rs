//! Selectors, names and metadata.

use serde_json::json;

use crate::{
    both::Step,
    example::{MERGE, both, compare, get, machine},
};

#[tokio::test]
async fn selectors() {
    let Some(mut both) = both("selectors").await else { return };
    let path = "/apis/infra.example.com/v1/namespaces/selectors/virtualmachines";
    let mut steps = vec![Step::new("POST", path, machine("a")), Step::new("POST", path, machine("b"))];
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    for selector in [
        "app=a",
        "app!=a",
        "app",
        "!app",
        "!none",
        "app in (a,b)",
        "app notin (a)",
        "app in (a,b),tier=web",
        "app>1",
        "app=",
        "app in ()",
        "app notin ()",
        "a,,b",
        "a===b",
        "a in (x,-y,-z)",
        "a in x",
        "a in (x y)",
        "a in (x",
        "-a",
        "a/b/c=1",
        "A.b/-c=1",
        "a>x",
        "!a=1",
        "a b",
        "!",
        ",a",
        "a=1,",
        "a=(",
        "a&=1",
        "a=ä",
        "a in (=)",
        "a in (,",
        "in in (in)",
    ] {
        steps.push(get(format!("{path}?labelSelector={}", encode(selector))));
    }
    for selector in [
        "metadata.name=a",
        "metadata.name!=a",
        "metadata.namespace=selectors",
        "metadata.namespace==x",
        "spec.image=alpine",
        "spec.image=alpine,metadata.name=b",
        "status.phase=",
        "status.phase!=",
        "x=1",
        "spec.cpu=1",
        "metadata.name",
        r"metadata.name=\x",
        r"metadata.name=\",
        "metadata.name=a=b",
        ",",
        "=",
        "x=",
        "b=1,a=1",
        r"spec.image=a\,b",
    ] {
        steps.push(get(format!("{path}?fieldSelector={}", encode(selector))));
    }
    for (collection, selector) in [
        ("/api/v1/namespaces/selectors/pods", "x=1"),
        ("/api/v1/namespaces/selectors/pods", "spec.host=1,status.podIPs=,spec.hostNetwork=true"),
        ("/api/v1/namespaces/selectors/configmaps", "x=1"),
        ("/api/v1/namespaces", "x=1"),
        ("/api/v1/namespaces", "metadata.namespace=a"),
        ("/api/v1/namespaces", "status.phase=Active,metadata.name=selectors,metadata.name!=selectors"),
        ("/api/v1/namespaces/selectors/secrets", "type=a,x=1"),
        ("/api/v1/namespaces/selectors/events", "involvedObject.kind=a,regarding.kind=b"),
        ("/apis/events.k8s.io/v1/namespaces/selectors/events", "regarding.kind=a,involvedObject.kind=b"),
        ("/api/v1/namespaces/selectors/services", "spec.type=a,spec.x=1"),
        ("/api/v1/nodes", "metadata.namespace=x"),
        ("/apis/batch/v1/namespaces/selectors/jobs", "status.successful=1,x=1"),
        ("/apis/resource.k8s.io/v1/resourceslices", "spec.driver=a,x=1"),
        ("/apis/apps/v1/namespaces/selectors/replicasets", "status.replicas=1"),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "x=1"),
        ("/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName=a,metadata.namespace=b"),
    ] {
        steps.push(get(format!("{collection}?fieldSelector={}", encode(selector))));
    }
    compare(&mut both, steps, |_| {}).await;
}

#[tokio::test]
async fn names_and_metadata() {
    let Some(mut both) = both("metadata").await else { return };
    let mut steps = Vec::new();
    for (path, kind, names) in [
        ("/api/v1/namespaces", "Namespace", &["A.b", "a.b", "-"] as &[&str]),
        ("/api/v1/namespaces/metadata/configmaps", "ConfigMap", &["A_b", "-", "a.b-"]),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/metadata/roles", "Role", &["a:B%/", "..", "A b"]),
    ] {
        let version = if kind == "Role" { "rbac.authorization.k8s.io/v1" } else { "v1" };
        for name in names {
            let object =
                json!({ "apiVersion": version, "kind": kind, "metadata": { "name": name, "labels": { "-": "-" } } });
            steps.push(Step::new("POST", format!("{path}?dryRun=All"), object));
        }
    }
    let path = "/apis/infra.example.com/v1/namespaces/metadata/virtualmachines";
    steps.push(Step::new("POST", path, machine("a")));
    for metadata in [
        json!({ "labels": { "-a": "-b", "-c": "-b" }, "uid": null, "finalizers": ["-a"] }),
        json!({ "finalizers": ["a b", "orphan", "foregroundDeletion"] }),
        json!({ "ownerReferences": [{ "apiVersion": "v1", "kind": "Event", "name": "", "uid": "" }], "annotations": { "-x": "" } }),
        json!({ "deletionGracePeriodSeconds": 5, "generateName": "-%-" }),
        json!({ "annotations": { "large": "x".repeat(262_145) } }),
        json!({ "finalizers": ["plain", "a.b", "example.com/x"] }),
        json!({ "finalizers": ["plain", "other"] }),
    ] {
        let patch = json!({ "metadata": metadata });
        steps.push(Step::new("PATCH", format!("{path}/a?dryRun=All"), patch).of_type(MERGE));
    }
    compare(&mut both, steps, |_| {}).await;
}
