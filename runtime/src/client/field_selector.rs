//! Field selectors, and the fields that they compare.

use std::borrow::Cow;

use crdkit_core::{
    go,
    literal::json_path::{JsonPathStep, steps},
};
use serde_json::Value;

use crate::crd::crd_accessors::read;

/// A parsed field selector.
#[derive(Debug, Default)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Debug)]
struct Term {
    field: SelectorField,
    is_equal: bool,
    value: String,
}

/// A field of an object, as text.
#[derive(Debug)]
pub struct SelectorField {
    /// The paths of the field; the first one with a value counts.
    paths: Vec<Vec<String>>,
    /// The text of an absent field.
    default: &'static str,
}

impl FieldSelector {
    /// Parses the parameter `fieldSelector`; `field` returns the field with a label. The error is the message of a response with
    /// the status 400.
    pub fn parse(text: &str, field: impl Fn(&str) -> Result<SelectorField, String>) -> Result<Self, String> {
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
        let term = |(label, is_equal, value)| Ok(Term { field: field(label)?, is_equal, value });
        Ok(Self { terms: terms.into_iter().map(term).collect::<Result<_, String>>()? })
    }

    /// Whether all objects match.
    pub const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the value that the field at the path of a label must have.
    pub fn required(&self, label: &str) -> Option<&str> {
        let path = path(label);
        let found = self.terms.iter().find(|term| term.is_equal && term.field.paths == [&*path]);
        found.map(|term| term.value.as_str())
    }

    /// Returns whether an object has the values.
    pub fn matches(&self, object: &Value) -> bool {
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

fn path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

impl SelectorField {
    /// The field of the object at the path of a label.
    pub fn at(label: &str) -> Self {
        Self { paths: vec![path(label)], default: "" }
    }

    /// Returns the field at a JSON path, which only has fields.
    pub fn of_path(text: &str) -> Self {
        let steps = steps(text).unwrap_or_default().into_iter();
        let names = steps.filter_map(|step| match step {
            JsonPathStep::Field(name) => Some(name),
            JsonPathStep::Items | JsonPathStep::Unknown => None,
        });
        Self { paths: vec![names.collect()], default: "" }
    }

    /// Returns the field of a built-in kind with a label that only some kinds have.
    pub fn builtin(label: &str, group: &str, kind: &str) -> Option<Self> {
        const EVENT: [&str; 7] = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
        let is_of_event = |parent: &str| {
            let child = label.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.'));
            child.is_some_and(|child| EVENT.contains(&child))
        };
        Some(match (group, kind, label) {
            ("", "Pod", "spec.host") => Self::at("spec.nodeName"),
            ("", "Pod", "status.podIP") => Self { paths: vec![path("status.podIPs.0.ip")], default: "" },
            // The server accepts the label, but does not compare the field.
            ("", "Pod", "status.podIPs") => Self { paths: Vec::new(), default: "" },
            ("", "Pod", "spec.hostNetwork") | ("", "Node", "spec.unschedulable") => {
                Self { default: "false", ..Self::at(label) }
            }
            ("", "ReplicationController", "status.replicas") => Self { default: "0", ..Self::at(label) },
            ("batch", "Job", "status.successful") => Self { default: "0", ..Self::at("status.succeeded") },
            ("", "Event", "source") => {
                Self { paths: vec![path("source.component"), path("reportingComponent")], default: "" }
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
            | ("resource.k8s.io", "ResourceSlice", "spec.nodeName" | "spec.driver" | "spec.pool.name") => {
                Self::at(label)
            }
            ("", "Event", _) if is_of_event("involvedObject") => Self::at(label),
            ("events.k8s.io", "Event", _) if is_of_event("regarding") => Self::at(label),
            _ => return None,
        })
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
