//! The objects and events that `crds dev` reports.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::failures::Failure;

/// How many events are kept.
const MAX_EVENTS: usize = 8;

/// The current state.
#[derive(Default)]
pub(super) struct Objects {
    /// The conditions by kind, namespace and name.
    pub(super) conditions: BTreeMap<[String; 3], Vec<String>>,
    /// The last error of each object whose reconciliation has failed, by controller and object, until the object changes.
    failures: BTreeMap<(String, String), String>,
    pub(super) events: VecDeque<String>,
}

impl Objects {
    /// Takes a line of JSON.
    pub(super) fn update(&mut self, line: &str) {
        let Ok(change) = serde_json::from_str::<Value>(line) else { return };
        let text = |key: &str| change[key].as_str().unwrap_or_default();
        let key = ["kind", "namespace", "name"].map(|key| text(key).to_owned());
        match text("action") {
            "changed" => {
                let conditions = change["conditions"].as_array().into_iter().flatten().map(condition).collect();
                // The first line about an object may be read after the record of a failure.
                if self.conditions.contains_key(&key) {
                    self.forget_failure_of(&key);
                }
                self.conditions.insert(key, conditions);
            }
            "deleted" => {
                self.forget_failure_of(&key);
                self.conditions.remove(&key);
            }
            "event" => {
                let [kind, namespace, name] = key;
                let object = path(&namespace, &name);
                let times = change["count"]
                    .as_i64()
                    .filter(|count| *count > 1)
                    .map(|count| format!(" ({count} times)"))
                    .unwrap_or_default();
                self.add(format!("{} {kind} {object} {}: {}{times}", text("type"), text("reason"), text("message")));
            }
            "problem" => self.add(format!("Warning {}", text("message"))),
            _ => {}
        }
    }

    /// Takes a line of the operator, which may contain the error of an object.
    pub(super) fn read_log(&mut self, line: &str) {
        if let Some(failure) = Failure::read(line) {
            self.failures.insert((failure.controller, failure.key), failure.error);
        }
    }

    /// Returns the last error of an object.
    pub(super) fn failure_of(&self, key: &[String; 3]) -> Option<&str> {
        self.failures.iter().find(|(failed, _)| self.is_of(failed, key)).map(|(_, error)| error.as_str())
    }

    /// Forgets all failures, such as those of an operator that has ended.
    pub(super) fn forget_failures(&mut self) {
        self.failures.clear();
    }

    fn forget_failure_of(&mut self, key: &[String; 3]) {
        let failed: Vec<_> = self.failures.keys().filter(|failed| self.is_of(failed, key)).cloned().collect();
        failed.iter().for_each(|failed| drop(self.failures.remove(failed)));
    }

    /// Whether a failure is that of an object. Objects of several kinds may have the same name, and a controller is usually named like
    /// its kind.
    fn is_of(&self, (controller, failed): &(String, String), key: &[String; 3]) -> bool {
        let is_named = |[_, namespace, name]: &[String; 3]| *failed == path(namespace, name);
        let is_of_kind = |[kind, ..]: &[String; 3]| kind.eq_ignore_ascii_case(controller);
        is_named(key) && (is_of_kind(key) || !self.conditions.keys().any(|other| is_named(other) && is_of_kind(other)))
    }

    fn add(&mut self, event: String) {
        self.events.push_back(event);
        if self.events.len() > MAX_EVENTS {
            self.events.pop_front();
        }
    }
}

/// Returns the namespace and the name of an object.
fn path(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

fn condition(condition: &Value) -> String {
    let text = |key: &str| condition[key].as_str().unwrap_or_default();
    let reason = if text("reason").is_empty() { String::new() } else { format!(" ({})", text("reason")) };
    let message = if text("message").is_empty() { String::new() } else { format!(": {}", text("message")) };
    format!("{}={}{reason}{message}", text("type"), text("status"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_have_their_current_conditions() {
        let mut objects = Objects::default();
        let change = |action: &str, conditions: Value| {
            json!({ "action": action, "kind": "Car", "namespace": "a", "name": "b", "conditions": conditions })
                .to_string()
        };
        let ready = |status: &str| json!([{ "type": "Ready", "status": status, "reason": "Checked", "message": "" }]);
        objects.update(&change("changed", ready("False")));
        objects.update(&change("changed", ready("True")));
        let key = ["Car", "a", "b"].map(str::to_owned);
        assert_eq!(objects.conditions[&key], ["Ready=True (Checked)"]);
        objects.update(&change("deleted", Value::Null));
        assert!(objects.conditions.is_empty());
        objects.update("not JSON");
    }

    #[test]
    fn objects_have_the_last_error_until_they_change() {
        let mut objects = Objects::default();
        let change = |kind: &str| {
            json!({ "action": "changed", "kind": kind, "namespace": "a", "name": "b", "conditions": [] }).to_string()
        };
        ["Car", "Engine"].iter().for_each(|kind| objects.update(&change(kind)));
        objects.read_log(r#"WARN reconcile{controller=car}: run: reconciliation failed key=a/b error="no fuel""#);
        let key = |kind: &str| [kind, "a", "b"].map(str::to_owned);
        assert_eq!(objects.failure_of(&key("Car")), Some("no fuel"));
        assert_eq!(objects.failure_of(&key("Engine")), None);
        objects.update(&change("Car"));
        assert_eq!(objects.failure_of(&key("Car")), None);
        objects.read_log("WARN reconcile{controller=mine}: run: reconciliation panicked key=a/c");
        objects.update(&change("Car").replace(r#""b""#, r#""c""#));
        let other = ["Car", "a", "c"].map(str::to_owned);
        assert_eq!(objects.failure_of(&other), Some("reconciliation panicked"));
        objects.forget_failures();
        assert_eq!(objects.failure_of(&other), None);
    }

    #[test]
    fn the_last_events_are_kept() {
        let mut objects = Objects::default();
        for count in 1..=10 {
            let event = json!({
                "action": "event", "kind": "Car", "name": "b", "type": "Normal", "reason": "Started", "message": "It runs.", "count": count,
            });
            objects.update(&event.to_string());
        }
        assert_eq!(objects.events.len(), MAX_EVENTS);
        assert_eq!(objects.events[0], "Normal Car b Started: It runs. (3 times)");
    }
}
