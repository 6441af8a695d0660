//! Field selectors.

use std::borrow::Cow;

use crdkit_core::{
    admission::go,
    literal::json_path::{Step, steps},
};
use serde_json::Value;

use crate::{
    props::read,
    testing::api_server::resource::{Resource, Version},
};

/// A parsed field selector.
#[derive(Debug, Default)]
pub(in crate::testing::api_server) struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Debug)]
struct Term {
    field: Field,
    is_equal: bool,
    value: String,
}

/// A field of an object, as text.
#[derive(Debug)]
struct Field {
    /// The paths of the field; the first one with a value counts.
    paths: Vec<Vec<String>>,
    /// The text of an absent field.
    default: &'static str,
}

impl FieldSelector {
    /// Parses the parameter `fieldSelector`. The error is the message of a response with the status 400.
    pub(in crate::testing::api_server) fn parse(
        text: &str,
        resource: &Resource,
        version: &Version,
    ) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in split_terms(text) {
            let Some((label, is_equal, value)) = split_term(term) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{term}'"));
            };
            let value = unescape(value)?;
            if !label.is_empty() || !value.is_empty() {
                terms.push((label, is_equal, value));
            }
        }
        let term = |(label, is_equal, value)| Ok(Term { field: field(label, resource, version)?, is_equal, value });
        Ok(Self { terms: terms.into_iter().map(term).collect::<Result<_, String>>()? })
    }

    /// Whether all objects match.
    pub(in crate::testing::api_server) const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub(in crate::testing::api_server) fn matches(&self, object: &Value) -> bool {
        self.terms.iter().all(|term| (term.field.text(object) == term.value) == term.is_equal)
    }
}

/// Returns the terms, sorted. A comma after a backslash does not separate them.
fn split_terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms.retain(|term| !term.is_empty());
    terms.sort_unstable();
    terms
}

/// Returns the label, whether the operator is `=` or `==`, and the value.
fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    let at = term
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| term[*at..].starts_with("!=") || term[*at..].starts_with('='))?;
    let (label, rest) = term.split_at(at);
    match rest.strip_prefix("!=") {
        Some(value) => Some((label, false, value)),
        None => Some((label, true, rest.strip_prefix("==").unwrap_or(&rest[1..]))),
    }
}

fn unescape(value: &str) -> Result<String, String> {
    const ERROR: &str = "invalid field selector";
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => text.push(escaped),
                Some(other) => return Err(format!("{ERROR}: invalid escape sequence: \\{other}")),
                None => return Err(format!("{ERROR}: invalid escape sequence: \\")),
            },
            ',' | '=' => return Err(format!("{ERROR}: unescaped character in value: {}", u32::from(c))),
            c => text.push(c),
        }
    }
    Ok(text)
}

/// Returns the field with a label, if lists of the resource can be restricted by it.
fn field(label: &str, resource: &Resource, version: &Version) -> Result<Field, String> {
    if label == "metadata.name" || (label == "metadata.namespace" && accepts_namespace(resource)) {
        return Ok(Field::at(label));
    }
    if resource.is_custom {
        let fields = version.spec.selectable_fields.iter().flatten();
        let paths = fields.map(|field| field.json_path.as_str());
        let found = paths.into_iter().find(|path| path.strip_prefix('.').unwrap_or(path) == label);
        return found.map(Field::of_path).ok_or_else(|| unsupported(label));
    }
    builtin_field(label, &resource.group, &resource.names.kind).unwrap_or_else(|| Err(error(label, resource, version)))
}

fn accepts_namespace(resource: &Resource) -> bool {
    match (resource.group.as_str(), resource.names.kind.as_str()) {
        ("", "Namespace" | "Node") | ("certificates.k8s.io", _) | ("resource.k8s.io", "ResourceSlice") => false,
        _ => resource.is_namespaced || !resource.is_custom,
    }
}

fn unsupported(label: &str) -> String {
    format!("field label not supported: {label}")
}

/// Returns the server's message about an unknown label of a built-in kind.
fn error(label: &str, resource: &Resource, version: &Version) -> String {
    match (resource.group.as_str(), resource.names.kind.as_str()) {
        ("" | "events.k8s.io", "Event")
        | ("", "Namespace" | "Node" | "Pod" | "ReplicationController" | "Secret" | "Service")
        | ("certificates.k8s.io", _) => unsupported(label),
        ("batch", "Job") => format!("field label \"{label}\" not supported for Job"),
        ("resource.k8s.io", kind @ "ResourceSlice") => {
            let api_version = resource.api_version(&version.spec.name);
            format!("field label not supported for {api_version}, Kind={kind}: {label}")
        }
        _ => format!("\"{label}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""),
    }
}

/// Returns the field of a built-in kind with a label that only some kinds have.
fn builtin_field(label: &str, group: &str, kind: &str) -> Option<Result<Field, String>> {
    const EVENT: [&str; 7] = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    let is_of_event = |parent: &str| {
        let child = label.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.'));
        child.is_some_and(|child| EVENT.contains(&child))
    };
    let field = match (group, kind, label) {
        ("", "Pod", "spec.host") => Field::at("spec.nodeName"),
        ("", "Pod", "status.podIP") => Field { paths: vec![path("status.podIPs.0.ip")], default: "" },
        // The server accepts the label, but does not compare the field.
        ("", "Pod", "status.podIPs") => Field { paths: Vec::new(), default: "" },
        ("", "Pod", "spec.hostNetwork") | ("", "Node", "spec.unschedulable") => {
            Field { default: "false", ..Field::at(label) }
        }
        ("", "ReplicationController", "status.replicas") => Field { default: "0", ..Field::at(label) },
        ("batch", "Job", "status.successful") => Field { default: "0", ..Field::at("status.succeeded") },
        ("", "Event", "source") => {
            Field { paths: vec![path("source.component"), path("reportingComponent")], default: "" }
        }
        ("", "Event", "reportingComponent")
        | ("events.k8s.io", "Event", "reportingController")
        | ("" | "events.k8s.io", "Event", "reason" | "type")
        | (
            "",
            "Pod",
            "spec.nodeName"
            | "spec.restartPolicy"
            | "spec.schedulerName"
            | "spec.serviceAccountName"
            | "status.phase"
            | "status.nominatedNodeName",
        )
        | ("", "Namespace", "status.phase")
        | ("", "Secret", "type")
        | ("", "Service", "spec.clusterIP" | "spec.type")
        | ("certificates.k8s.io", "CertificateSigningRequest" | "ClusterTrustBundle", "spec.signerName")
        | ("certificates.k8s.io", "PodCertificateRequest", "spec.signerName" | "spec.podName" | "spec.nodeName")
        | ("resource.k8s.io", "ResourceSlice", "spec.nodeName" | "spec.driver" | "spec.pool.name") => Field::at(label),
        ("", "Event", _) if is_of_event("involvedObject") => Field::at(label),
        ("events.k8s.io", "Event", _) if is_of_event("regarding") => Field::at(label),
        _ => return None,
    };
    Some(Ok(field))
}

fn path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

impl Field {
    fn at(label: &str) -> Self {
        Self { paths: vec![path(label)], default: "" }
    }

    /// Returns the field at a JSON path, which only has fields.
    fn of_path(text: &str) -> Self {
        let steps = steps(text).unwrap_or_default().into_iter();
        let names = steps.filter_map(|step| match step {
            Step::Field(name) => Some(name),
            Step::Items | Step::Unknown => None,
        });
        Self { paths: vec![names.collect()], default: "" }
    }

    fn text<'o>(&self, object: &'o Value) -> Cow<'o, str> {
        let texts = self.paths.iter().filter_map(|path| text(value_at(object, path)?));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or(Cow::Borrowed(self.default))
    }
}

fn value_at<'o>(object: &'o Value, path: &[String]) -> Option<&'o Value> {
    path.iter().try_fold(object, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    })
}

/// Formats a scalar as Go's `fmt.Sprint`.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(number) if number.is_f64() => Some(go::quoted(&read::json(value)).into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::SelectableField;
    use serde_json::json;

    use super::*;
    use crate::testing::api_server::builtin;

    fn builtin(group: &str, plural: &str) -> Resource {
        let mut resources = builtin::resources().into_iter();
        resources.find(|resource| resource.group == group && resource.names.plural == plural).unwrap()
    }

    fn custom() -> Resource {
        let mut resource = builtin("", "configmaps");
        resource.is_custom = true;
        let fields = [".spec.size", ".spec.isOn", r".spec['a\.b']"];
        let fields = fields.map(|path| SelectableField { json_path: path.to_owned() });
        resource.versions[0].spec.selectable_fields = Some(fields.to_vec());
        resource
    }

    #[track_caller]
    fn matches(resource: &Resource, selector: &str, object: &Value) -> bool {
        FieldSelector::parse(selector, resource, &resource.versions[0]).unwrap().matches(object)
    }

    #[test]
    fn matching_custom_resources() {
        let resource = custom();
        let object = json!({
            "metadata": { "name": "a,b", "namespace": "default" },
            "spec": { "size": 3, "isOn": true, "a.b": "=" },
        });
        for (selector, expected) in [
            ("", true),
            (",", true),
            ("=", true),
            (r"metadata.name=a\,b", true),
            ("metadata.name=a", false),
            ("metadata.namespace==default", true),
            ("metadata.namespace!=default", false),
            ("spec.size=3,spec.isOn=true", true),
            ("spec.size=3,spec.isOn=false", false),
            ("spec.size!=4", true),
            (r"spec['a\.b']=\=", true),
        ] {
            assert_eq!(matches(&resource, selector, &object), expected, "{selector}");
        }
        assert!(matches(&resource, "spec.size=", &json!({})));
    }

    #[test]
    fn matching_builtin_kinds() {
        let pod = json!({
            "metadata": { "name": "a", "namespace": "b" },
            "spec": { "nodeName": "n", "hostNetwork": true },
            "status": { "podIPs": [{ "ip": "1.2.3.4" }] },
        });
        let event = json!({ "involvedObject": { "kind": "Pod" }, "reportingComponent": "c", "source": {} });
        let pods = builtin("", "pods");
        for (resource, selector, object, expected) in [
            (&pods, "spec.host=n", &pod, true),
            (&pods, "spec.hostNetwork=true", &pod, true),
            (&pods, "spec.hostNetwork=false", &Value::Null, true),
            (&pods, "status.podIP=1.2.3.4", &pod, true),
            (&builtin("", "events"), "involvedObject.kind=Pod,source=c", &event, true),
            (&builtin("batch", "jobs"), "status.successful=0", &json!({}), true),
            (&builtin("batch", "jobs"), "status.successful=2", &json!({ "status": { "succeeded": 2 } }), true),
            (&builtin("", "nodes"), "spec.unschedulable=true", &json!({}), false),
        ] {
            assert_eq!(matches(resource, selector, object), expected, "{selector}");
        }
    }

    #[test]
    fn mistakes() {
        for (resource, selector, expected) in [
            (&custom(), "x=1", "field label not supported: x"),
            (&custom(), "b=1,a=1", "field label not supported: a"),
            (&custom(), "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
            (&custom(), r"metadata.name=\x", r"invalid field selector: invalid escape sequence: \x"),
            (&custom(), r"metadata.name=\", r"invalid field selector: invalid escape sequence: \"),
            (&custom(), "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
            (
                &builtin("", "configmaps"),
                "x=1",
                r#""x" is not a known field selector: only "metadata.name", "metadata.namespace""#,
            ),
            (&builtin("batch", "jobs"), "x=1", r#"field label "x" not supported for Job"#),
            (&builtin("", "nodes"), "metadata.namespace=a", "field label not supported: metadata.namespace"),
            (
                &builtin("resource.k8s.io", "resourceslices"),
                "x=1",
                "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x",
            ),
        ] {
            let error = FieldSelector::parse(selector, resource, &resource.versions[0]).unwrap_err();
            assert_eq!(error, expected, "{selector}");
        }
    }
}
