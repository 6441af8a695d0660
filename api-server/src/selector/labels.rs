//! Label selectors.

use std::collections::BTreeSet;

use crdkit_core::{
    go,
    literal::dns::{self, LABEL_VALUE},
};
use serde_json::Value;

use crate::failure::aggregate_texts;

mod object;

/// A parsed label selector.
#[derive(Debug, Default)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, PartialEq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

impl LabelSelector {
    /// Parses the parameter `labelSelector`. The error is the message of a response with the status 400.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        Ok(Self { requirements: parser.requirements()? })
    }

    /// Whether all objects match.
    pub(crate) const fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.requirements.iter().all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    fn matches(&self, labels: &Value) -> bool {
        let value = labels.get(&self.key).and_then(Value::as_str);
        let compared = || {
            let limit: i64 = self.values.first()?.parse().ok()?;
            let value: i64 = value?.parse().ok()?;
            Some(value.cmp(&limit))
        };
        match self.operator {
            Operator::In => value.is_some_and(|value| self.values.contains(value)),
            Operator::NotIn => value.is_none_or(|value| !self.values.contains(value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan => compared().is_some_and(std::cmp::Ordering::is_gt),
            Operator::LessThan => compared().is_some_and(std::cmp::Ordering::is_lt),
        }
    }
}

const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

/// Splits a selector into symbols and words. A null character ends it.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if rest.is_empty() || rest.starts_with('\0') {
            return tokens;
        }
        let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
        let is_end = |c| matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<' | ' ' | '\t' | '\r' | '\n' | '\0');
        let length = symbol.map_or_else(|| rest.find(is_end).unwrap_or(rest.len()), str::len);
        tokens.push(&rest[..length]);
        rest = &rest[length..];
        if symbol.is_none() {
            rest = rest.strip_prefix('\0').unwrap_or(rest);
        }
    }
}

struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Parser<'t> {
    /// Returns the next token, or an empty string at the end.
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'t str {
        let next = self.peek();
        self.at += 1;
        next
    }

    fn requirements(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                "" => return Ok(requirements),
                token if token == "!" || is_word(token) => {
                    let requirement = self.requirement();
                    requirements.push(requirement.map_err(|error| format!("unable to parse requirement: {error}"))?);
                }
                other => return Err(format!("found '{other}', expected: !, identifier, or 'end of string'")),
            }
            match self.next() {
                "" => return Ok(requirements),
                "," => {
                    let next = self.peek();
                    if next != "!" && !is_word(next) {
                        return Err(format!("found '{next}', expected: identifier after ','"));
                    }
                }
                other => return Err(format!("found '{other}', expected: ',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut key = self.next();
        let is_negated = key == "!";
        if is_negated {
            key = self.next();
        }
        if !is_word(key) {
            return Err(format!("found '{key}', expected: identifier"));
        }
        validate_key(key)?;
        if is_negated || matches!(self.peek(), "" | ",") {
            let operator = if is_negated { Operator::DoesNotExist } else { Operator::Exists };
            return Ok(Requirement { key: key.to_owned(), operator, values: BTreeSet::new() });
        }
        let operator = self.operator()?;
        let is_set = matches!(self.tokens[self.at - 1], "in" | "notin");
        let texts = if is_set { self.set()? } else { self.value()? };
        let values = texts.into_iter().map(str::to_owned).collect();
        let requirement = Requirement { key: key.to_owned(), operator, values };
        requirement.validate_values()?;
        Ok(requirement)
    }

    fn operator(&mut self) -> Result<Operator, String> {
        match self.next() {
            "in" | "=" | "==" => Ok(Operator::In),
            "notin" | "!=" => Ok(Operator::NotIn),
            ">" => Ok(Operator::GreaterThan),
            "<" => Ok(Operator::LessThan),
            other => Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        }
    }

    fn value(&mut self) -> Result<BTreeSet<&'t str>, String> {
        match self.peek() {
            "" | "," => Ok([""].into()),
            value => {
                self.at += 1;
                if is_word(value) { Ok([value].into()) } else { Err(format!("found '{value}', expected: identifier")) }
            }
        }
    }

    fn set(&mut self) -> Result<BTreeSet<&'t str>, String> {
        match self.next() {
            "(" => {}
            other => return Err(format!("found '{other}' expected: '('")),
        }
        match self.peek() {
            ")" => {
                self.at += 1;
                Ok([""].into())
            }
            token if token == "," || is_word(token) => self.items(),
            other => Err(format!("found '{other}', expected: ',', ')' or identifier")),
        }
    }

    /// Parses the items of a set and its closing parenthesis. An item can be empty.
    fn items(&mut self) -> Result<BTreeSet<&'t str>, String> {
        let mut items = BTreeSet::new();
        loop {
            match self.next() {
                "," => {
                    let is_first = items.is_empty();
                    let next = self.peek();
                    if is_first || matches!(next, ")" | ",") {
                        items.insert("");
                    }
                    if next == ")" {
                        self.at += 1;
                        return Ok(items);
                    }
                }
                item if is_word(item) => {
                    items.insert(item);
                    match self.peek() {
                        "," => {}
                        ")" => {
                            self.at += 1;
                            return Ok(items);
                        }
                        other => return Err(format!("found '{other}', expected: ',' or ')'")),
                    }
                }
                other => return Err(format!("found '{other}', expected: ',', or identifier")),
            }
        }
    }
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && !SYMBOLS.contains(&token)
}

fn validate_key(key: &str) -> Result<(), String> {
    dns::qualified_name(key).map_err(|error| {
        let messages: Vec<_> = error.messages().collect();
        format!("<nil>: Invalid value: {}: {}", go::quote(key), messages.join("; "))
    })
}

impl Requirement {
    fn validate_values(&self) -> Result<(), String> {
        let mut errors = Vec::new();
        if matches!(self.operator, Operator::GreaterThan | Operator::LessThan) {
            let wrong = self.values.iter().filter(|value| value.parse::<i64>().is_err());
            errors.extend(wrong.map(|value| {
                let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
                format!("values[0]: Invalid value: {}: {detail}", go::quote(value))
            }));
        }
        for (at, value) in self.values.iter().enumerate() {
            if let Err(error) = dns::label_value(value) {
                let messages: Vec<_> = LABEL_VALUE.messages(error).collect();
                let (key, value) = (&self.key, go::quote(value));
                errors.push(format!("values[{at}][{key}]: Invalid value: {value}: {}", messages.join("; ")));
            }
        }
        aggregate_texts(&errors).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn matches(selector: &str, labels: &Value) -> bool {
        LabelSelector::parse(selector).unwrap().matches(&json!({ "metadata": { "labels": labels } }))
    }

    #[test]
    fn matching() {
        let labels = json!({ "a": "1", "example.com/b": "", "in": "notin" });
        for (selector, expected) in [
            ("", true),
            ("a", true),
            ("!a", false),
            ("c", false),
            ("!c", true),
            ("a=1", true),
            ("a==1", true),
            ("a!=1", false),
            ("c!=1", true),
            ("a=", false),
            ("example.com/b=", true),
            ("a in (1,2)", true),
            ("a in (2,3)", false),
            ("a notin (2,3)", true),
            ("c in (,)", false),
            ("c notin ()", true),
            ("example.com/b in (,1)", true),
            ("example.com/b in ()", true),
            ("in in (notin)", true),
            ("in notin (in)", true),
            ("a>0", true),
            ("a>1", false),
            ("a<2", true),
            ("example.com/b<2", false),
            (" a\t= 1 , !c ", true),
            ("a=1,c", false),
        ] {
            assert_eq!(matches(selector, &labels), expected, "{selector}");
        }
        assert!(LabelSelector::parse(" ").unwrap().is_empty());
        assert!(!matches("a", &Value::Null));
    }

    #[test]
    fn mistakes() {
        for (selector, expected) in [
            ("a,,b", "found ',', expected: identifier after ','"),
            ("a=1,", "found '', expected: identifier after ','"),
            (",a", "found ',', expected: !, identifier, or 'end of string'"),
            ("a===b", "unable to parse requirement: found '=', expected: identifier"),
            ("a in x", "unable to parse requirement: found 'x' expected: '('"),
            ("a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"),
            ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (x,", "unable to parse requirement: found '', expected: ',', or identifier"),
            ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("!a=1", "found '=', expected: ',' or 'end of string'"),
            (
                "a>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an \
                 integer",
            ),
        ] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err(), expected, "{selector}");
        }
        let error = LabelSelector::parse("A.b/-c=1").unwrap_err();
        assert!(error.contains("<nil>: Invalid value: \"A.b/-c\": prefix part a lowercase"), "{error}");
        assert!(error.contains("; name part must consist"), "{error}");
        let error = LabelSelector::parse("a in (x,-y,-z)").unwrap_err();
        assert!(error.contains("requirement: [values[0][a]: Invalid value: \"-y\": a valid label"), "{error}");
        assert!(error.contains(", values[1][a]: Invalid value: \"-z\": a valid label"), "{error}");
    }
}
