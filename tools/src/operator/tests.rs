use crdkit::{
    emit::{AdmissionPolicy, Crds},
    merge::{ConversionWebhook, Versions},
};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::*;
use crate::{
    Project,
    tests::{crd, crds},
};

fn operator() -> Operator {
    Operator::new("at-operator", "at-system").version("1.2.0").replicas(3).env("RUST_LOG", "info")
}

fn written(crds: Crds, operator: Operator) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let crds = crds.directory(directory.path().join("crds"));
    let project = Project::new(crds).operator(operator.directory(directory.path()));
    project.write().unwrap();
    project.check().unwrap();
    directory
}

fn read(directory: &tempfile::TempDir, path: &str) -> String {
    std::fs::read_to_string(directory.path().join(path)).unwrap()
}

fn objects(crds: Crds, kind: &str) -> Vec<Value> {
    let all = Project::new(crds).operator(operator()).to_objects().unwrap();
    all.into_iter().filter(|object| object["kind"] == kind).collect()
}

#[test]
fn all_forms_are_written_and_checked() {
    let directory = written(crds(), operator());
    let install = read(&directory, "install.yaml");
    let kinds: Vec<_> = install.lines().filter_map(|line| line.strip_prefix("kind: ")).collect();
    let expected =
        ["Namespace", "CustomResourceDefinition", "ServiceAccount", "Service", "Deployment", "NetworkPolicy"];
    assert_eq!(kinds, expected);
    let base = read(&directory, "kustomize/kustomization.yaml");
    assert!(base.contains("- crds/ats.example.com.yaml\n- namespace.yaml\n- rbac.yaml\n"), "{base}");
    assert!(read(&directory, "samples/ats.example.com-v1-full.yaml").contains("kind: At\n"));
    assert!(read(&directory, "chart/crds/ats.example.com.yaml").contains("kind: CustomResourceDefinition\n"));
    let deployment = read(&directory, "chart/templates/deployment.yaml");
    for line in [
        "  namespace: {{ .Release.Namespace }}\n",
        "  replicas: {{ .Values.replicas }}\n",
        "      - env: {{- toYaml .Values.env | nindent 10 }}\n",
        "        resources: {{- toYaml .Values.resources | nindent 10 }}\n",
        "      nodeSelector: {{- toYaml .Values.nodeSelector | nindent 8 }}\n",
    ] {
        assert!(deployment.contains(line), "{line}{deployment}");
    }
    assert!(!deployment.contains("CRDKIT"), "{deployment}");
}

#[test]
fn policies_are_part_of_the_manifests() {
    let policy = AdmissionPolicy::new("pods").of::<Pod>().rule("has(object.spec.nodeName)", "Pods have a node");
    let with_policy = crds().add_policy(policy);
    let directory = written(with_policy.clone(), operator());
    let files = std::fs::read_dir(directory.path().join("crds")).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["ats.example.com.yaml"]);
    assert!(read(&directory, "kustomize/admission.yaml").contains("kind: ValidatingAdmissionPolicyBinding\n"));
    assert_eq!(objects(with_policy, "ValidatingAdmissionPolicy").len(), 1);
}

#[test]
fn files_of_removed_objects_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let project = Project::new(crds().directory(directory.path().join("definitions")));
    let operator = operator().kustomize(directory.path());
    let more = operator.clone().object(&json!({ "kind": "ConfigMap" })).unwrap();
    project.clone().operator(more).write().unwrap();
    let project = project.operator(operator);
    assert!(project.check().unwrap_err().to_string().contains("objects.yaml is obsolete"));
    let report = project.write().unwrap();
    assert_eq!(report.removed, [directory.path().join("objects.yaml")]);
    project.check().unwrap();
}

#[test]
fn images_have_a_tag_or_a_digest() {
    let values = |image: &str| {
        let operator = operator().image(image);
        (operator.full_image(), chart::values(&operator))
    };
    let (image, chart) = values("localhost:5000/at");
    assert_eq!(image, "localhost:5000/at:1.2.0");
    assert!(chart.contains("repository: localhost:5000/at\n  tag: ''\n") || chart.contains("tag: \"\""), "{chart}");
    let (image, chart) = values("localhost:5000/at:2");
    assert_eq!(image, "localhost:5000/at:2");
    assert!(chart.contains("tag: \"2\"\n"), "{chart}");
    let (image, chart) = values("at@sha256:00");
    assert_eq!(image, "at@sha256:00");
    assert!(chart.contains("digest: sha256:00\n"), "{chart}");
}

#[test]
fn webhooks_need_a_port() {
    let has_port = |crds: Crds| objects(crds, "Service")[0]["spec"]["ports"].as_array().unwrap().len() == 2;
    assert!(!has_port(crds()));
    let conversion = ConversionWebhook::service("at-system", "at-operator").path("/convert");
    let versions = |name: &str, stored: bool| {
        let mut crd = crd("At", "ats");
        crd.spec.versions[0].name = name.to_owned();
        crd.spec.versions[0].storage = stored;
        Versions::new().add_crd(name, crd)
    };
    let with =
        Crds::new().add_versions(versions("v1", true).conversion(conversion)).add_versions(versions("v2", false));
    assert!(has_port(with.clone()));
    let directory = written(with, operator());
    let deployment = read(&directory, "chart/templates/deployment.yaml");
    assert!(deployment.contains("{{- if ne .Release.Namespace \"at-system\" }}\n{{- fail \""), "{deployment}");
}

#[test]
fn braces_of_objects_are_no_templates() {
    let config =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "a": "{{ b }}" } });
    let directory = written(crds(), operator().object(&config).unwrap());
    let template = read(&directory, "chart/templates/objects.yaml");
    assert!(template.contains("{{ \"{{\" }} b }}"), "{template}");
    assert!(read(&directory, "kustomize/objects.yaml").contains("{{ b }}"));
}

#[test]
fn service_monitors_are_selected() {
    let monitors = |operator: Operator| {
        let directory = written(crds(), operator);
        let is_in = |path: &str| read(&directory, path).contains("kind: ServiceMonitor\n");
        assert!(
            is_in("kustomize/service-monitor/service-monitor.yaml") && is_in("chart/templates/service-monitor.yaml")
        );
        (is_in("install.yaml"), read(&directory, "chart/values.yaml").contains("serviceMonitor:\n  enabled: true"))
    };
    assert_eq!(monitors(operator()), (false, false));
    assert_eq!(monitors(operator().service_monitor()), (true, true));
    assert_eq!(objects(crds(), "ServiceMonitor").len(), 0);
}

#[test]
fn secure_metrics_have_a_port_and_roles() {
    let all = |operator: Operator| Project::new(crds()).operator(operator.service_monitor()).to_objects().unwrap();
    let find = |objects: &[Value], kind: &str, name: &str| {
        objects.iter().find(|it| it["kind"] == kind && it["metadata"]["name"] == name).cloned()
    };
    let plain = all(operator());
    assert!(find(&plain, "ClusterRole", "at-operator-metrics-reader").is_none());
    let secure = all(operator().secure_metrics());
    let reader = find(&secure, "ClusterRole", "at-operator-metrics-reader").unwrap();
    assert_eq!(reader["rules"], json!([{ "nonResourceURLs": ["/metrics"], "verbs": ["get"] }]));
    let binding = find(&secure, "ClusterRoleBinding", "at-operator-metrics-auth").unwrap();
    assert_eq!(binding["subjects"][0]["namespace"], "at-system");
    let ports = |objects: &[Value]| {
        let [service, deployment] = ["Service", "Deployment"].map(|kind| find(objects, kind, "at-operator").unwrap());
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        (service["spec"]["ports"][0]["port"].clone(), container["ports"][1]["containerPort"].clone())
    };
    assert_eq!(ports(&plain), (json!(8080), json!(8080)));
    assert_eq!(ports(&secure), (json!(8443), json!(8443)));
    let monitor = find(&secure, "ServiceMonitor", "at-operator").unwrap();
    let endpoint = &monitor["spec"]["endpoints"][0];
    assert_eq!(
        (&endpoint["scheme"], &endpoint["tlsConfig"]),
        (&json!("https"), &json!({ "insecureSkipVerify": true }))
    );
    let directory = written(crds(), operator().secure_metrics());
    // The namespace of the binding is that of the release.
    let roles = read(&directory, "chart/templates/rbac.yaml");
    assert!(roles.contains("  name: at-operator\n  namespace: {{ .Release.Namespace }}\n"), "{roles}");
}
