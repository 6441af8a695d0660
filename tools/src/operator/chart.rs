//! The Helm chart of an operator: its objects, with templates where values apply.

use crdkit::__internal::yaml::{order::Order, write};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{
    Operator,
    objects::{ManifestFile, SERVICE_MONITOR, converted},
    watched_namespaces,
};

/// The words that stand for templates until the objects are YAML.
const NAMESPACE: &str = "CRDKIT-NAMESPACE";
const IMAGE: &str = "CRDKIT-IMAGE";

/// The values of the Deployment: the path in the object, the value, and whether it is an object or a list.
const VALUES: &[(&str, &str, bool)] = &[
    ("/spec/replicas", "replicas", false),
    ("/spec/template/spec/affinity", "affinity", true),
    ("/spec/template/spec/imagePullSecrets", "imagePullSecrets", true),
    ("/spec/template/spec/nodeSelector", "nodeSelector", true),
    ("/spec/template/spec/tolerations", "tolerations", true),
    ("/spec/template/spec/containers/0/env", "env", true),
    ("/spec/template/spec/containers/0/imagePullPolicy", "image.pullPolicy", false),
    ("/spec/template/spec/containers/0/resources", "resources", true),
];

const IMAGE_TEMPLATE: &str = "{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ \
                              .Values.image.tag | default .Chart.AppVersion }}{{ end }}";

/// Returns `Chart.yaml`.
pub(super) fn metadata(operator: &Operator) -> String {
    let chart = json!({
        "apiVersion": "v2",
        "name": operator.name,
        "description": format!("The operator {}", operator.name),
        "type": "application",
        "version": operator.version,
        "appVersion": operator.version,
    });
    write::document(&chart, Order::Sorted)
}

/// Returns `values.yaml`.
pub(super) fn values(operator: &Operator) -> String {
    let (repository, suffix) = operator.split_image();
    let (tag, digest) = match suffix.strip_prefix('@') {
        Some(digest) => ("", digest),
        None => (suffix.trim_start_matches(':'), ""),
    };
    let mut values = json!({
        "image": { "repository": repository, "tag": tag, "digest": digest, "pullPolicy": "IfNotPresent" },
        "replicas": operator.replicas,
        "resources": operator.resources,
        "env": operator.env,
        "imagePullSecrets": [],
        "nodeSelector": {},
        "tolerations": [],
        "affinity": {},
        "networkPolicy": { "enabled": true },
        "serviceMonitor": { "enabled": operator.has_service_monitor },
    });
    if !operator.limited_roles.is_empty() {
        values["watchNamespaces"] = json!(operator.watched.clone().unwrap_or_default());
    }
    write::document(&values, Order::Sorted)
}

/// Returns the template of a file.
pub(super) fn template(operator: &Operator, crds: &[CustomResourceDefinition], part: &ManifestFile) -> String {
    if part.name == "rbac" && !operator.limited_roles.is_empty() {
        return roles(operator);
    }
    let mut objects = part.objects.clone();
    if part.name == "deployment" {
        objects.iter_mut().for_each(insert_values);
    }
    let text = indent_values(&filled(operator, objects), !operator.limited_roles.is_empty());
    match part.name {
        SERVICE_MONITOR => format!("{{{{- if .Values.serviceMonitor.enabled }}}}\n{text}{{{{- end }}}}\n"),
        "network-policy" => format!("{{{{- if .Values.networkPolicy.enabled }}}}\n{text}{{{{- end }}}}\n"),
        "deployment" => namespace_check(operator, crds) + &text,
        _ => text,
    }
}

/// Returns objects as YAML, with templates for the namespace and the image.
fn filled(operator: &Operator, mut objects: Vec<Value>) -> String {
    objects.iter_mut().for_each(|object| replace_namespace(object, &operator.namespace));
    // What the objects themselves have in braces is no template.
    let escaped = write::documents(&objects).replace("{{", "{{ \"{{\" }}");
    escaped.replace(NAMESPACE, "{{ .Release.Namespace }}").replace(IMAGE, IMAGE_TEMPLATE)
}

/// Returns the template of the roles of an operator that can be limited to namespaces.
fn roles(operator: &Operator) -> String {
    let (watched, others) = watched_namespaces::split(&operator.limited_roles);
    let [unlimited, others, watched] = [operator.roles.clone(), others, watched].map(|roles| filled(operator, roles));
    let account = filled(operator, vec![operator.service_account()]);
    account + &watched_namespaces::roles_template(&unlimited, &others, &watched)
}

/// Helm installs definitions as they are, so that the service which converts their objects is in a fixed namespace.
fn namespace_check(operator: &Operator, crds: &[CustomResourceDefinition]) -> String {
    let namespace = &operator.namespace;
    if converted(crds).iter().any(|client| client["service"]["namespace"] == *namespace) {
        format!(
            "{{{{- if ne .Release.Namespace {namespace:?} }}}}\n{{{{- fail \"the definitions refer to the conversion webhook in the \
             namespace {namespace}: install the chart with --namespace {namespace}\" }}}}\n{{{{- end }}}}\n"
        )
    } else {
        String::new()
    }
}

fn replace_namespace(value: &mut Value, namespace: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key == "namespace" && *value == namespace {
                    *value = NAMESPACE.into();
                } else {
                    replace_namespace(value, namespace);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_namespace(item, namespace)),
        _ => {}
    }
}

fn insert_values(deployment: &mut Value) {
    for (path, value, _) in VALUES {
        let (parent, field) = path.rsplit_once('/').expect("the path has a parent");
        if let Some(parent) = deployment.pointer_mut(parent) {
            parent[field] = placeholder(value).into();
        }
    }
    deployment["spec"]["template"]["spec"]["containers"][0]["image"] = IMAGE.into();
}

fn placeholder(value: &str) -> String {
    format!("CRDKIT-VALUE-{value}")
}

/// Replaces the placeholders by templates, which are indented below their key.
fn indent_values(text: &str, has_namespaces: bool) -> String {
    let line = |line: &str| {
        let found = VALUES.iter().find(|(_, value, _)| line.ends_with(&format!(" {}", placeholder(value))));
        let Some((_, value, is_nested)) = found else {
            return format!("{line}\n");
        };
        let key = &line[..line.len() - placeholder(value).len()];
        let depth = key.len() - key.trim_start_matches([' ', '-']).len() + 2;
        if *value == "env" && has_namespaces {
            return format!("{}{}", key.trim_end(), watched_namespaces::environment_template(depth));
        }
        if *is_nested {
            format!("{key}{{{{- toYaml .Values.{value} | nindent {depth} }}}}\n")
        } else {
            format!("{key}{{{{ .Values.{value} }}}}\n")
        }
    };
    text.lines().map(line).collect()
}
