//! What differs between any two servers, and is therefore not compared.

use std::collections::HashMap;

use crdkit_tests::Answer;
use serde_json::{Value, json};

/// Replaces UIDs, versions and times, each by the order of its first occurrence.
#[derive(Clone, Default)]
pub(super) struct Names {
    names: HashMap<String, String>,
    /// The last state of each object by its UID, without its version.
    objects: HashMap<String, Value>,
}

impl Names {
    /// Returns a response as it is compared.
    pub(super) fn response(&mut self, answer: Answer) -> Value {
        let mut body = events(answer.body);
        self.note_rewrite(&body);
        self.normalize(&mut body);
        sort_causes(&mut body);
        let mut response = json!({ "code": answer.status, "body": body });
        // The real server may patch a cached object before it finds that the object is gone.
        if !answer.warnings.is_empty() && answer.status != 404 {
            response["warnings"] = answer.warnings.into();
        }
        response
    }

    /// Returns the events of a watch as they are compared.
    pub(super) fn events(&mut self, events: Vec<Value>) -> Value {
        let mut normalized: Vec<Value> = Vec::new();
        for mut event in events {
            // Bookmarks come by the clock, but for the one after the initial events.
            let is_end_of_initial = event.to_string().contains("k8s.io/initial-events-end");
            if event["type"] == "BOOKMARK" && !is_end_of_initial {
                continue;
            }
            self.normalize(&mut event);
            sort_causes(&mut event["object"]);
            // The real server repeats the definitions of columns if the first event was already encoded for another watch.
            if !normalized.is_empty() && event["object"]["columnDefinitions"].is_array() {
                event["object"]["columnDefinitions"].take();
            }
            // An apply stored nulls, which are not in the object that the server reads.
            if event["type"] != "MODIFIED" || !normalized.iter().any(|it| it["object"] == event["object"]) {
                normalized.push(event);
            }
        }
        normalized.into()
    }

    /// An object that was written although it is as before keeps its version: an apply stored nulls, which are not in the object
    /// that the server reads.
    fn note_rewrite(&mut self, body: &Value) {
        let Some(uid) = body["metadata"]["uid"].as_str().filter(|_| body["kind"] != "Scale") else {
            return;
        };
        let mut object = body.clone();
        let version = object["metadata"]["resourceVersion"].take();
        // Requests are in several versions.
        object["apiVersion"].take();
        hide_times(&mut object);
        let before = self.objects.insert(uid.to_owned(), json!([object, version]));
        if let (Some(before), Some(version)) = (before, version.as_str())
            && before[0] == object
            && let Some(name) = before[1].as_str().and_then(|version| self.names.get(version)).cloned()
        {
            self.names.entry(version.to_owned()).or_insert(name);
        }
    }

    fn replace(&mut self, kind: &str, text: &str) -> String {
        let start = format!("<{kind} ");
        let numbers = self.names.values().filter_map(|name| name.strip_prefix(&start)?.strip_suffix('>')?.parse().ok());
        let next = numbers.max().map_or(0, |last: usize| last + 1);
        self.names.entry(text.to_owned()).or_insert(format!("{start}{next}>")).clone()
    }

    fn normalize(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                // Other tests write too, so that lists have later versions than their items.
                let is_list = members.contains_key("resourceVersion")
                    && !members.contains_key("uid")
                    && !members.contains_key("name");
                for (name, value) in members {
                    match (name.as_str(), &mut *value) {
                        ("uid", Value::String(text)) => *value = self.replace("uid", text).into(),
                        ("resourceVersion", Value::String(_)) if is_list => *value = "<version of the list>".into(),
                        ("resourceVersion", Value::String(text)) => *value = self.replace("version", text).into(),
                        (name, Value::String(_)) if is_time(name) => *value = "<time>".into(),
                        ("continue", Value::String(text)) if !text.is_empty() => *value = "<token>".into(),
                        ("cells", Value::Array(cells)) => cells.iter_mut().for_each(hide_age),
                        _ => self.normalize(value),
                    }
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.normalize(item));
                // They are ordered by time, of which a second may begin between two requests.
                if items.iter().any(|item| item["fieldsV1"].is_object()) {
                    items.sort_by_key(ToString::to_string);
                }
            }
            Value::String(text) => self.normalize_text(text),
            _ => {}
        }
    }

    fn normalize_text(&self, text: &mut String) {
        for (from, to) in self.names.iter().filter(|(from, _)| from.len() > 8) {
            *text = text.replace(from, to);
        }
        for before in ["ResourceVersion in record (", "decodable revision=", "\\\"resourceVersion\\\":\\\"", "T"] {
            *text = without_numbers_after(text, before);
        }
        // The managers in a quoted object are ordered by time too.
        if let Some((before, quoted)) = text.split_once("Invalid value: \"{")
            && let Some((_, after)) = quoted.rsplit_once("}\": ")
        {
            *text = format!("{before}Invalid value: <object>: {after}");
        }
        // Go's maps have no order.
        if let Some((start, _)) = text.split_once("failed to create typed patch object") {
            *text = format!("{start}failed to create typed patch object");
        }
    }
}

fn is_time(name: &str) -> bool {
    matches!(name, "creationTimestamp" | "deletionTimestamp" | "time" | "lastTransitionTime")
}

fn hide_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if is_time(name) {
                    value.take();
                }
                hide_times(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        _ => {}
    }
}

/// Replaces an age in a table, which depends on when a request is processed.
fn hide_age(cell: &mut Value) {
    if cell.as_str().is_some_and(is_age) {
        *cell = "<age>".into();
    }
}

/// Returns whether a text is the age of an object of this test, such as `5s`, `2m5s` or `1h`. On a slow machine, tests take minutes.
pub(crate) fn is_age(text: &str) -> bool {
    let is_count = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split_inclusive(['s', 'm', 'h']).peekable();
    parts.peek().is_some() && parts.all(|part| part.strip_suffix(['s', 'm', 'h']).is_some_and(is_count))
}

/// Drops digits and colons, such as those of times, after each occurrence of a text.
fn without_numbers_after(text: &str, before: &str) -> String {
    let mut parts = text.split(before);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result += before;
        result += part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    }
    result
}

/// Returns the events of a watch that is over as a list.
fn events(body: Value) -> Value {
    let text = body.as_str().filter(|text| text.starts_with('{'));
    let events = text.map(|text| text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>());
    events.and_then(Result::ok).map_or(body, Value::Array)
}

/// The real server reports the errors of members in random order, and some of them several times.
fn sort_causes(body: &mut Value) {
    let is_several = body["details"]["causes"].as_array().is_some_and(|causes| causes.len() > 1);
    if !is_several {
        return;
    }
    if let Some(Value::Array(causes)) = body.pointer_mut("/details/causes") {
        causes.sort_by_key(ToString::to_string);
        causes.dedup();
    }
    let message = body["message"].as_str().unwrap_or_default();
    let start = message.split(" is invalid: ").next().unwrap_or_default().to_owned();
    body["message"] = start.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units_of_time() {
        for age in ["0s", "119s", "2m", "2m5s", "10m", "3h1m"] {
            assert!(is_age(age), "{age}");
        }
        for other in ["", "s", "5", "2d", "693d", "1y5d", "5 s", "web-1s", "10s ago"] {
            assert!(!is_age(other), "{other}");
        }
    }

    #[test]
    fn an_object_that_is_written_as_it_was_keeps_its_version() {
        let mut names = Names::default();
        let mut response = |version: &str, size: i32| {
            let body = json!({ "metadata": { "uid": "u", "resourceVersion": version }, "spec": size });
            let answer = Answer { status: 200, warnings: Vec::new(), content_type: String::new(), body };
            names.response(answer)["body"]["metadata"]["resourceVersion"].take()
        };
        let versions =
            [("1", 1), ("2", 1), ("3", 2), ("3", 2), ("4", 1)].map(|(version, size)| response(version, size));
        assert_eq!(versions, [0, 0, 1, 1, 2].map(|number| format!("<version {number}>")));
    }
}
