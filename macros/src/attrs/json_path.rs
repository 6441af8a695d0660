//! JSON paths, read as far as a schema can follow them.

use darling::{Error, Result};
use proc_macro2::Span;

use super::text::{Checked, FromText, Text, from_text};

/// A JSON path such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath {
    text: Text,
    steps: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To a field of an object, or an entry of a map.
    Field(String),
    /// To the items of a list.
    Items,
    /// To a place that no schema can tell, such as that of a filter: the rest is not followed.
    Unknown,
}

impl JsonPath {
    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    pub(crate) fn span(&self) -> Span {
        self.text.span()
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the path consists of field names only, none of which has a dot.
    pub(crate) fn is_plain(&self) -> bool {
        !self.text.contains(['[', '\\'])
            && self.steps.iter().all(|step| matches!(step, Step::Field(_)))
    }

    /// Whether the path leads below the field `name` of the object.
    pub(crate) fn is_below(&self, name: &str) -> bool {
        self.steps.len() > 1 && self.steps.first() == Some(&Step::Field(name.to_owned()))
    }
}

impl FromText for JsonPath {
    fn from_text(text: Text) -> Result<Self> {
        match steps(&text) {
            Ok(steps) => Ok(Self { text, steps }),
            Err(message) => Err(Error::custom(message).with_span(&text.span())),
        }
    }
}

from_text!(JsonPath);

fn steps(text: &str) -> Checked<Vec<Step>> {
    if text.is_empty() {
        return Err("the path is empty: expected one such as `.spec.replicas`".to_owned());
    }
    if !text.starts_with('.') {
        return Err(format!(
            "`{text}` does not start with a dot: write `.{}`",
            text.trim_matches(['$', '.', '{', '}', ' '])
        ));
    }
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (step, after) =
            next_step(rest).map_err(|why| format!("`{text}` is not a valid path: {why}"))?;
        rest = after;
        let last = step == Step::Unknown;
        steps.push(step);
        if last {
            break;
        }
    }
    Ok(steps)
}

fn next_step(text: &str) -> Checked<(Step, &str)> {
    if text.starts_with("..")
        || text.starts_with(".*")
        || text.starts_with("[*]") && text.len() == 3
    {
        return Ok((Step::Unknown, ""));
    }
    if let Some(rest) = text.strip_prefix('.') {
        return field(rest);
    }
    bracket(text)
}

fn field(text: &str) -> Checked<(Step, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped)) => name.push(escaped),
                None => return Err("it ends in a backslash".to_owned()),
            },
            '.' | '[' => return named(name, &text[at..]),
            ' ' | '{' | '}' | ']' | '(' | ')' | '\'' | '"' => {
                return Err(format!("`{c}` cannot stand in the name of a field"));
            }
            c => name.push(c),
        }
    }
    named(name, "")
}

fn named(name: String, rest: &str) -> Checked<(Step, &str)> {
    if name.is_empty() {
        return Err("the name of a field is missing after a dot".to_owned());
    }
    Ok((Step::Field(name), rest))
}

fn bracket(text: &str) -> Checked<(Step, &str)> {
    let inner = text
        .strip_prefix('[')
        .ok_or_else(|| format!("expected `.` or `[` before `{text}`"))?;
    if inner.starts_with('?') {
        return if inner.contains(")]") {
            Ok((Step::Unknown, ""))
        } else {
            Err("the filter is not closed with `)]`".to_owned())
        };
    }
    let (inside, rest) = inner
        .split_once(']')
        .ok_or_else(|| "a bracket is not closed".to_owned())?;
    let quoted = ['\'', '"']
        .iter()
        .find_map(|quote| inside.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(name) => named(name.replace('\\', ""), rest),
        None if inside == "*" => Ok((Step::Items, rest)),
        None if is_index(inside) => Ok((Step::Items, rest)),
        None => Err(format!(
            "`[{inside}]` is neither an index nor a quoted name"
        )),
    }
}

/// An index, a slice or a list of indices.
fn is_index(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field_step(name: &str) -> Step {
        Step::Field(name.to_owned())
    }

    #[test]
    fn valid_paths() {
        let spec = || field_step("spec");
        for (text, expected) in [
            (".spec", vec![spec()]),
            (".spec.a-b", vec![spec(), field_step("a-b")]),
            (r".spec.a\.b/c", vec![spec(), field_step("a.b/c")]),
            (r".spec['a\.b']", vec![spec(), field_step("a.b")]),
            (
                ".spec.l[0].x",
                vec![spec(), field_step("l"), Step::Items, field_step("x")],
            ),
            (".spec.l[-1:]", vec![spec(), field_step("l"), Step::Items]),
            (".spec..deep", vec![spec(), Step::Unknown]),
            (
                r#".spec.l[?(@.type=="Ready")].status"#,
                vec![spec(), field_step("l"), Step::Unknown],
            ),
        ] {
            assert_eq!(steps(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_paths() {
        for text in [
            "",
            "spec",
            "$.spec",
            ".spec.",
            ".",
            ".spec.a b",
            ".spec[",
            ".spec[x]",
            ".spec[?(@.a",
            ".spec]",
            ".spec.a\\",
            "{.spec}",
            ".spec[0]x",
        ] {
            assert!(steps(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_missing_dot_is_named() {
        assert_eq!(
            steps("spec.replicas").unwrap_err(),
            "`spec.replicas` does not start with a dot: write `.spec.replicas`"
        );
    }
}
