//! Commands on built-in kinds.

use super::Both;

const OBJECTS: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
      - name: web
        image: alpine:3
        ports: [{ containerPort: 80 }]
        env: [{ name: MODE, value: one }]
        readinessProbe: { httpGet: { port: 80 } }
      - { name: proxy, image: proxy }
      volumes: [{ name: config, configMap: { name: web } }, { name: scratch }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { mode: one }
---
apiVersion: v1
kind: Secret
metadata: { name: web }
stringData: { password: secret }
---
apiVersion: batch/v1
kind: Job
metadata: { name: web }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "c:1" }] } } }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: web }
spec:
  schedule: "* * * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "c:1" }] } } } }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web }
spec:
  serviceName: web
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: "c:1" }] } }
  volumeClaimTemplates:
  - { metadata: { name: v }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: "c:1" }] } }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: "c:1" }] } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: web }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec: { defaultBackend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
---
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  initContainers: [{ name: init, image: "init:1" }]
  containers:
  - name: web
    image: alpine:3
    resources: { limits: { cpu: "1" } }
    env: [{ name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }]
"#;

/// Each kind of the objects.
const KINDS: &[&str] = &[
    "deployment",
    "service",
    "configmap",
    "secret",
    "job",
    "cronjob",
    "statefulset",
    "daemonset",
    "replicaset",
    "pvc",
    "ingress",
    "pdb",
    "pod",
];

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes() {
    let Some(mut both) = Both::with_namespace("kubectl-builtin").await else { return };
    both.run_with("apply -f -", OBJECTS).await;
    both.run_with("apply -f -", OBJECTS).await;
    for kind in KINDS {
        both.run(&format!("get {kind} web -o yaml")).await;
        both.run(&format!("get {kind}")).await;
    }
    let next = OBJECTS.replace("value: one", "value: two").replace("- { name: proxy, image: proxy }", "");
    both.run_with("diff -f -", &next).await;
    both.run_with("apply -f -", &next).await;
    both.run("get deployment web -o yaml").await;
    both.run(
        r#"patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}"#,
    )
    .await;
    both.run(r#"patch deployment web -p {"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}"#).await;
    both.run("edit deployment web").await;
    both.run("scale deployment web --replicas=3").await;
    both.run("set image deployment/web web=alpine:5").await;
    both.run("rollout status deployment web --timeout=1s").await;
    both.run("rollout pause deployment web").await;
    both.run("get deployment web -o yaml").await;
    both.run("describe configmap web").await;
    both.run("describe secret web").await;
    // The real server may record an event before its controller of addresses has seen the service.
    both.run("describe service web --show-events=false").await;
    both.run("describe deployment web").await;
    both.run("describe pod web").await;
    both.run("label pod web tier=web").await;
    both.run("get pods -l tier=web -o name").await;
    both.run("wait pod web --for=jsonpath={.status.phase}=Pending --timeout=20s").await;
    both.run("delete service,configmap,secret web").await;
    both.run("delete pod web --grace-period=0 --force").await;
    both.run("get pods").await;
    both.finish();
}

/// kubectl makes these objects itself, and sends them as protobuf.
#[tokio::test(flavor = "multi_thread")]
async fn objects_in_protobuf() {
    let Some(mut both) = Both::with_namespace("kubectl-protobuf").await else { return };
    for command in [
        "create deployment web --image=web:1 --replicas=2 --port=80",
        "create configmap web --from-literal=b=<1> --from-literal=a=é",
        "create secret generic web --from-literal=a=b",
        "create service clusterip web --clusterip=None --tcp=80:8080",
        "create serviceaccount web",
        "create role web --verb=get,list --resource=pods,deployments.apps",
        "create rolebinding web --role=web --serviceaccount=default:web",
        "create job web --image=web:1 -- sleep 1",
        "create cronjob web --image=web:1 --schedule=*/5_*_*_*_*",
        "create poddisruptionbudget web --selector=app=web --min-available=50%",
        "create ingress web --rule=example.com/*=web:80",
        "create quota web --hard=pods=2,cpu=1",
        "create deployment web --image=web:1",
        "create configmap web",
    ] {
        both.run(command).await;
    }
    for kind in ["deployment", "configmap", "secret", "role", "rolebinding", "job", "cronjob", "pdb", "ingress"] {
        both.run(&format!("get {kind} web -o yaml")).await;
    }
    both.run("set image deployment/web web=web:2").await;
    both.run("set env deployment/web A=b").await;
    both.run("set resources deployment/web --requests=memory=1Gi").await;
    both.run("get deployment web -o yaml").await;
    both.run("auth can-i create deployments.apps").await;
    both.run("auth can-i get pods --subresource=log").await;
    both.run("delete deployment web --dry-run=server").await;
    both.run("delete deployment,configmap web").await;
    both.finish();
}
