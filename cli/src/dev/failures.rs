//! Failed reconciliations in the log of an operator.

use serde_json::Value;

/// How crdkit's records of failures begin (`informer/queue/run.rs` of the runtime).
const MESSAGES: [&str; 2] = ["reconciliation failed", "reconciliation panicked"];

/// A failed reconciliation.
#[derive(Debug, PartialEq)]
pub(super) struct Failure {
    /// The name of the controller, by default that of its kind in lower case; empty if the record has none.
    pub(super) controller: String,
    /// The object, as `namespace/name` or `name`.
    pub(super) key: String,
    pub(super) error: String,
}

impl Failure {
    /// Reads a line of the log, as text or JSON of `tracing-subscriber`.
    pub(super) fn read(line: &str) -> Option<Self> {
        if !MESSAGES.iter().any(|message| line.contains(message)) {
            return None;
        }
        Self::of_json(line).or_else(|| Self::of_text(line))
    }

    fn of_json(line: &str) -> Option<Self> {
        let record: Value = serde_json::from_str(line).ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let fields = &record["fields"];
        Some(Self {
            controller: text(&record["span"]["controller"]),
            key: fields["key"].as_str()?.to_owned(),
            error: or_message(text(&fields["error"]), fields["message"].as_str()?),
        })
    }

    fn of_text(line: &str) -> Option<Self> {
        let message = MESSAGES.iter().find(|message| line.contains(**message))?;
        let (span, fields) = line.split_once(message)?;
        Some(Self {
            controller: field(span, "controller").unwrap_or_default(),
            key: field(fields, "key")?,
            error: or_message(field(fields, "error").unwrap_or_default(), message),
        })
    }
}

/// A panic has no error.
fn or_message(error: String, message: &str) -> String {
    if error.is_empty() { message.to_owned() } else { error }
}

/// Returns the value after `name=`, which may be in quotes with escapes.
fn field(text: &str, name: &str) -> Option<String> {
    let start = text.match_indices(&format!("{name}=")).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|before| before == ' ' || before == '{')
    })?;
    let value = &text[start + name.len() + 1..];
    if !value.starts_with('"') {
        return value.split([' ', '}']).next().map(str::to_owned);
    }
    // Rust's escapes of quotes, backslashes and line ends are those of JSON.
    let mut parsed = serde_json::Deserializer::from_str(value).into_iter::<String>();
    match parsed.next() {
        Some(Ok(text)) => Some(text),
        _ => Some(value.trim_matches('"').to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_read_from_text_and_json() {
        let text = r#"2026-01-01T00:00:00Z  WARN reconcile{controller="car" namespace="default" name="one"}: crdkit::informer::queue::run: reconciliation failed key=default/one error="cannot parse \"x\": no number" retries=1 retry_in=1s"#;
        let json = r#"{"level":"WARN","fields":{"message":"reconciliation failed","key":"default/one","error":"cannot parse \"x\": no number","retries":1},"span":{"controller":"car","name":"reconcile"}}"#;
        let expected = Failure {
            controller: "car".to_owned(),
            key: "default/one".to_owned(),
            error: "cannot parse \"x\": no number".to_owned(),
        };
        assert_eq!(Failure::read(text).unwrap(), expected);
        assert_eq!(Failure::read(json).unwrap(), expected);
    }

    #[test]
    fn panics_have_no_error() {
        let text = "ERROR reconcile{controller=car}: run: reconciliation panicked key=two retries=1";
        let failure = Failure::read(text).unwrap();
        assert_eq!((&*failure.controller, &*failure.key, &*failure.error), ("car", "two", "reconciliation panicked"));
    }

    #[test]
    fn other_lines_are_none() {
        assert_eq!(Failure::read("INFO reconciled key=default/one"), None);
        assert_eq!(Failure::read("reconciliation failed"), None);
    }
}
