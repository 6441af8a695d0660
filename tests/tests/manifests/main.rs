//! The manifests of an operator: kustomize and Helm render the same objects as the file, and an API server accepts them.

mod objects;
mod service_monitor;
mod watched_namespaces;

use std::{path::Path, process::Command, sync::Arc};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, Manager},
    emit::Crds,
    webhook::{Webhook, WebhookClient, Webhooks},
};
use crdkit_oracles::program_of;
use crdkit_tests::{find_kubectl, server::server};
use crdkit_tools::{Operator, Project, samples};
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, versions},
};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use self::objects::{difference, parse};

const NAME: &str = "vm-operator";
const NAMESPACE: &str = "vm-system";

async fn reconcile(_: Arc<VirtualMachine>, _: Context<VirtualMachine>) -> Result<Action, Error> {
    Ok(Action::Done)
}

/// An operator with everything that manifests can have.
fn project() -> Project {
    project_in("unused".as_ref())
}

/// The same, with all forms of its manifests in a directory.
fn project_in(directory: &Path) -> Project {
    let webhooks = Webhooks::new(NAME).add(Webhook::of::<VirtualMachine>().mutate(|_, _| {}));
    let client = WebhookClient::service(NAMESPACE, NAME);
    let controller = Controller::of::<VirtualMachine>().owns::<Pod>().reconcile(reconcile);
    let manager = Manager::new(Client::offline()).leader_election(NAME).add(controller);
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": NAME, "namespace": NAMESPACE },
        "data": { "template": "{{ .Values.image }}" },
    });
    let operator = Operator::new(NAME, NAMESPACE).version("1.2.0").rbac(manager.rbac()).env("RUST_LOG", "info");
    let crds = Crds::new().add::<At>().add_versions(versions().versions(client.conversion()));
    let crds = crds.add_webhooks(&webhooks, &client).unwrap().directory(directory.join("crds"));
    Project::new(crds)
        .operator(operator.service_monitor().secure_metrics().object(&config).unwrap().directory(directory))
}

/// Returns the project, which is written into a directory.
fn written() -> (Project, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let project = project_in(directory.path());
    project.write().unwrap();
    (project, directory)
}

#[test]
fn the_file_has_all_objects() {
    let (project, directory) = written();
    let file = parse(&std::fs::read_to_string(directory.path().join("install.yaml")).unwrap());
    let objects = project.to_objects().unwrap();
    assert_eq!(difference(&file, &objects), [""; 0]);
    let kinds = |objects: &[Value]| objects.iter().map(|object| object["kind"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&file), kinds(&objects));
    for kind in ["Namespace", "ServiceAccount", "ClusterRole", "Role", "Service", "Deployment", "NetworkPolicy"] {
        assert!(objects.iter().any(|object| object["kind"] == kind), "there is no {kind}");
    }
}

/// An image that meets what the page says starts.
#[test]
fn the_page_about_images_has_what_pods_require() {
    let page = include_str!("../../../cli/deploy.md");
    let objects = project().to_objects().unwrap();
    let deployment = objects.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert!(container.get("command").or(container.get("args")).is_none());
    let contexts = [pod, container].map(|part| part["securityContext"].as_object().unwrap());
    for key in contexts.into_iter().flat_map(|context| context.keys()) {
        assert!(page.contains(&format!("`{key}")), "{key}");
    }
}

#[test]
fn kustomize_builds_the_same() {
    let Some(kubectl) = find_kubectl() else { return };
    let (project, directory) = written();
    let kustomization = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["kustomize"],
        "components": ["kustomize/service-monitor"],
    });
    std::fs::write(directory.path().join("kustomization.yaml"), kustomization.to_string()).unwrap();
    let built = parse(&output(Command::new(kubectl).arg("kustomize").arg(directory.path())));
    assert_eq!(difference(&built, &project.to_objects().unwrap()), [""; 0]);
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn helm(helm: &Path, directory: &Path, namespace: &str, values: &[&str]) -> Command {
    let mut command = Command::new(helm);
    command.arg(directory.join("chart")).args(["release", namespace]).args(values);
    command
}

#[test]
fn helm_renders_the_same() {
    let Some(program) = program_of("tests/helm", ".", "helm-template") else { return };
    let (project, directory) = written();
    let rendered = parse(&output(&mut helm(&program, directory.path(), NAMESPACE, &[])));
    let mut expected = project.to_objects().unwrap();
    // Helm creates it.
    expected.retain(|object| object["kind"] != "Namespace");
    let deployment = expected.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    // The default of the API server.
    deployment["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "IfNotPresent".into();
    assert_eq!(difference(&rendered, &expected), [""; 0]);

    let values = [
        "replicas=5",
        "image.digest=sha256:00",
        "resources.limits.memory=1Gi",
        "nodeSelector.disk=ssd",
        "serviceMonitor.enabled=false",
        "networkPolicy.enabled=false",
    ];
    let rendered = parse(&output(&mut helm(&program, directory.path(), NAMESPACE, &values)));
    let has_kind = |kind: &str| rendered.iter().any(|object| object["kind"] == kind);
    assert!(!has_kind("ServiceMonitor") && !has_kind("NetworkPolicy"));
    let deployment = &rendered.iter().find(|object| object["kind"] == "Deployment").unwrap()["spec"];
    let pod = &deployment["template"]["spec"];
    assert_eq!(deployment["replicas"], 5);
    assert_eq!(pod["containers"][0]["image"], "vm-operator@sha256:00");
    assert_eq!(pod["containers"][0]["resources"]["limits"]["memory"], "1Gi");
    assert_eq!(pod["containers"][0]["resources"]["requests"]["memory"], "64Mi");
    assert_eq!(pod["nodeSelector"], json!({ "disk": "ssd" }));

    let refused = helm(&program, directory.path(), "default", &[]).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && error.contains("install the chart with --namespace vm-system"), "{error}");
}

#[tokio::test]
async fn an_api_server_takes_all_objects() {
    let Some(server) = server() else { return };
    assert!(server.install(&service_monitor::definition()).await.accepted);
    let definition = |object: &&Value| object["kind"] == "CustomResourceDefinition";
    let all = project().to_objects().unwrap();
    for crd in all.iter().filter(definition) {
        let verdict = server.install(crd).await;
        assert!(verdict.accepted, "{verdict}");
    }
    let others = || all.iter().filter(|object| !definition(object));
    // The configurations come last: no webhook runs that the samples would need.
    let (webhooks, others): (Vec<_>, Vec<_>) = others().partition(|object| object["webhooks"].is_array());
    for object in others {
        objects::create(server, object, "").await;
    }
    let deployment = all.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let mut pod = json!({ "apiVersion": "v1", "kind": "Pod", "spec": deployment["spec"]["template"]["spec"] });
    pod["metadata"] = json!({ "name": NAME, "namespace": NAMESPACE });
    // The namespace enforces the standard `restricted`.
    objects::create(server, &pod, "&dryRun=All").await;
    for crd in project().crds().render().unwrap().crds {
        for sample in samples(&crd) {
            // Objects of other versions are converted, which requires the operator.
            let stored = crd.spec.versions.iter().any(|version| version.storage && version.name == sample.version);
            if stored {
                objects::create(server, &sample.object, "&dryRun=All").await;
            }
        }
    }
    for object in webhooks {
        objects::create(server, object, "").await;
    }
}
