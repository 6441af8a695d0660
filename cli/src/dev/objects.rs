//! The objects and events that `crds dev` reports.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// How many events are kept.
const MAX_EVENTS: usize = 8;

/// The current state.
#[derive(Default)]
pub(super) struct Objects {
    /// The conditions by kind, namespace and name.
    pub(super) conditions: BTreeMap<[String; 3], Vec<String>>,
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
                self.conditions.insert(key, conditions);
            }
            "deleted" => {
                self.conditions.remove(&key);
            }
            "event" => {
                let [kind, namespace, name] = key;
                let object = if namespace.is_empty() { name } else { format!("{namespace}/{name}") };
                let times = change["count"].as_i64().filter(|count| *count > 1);
                let times = times.map(|count| format!(" ({count} times)")).unwrap_or_default();
                self.add(format!("{} {kind} {object} {}: {}{times}", text("type"), text("reason"), text("message")));
            }
            "problem" => self.add(format!("Warning {}", text("message"))),
            _ => {}
        }
    }

    fn add(&mut self, event: String) {
        self.events.push_back(event);
        if self.events.len() > MAX_EVENTS {
            self.events.pop_front();
        }
    }
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
