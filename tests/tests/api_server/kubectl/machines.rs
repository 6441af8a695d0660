//! Commands on the custom resource of the example.

use super::Both;

const WEB: &str = r#"
apiVersion: infra.example.com/v1
kind: VirtualMachine
metadata: { name: web, labels: { app: web } }
spec:
  cpu: "2"
  memory: 4Gi
  image: alpine:3
  replicas: 2
  disks: [{ name: root, size: 20Gi, boot: true }]
"#;
const READY: &str = r#"{"status":{"phase":"Running","replicas":2,"selector":"vm=web","conditions":[{"type":"Ready","status":"True","reason":"AllRun","message":"all","lastTransitionTime":"2030-01-01T00:00:00Z"}]}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes() {
    let Some(mut both) = Both::with_namespace("kubectl-machines").await else { return };
    both.run("get vm").await;
    both.run_with("create -f -", WEB).await;
    both.run_with("create -f -", WEB).await;
    both.run_with("apply -f -", WEB).await;
    both.run_with("apply -f -", &WEB.replace("replicas: 2", "replicas: 3")).await;
    both.run_with("diff -f -", &WEB.replace("replicas: 2", "replicas: 3")).await;
    both.run_with("apply --dry-run=server -f -", &WEB.replace("4Gi", "8Gi")).await;
    both.run_with("apply -f -", &WEB.replace("replicas: 2", "replicas: 2000")).await;
    both.run_with("apply -f -", &WEB.replace("replicas: 2", "replica: 2")).await;
    both.run("get vm").await;
    both.run("get vm -o wide --show-labels").await;
    both.run("get vm web -o yaml").await;
    both.run("get vm web -o jsonpath={.spec.disks[*].name}").await;
    both.run("get virtualmachines.v1.infra.example.com -l app=web -o name").await;
    both.run("get vm --field-selector spec.image=alpine:3 -o name").await;
    both.run("get vm none").await;
    both.run("get all").await;
    both.run("describe vm web").await;
    both.run("edit vm web").await;
    both.run("get vm web -o jsonpath={.spec.image}").await;
    both.run("scale vm web --replicas=5").await;
    both.run("scale vm web --replicas=6 --current-replicas=4").await;
    both.run("label vm web tier=web").await;
    both.run("label vm web tier=db").await;
    both.run("label vm web tier-").await;
    both.run("annotate vm web note=one").await;
    both.run(r#"patch vm web --type=merge -p {"spec":{"replicas":4}}"#).await;
    both.run(r#"patch vm web --type=json -p [{"op":"replace","path":"/spec/replicas","value":1001}]"#).await;
    both.run(r#"patch vm web -p {"spec":{"replicas":4}}"#).await;
    both.run(&format!("patch vm web --subresource=status --type=merge -p {READY}")).await;
    both.run("get vm web --subresource=status").await;
    both.run("get vm web --subresource=scale -o jsonpath={.spec.replicas}").await;
    both.run("wait vm web --for=condition=Ready --timeout=20s").await;
    both.run("wait vm web --for=jsonpath={.status.phase}=Running --timeout=20s").await;
    both.run("wait vm web --for=condition=Broken --timeout=1s").await;
    both.run("delete vm web").await;
    both.run("wait vm web --for=delete --timeout=20s").await;
    both.run("get vm").await;
    both.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn server_side_apply_takes_over_fields() {
    let Some(mut both) = Both::with_namespace("kubectl-apply").await else { return };
    both.run_with("apply -f -", WEB).await;
    both.run_with("apply --server-side -f -", WEB).await;
    both.run("get vm web -o yaml --show-managed-fields").await;
    both.run_with("apply --server-side --field-manager=other -f -", &WEB.replace("replicas: 2", "replicas: 3")).await;
    let forced = "apply --server-side --force-conflicts --field-manager=other -f -";
    both.run_with(forced, &WEB.replace("replicas: 2", "replicas: 3")).await;
    both.run("delete vm --all").await;
    both.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn documents() {
    let Some(mut both) = Both::with_namespace("kubectl-documents").await else { return };
    for command in [
        "explain vm",
        "explain vm.spec.disks --recursive",
        "explain vm.spec.none",
        "explain deployment.spec.strategy",
        "explain pods.spec.containers.livenessProbe",
        "explain crd.spec.names",
        "api-resources --api-group=infra.example.com",
        "api-resources --api-group=apps",
        "api-resources --namespaced=false --api-group=rbac.authorization.k8s.io",
        "get none",
        "get crd virtualmachines.infra.example.com -o jsonpath={.status.conditions[*].type}",
    ] {
        both.run(command).await;
    }
    // Other tests install definitions on the real server.
    both.run_selecting("api-versions", |line| !line.contains(".example.com/") || line.starts_with("infra.")).await;
    both.finish();
}
