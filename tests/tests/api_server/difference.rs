//! Two responses that differ.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;

use crate::step::Step;

pub(crate) struct Difference {
    pub(super) step: Step,
    pub(super) embedded: Value,
    pub(super) real: Value,
}

impl Difference {
    /// Returns the place of the first member that differs.
    pub(crate) fn place(&self) -> String {
        let mut lines = Vec::new();
        compare("", &self.embedded, &self.real, &mut lines);
        lines.first().and_then(|line| line.lines().next()).unwrap_or_default().to_owned()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.step)?;
        let mut lines = Vec::new();
        compare("", &self.embedded, &self.real, &mut lines);
        lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// Lists the members in which two documents differ.
fn compare(path: &str, ours: &Value, theirs: &Value, lines: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
            let absent = Value::from("(absent)");
            for name in names {
                let [left, right] = [left, right].map(|members| members.get(name).unwrap_or(&absent));
                compare(&format!("{path}.{name}"), left, right, lines);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (at, (left, right)) in left.iter().zip(right).enumerate() {
                compare(&format!("{path}[{at}]"), left, right, lines);
            }
        }
        _ if ours == theirs => {}
        _ => lines.push(format!("{path}\n      ours: {ours}\n      real: {theirs}")),
    }
}
