//! Changes as text or JSON, in a line each.

use std::{collections::BTreeMap, fmt};

use crdkit::client::dynamic::Unstructured;
use k8s_openapi::api::events::v1::Event;
use serde_json::{Value, json};

use super::follow::Notice;

/// The objects so far: what has not changed is not printed again.
pub(super) struct Lines {
    is_json: bool,
    objects: BTreeMap<Name, Vec<Condition>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    kind: String,
    namespace: String,
    name: String,
}

/// A condition, without its times.
#[derive(Clone, PartialEq, Eq)]
struct Condition {
    type_: String,
    status: String,
    reason: String,
    message: String,
}

impl Lines {
    pub(super) fn new(is_json: bool) -> Self {
        Self { is_json, objects: BTreeMap::new() }
    }

    /// States that everything is installed: on a server with this kubeconfig, or in the cluster.
    pub(super) fn ready(&self, kubeconfig: Option<&str>) -> Vec<String> {
        vec![match (self.is_json, kubeconfig) {
            (true, _) => json!({ "action": "ready", "kubeconfig": kubeconfig }).to_string(),
            (false, Some(path)) => format!("ready: export KUBECONFIG={path}"),
            (false, None) => "ready: in the cluster of the current context".to_owned(),
        }]
    }

    pub(super) fn describe(&mut self, notice: Notice) -> Vec<String> {
        match notice {
            Notice::Changed(object) => self.changed(&object),
            Notice::Deleted(object) => {
                let name = Name::of(&object);
                self.objects.remove(&name);
                vec![self.line(&name, "deleted", json!({}), "deleted")]
            }
            Notice::Event(event) => self.event(&event).into_iter().collect(),
            Notice::Problem(message) if self.is_json => {
                vec![json!({ "action": "problem", "message": message }).to_string()]
            }
            Notice::Problem(message) => vec![format!("warning: {message}")],
        }
    }

    fn changed(&mut self, object: &Unstructured) -> Vec<String> {
        let (name, conditions) = (Name::of(object), conditions(object));
        let old = self.objects.insert(name.clone(), conditions.clone());
        if old.as_ref() == Some(&conditions) {
            return Vec::new();
        }
        if self.is_json {
            let all: Vec<_> = conditions.iter().map(Condition::json).collect();
            return vec![self.line(&name, "changed", json!({ "conditions": all }), "")];
        }
        let added = old.is_none().then(|| format!("{name}: added"));
        let old = old.unwrap_or_default();
        let changed = conditions.iter().filter(|condition| !old.contains(condition));
        added.into_iter().chain(changed.map(|condition| format!("{name}: {condition}"))).collect()
    }

    fn event(&self, event: &Event) -> Option<String> {
        let regarding = event.regarding.as_ref()?;
        let name = Name {
            kind: regarding.kind.clone().unwrap_or_default(),
            namespace: regarding.namespace.clone().unwrap_or_default(),
            name: regarding.name.clone().unwrap_or_default(),
        };
        let [type_, reason, note] =
            [&event.type_, &event.reason, &event.note].map(|it| it.as_deref().unwrap_or_default());
        let count = event.series.as_ref().map_or(1, |series| series.count);
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        let fields = json!({ "type": type_, "reason": reason, "message": note, "count": count });
        Some(self.line(&name, "event", fields, &format!("event {type_} {reason}: {note}{times}")))
    }

    fn line(&self, name: &Name, action: &str, mut fields: Value, text: &str) -> String {
        if !self.is_json {
            return format!("{name}: {text}");
        }
        fields["action"] = action.into();
        fields["kind"] = name.kind.as_str().into();
        fields["name"] = name.name.as_str().into();
        if !name.namespace.is_empty() {
            fields["namespace"] = name.namespace.as_str().into();
        }
        fields.to_string()
    }
}

impl Name {
    fn of(object: &Unstructured) -> Self {
        Self {
            kind: object.types.as_ref().map(|types| types.kind.clone()).unwrap_or_default(),
            namespace: object.metadata.namespace.clone().unwrap_or_default(),
            name: object.metadata.name.clone().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

impl Condition {
    fn json(&self) -> Value {
        json!({ "type": self.type_, "status": self.status, "reason": self.reason, "message": self.message })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { type_, status, reason, message } = self;
        write!(f, "{type_}={status}")?;
        if !reason.is_empty() {
            write!(f, " ({reason})")?;
        }
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

fn conditions(object: &Unstructured) -> Vec<Condition> {
    let conditions = object.status.as_ref().and_then(|status| status["conditions"].as_array());
    let text = |condition: &Value, key: &str| condition[key].as_str().unwrap_or_default().to_owned();
    let conditions = conditions.into_iter().flatten().map(|condition| Condition {
        type_: text(condition, "type"),
        status: text(condition, "status"),
        reason: text(condition, "reason"),
        message: text(condition, "message"),
    });
    conditions.collect()
}
