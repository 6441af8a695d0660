//! A write that a plan has.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::yaml::{diff, order::Order, write};

/// Metadata that the API server sets, which differs between a dry run and the write.
const SERVER_SET: [&str; 6] =
    ["creationTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields", "resourceVersion", "uid"];
/// What stands for a value of a Secret, as in `kubectl diff`.
const HIDDEN: &str = "***";

/// A write that a reconciliation would send, and what it would change.
///
/// It displays as `kubectl diff` shows an object. The values of Secrets are hidden, and metadata that the API server sets is omitted.
/// Serialized, it has these fields:
///
/// | field | |
/// |---|---|
/// | `verb` | `create`, `apply`, `patch`, `update`, `delete` or `deletecollection` |
/// | `group`, `version`, `kind`, `resource` | of the object; the group of the core API is empty, and the resource is the plural name |
/// | `subresource` | such as `status`; absent if it is the object itself |
/// | `namespace`, `name` | of the object; no namespace if it is cluster-scoped |
/// | `before`, `after` | the object; absent if there is none |
/// | `notes` | what the plan cannot show; absent if there is none |
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlannedWrite {
    /// `create`, `apply`, `patch`, `update`, `delete` or `deletecollection`.
    pub verb: &'static str,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural name.
    pub resource: String,
    /// The subresource, such as `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The namespace; `None` for cluster-scoped objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The object before the write; `None` if it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The object after the write; `None` if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// What the plan cannot show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PlannedWrite {
    /// Returns a line such as `apply ConfigMap b/x`, or `patch App a/web (status)`.
    pub fn summary(&self) -> String {
        let namespace = self.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        let subresource = self.subresource.as_ref().map(|subresource| format!(" ({subresource})")).unwrap_or_default();
        format!("{} {} {namespace}{}{subresource}", self.verb, self.kind, self.name)
    }
}

impl fmt::Display for PlannedWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary())?;
        for note in &self.notes {
            writeln!(f, "# {note}")?;
        }
        if self.after.is_none() || self.before == self.after {
            return Ok(());
        }
        let text = |object: &Option<Value>| {
            object.as_ref().map(|object| write::document(object, Order::MANIFEST)).unwrap_or_default()
        };
        f.write_str(&diff::hunks_of(&text(&self.before), &text(&self.after)))
    }
}

/// Returns an object before a write as it is shown.
pub(super) fn shown(before: &Value, after: Option<&Value>) -> Value {
    masked(before, after, "before")
}

/// Returns an object after a write as it is shown.
pub(super) fn shown_after(after: &Value, before: Option<&Value>) -> Value {
    masked(after, before, "after")
}

fn masked(object: &Value, other: Option<&Value>, state: &str) -> Value {
    let mut shown = object.clone();
    if let Some(metadata) = shown.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !SERVER_SET.contains(&field.as_str()));
    }
    if object["kind"] == "Secret" && object["apiVersion"] == "v1" {
        for field in ["data", "stringData"] {
            let values = shown.get_mut(field).and_then(Value::as_object_mut);
            for (key, value) in values.into_iter().flatten() {
                let is_same = other.is_none_or(|other| other[field][key] == *value);
                *value = if is_same { HIDDEN.into() } else { format!("{HIDDEN} ({state})").into() };
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_hidden_and_compared() {
        let secret = |data: Value| json!({ "apiVersion": "v1", "kind": "Secret", "data": data });
        let before = secret(json!({ "a": "MQ==", "b": "MQ==" }));
        let after = secret(json!({ "a": "MQ==", "b": "Mg==" }));
        assert_eq!(shown(&before, Some(&after)), secret(json!({ "a": "***", "b": "*** (before)" })));
        assert_eq!(shown_after(&after, Some(&before)), secret(json!({ "a": "***", "b": "*** (after)" })));
        assert_eq!(shown_after(&after, None), secret(json!({ "a": "***", "b": "***" })));
    }

    #[test]
    fn a_write_reads_as_a_diff() {
        let config = |value: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" }, "data": { "a": value } });
        let write = PlannedWrite {
            verb: "apply",
            group: String::new(),
            version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            resource: "configmaps".to_owned(),
            subresource: None,
            namespace: Some("b".to_owned()),
            name: "x".to_owned(),
            before: Some(config("1")),
            after: Some(config("2")),
            notes: vec!["it is a test".to_owned()],
        };
        let text = write.to_string();
        let start = "apply ConfigMap b/x\n# it is a test\n@@ -";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("\n-  a: \"1\"\n+  a: \"2\"\n"), "{text}");
        let deletion = PlannedWrite { verb: "delete", after: None, notes: Vec::new(), ..write };
        assert_eq!(deletion.to_string(), "delete ConfigMap b/x\n");
    }
}
