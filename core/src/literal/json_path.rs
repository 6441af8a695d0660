//! Paths of printer columns, as client-go's `util/jsonpath` parses them between braces.
//!
//! The server accepts a path that client-go cannot parse, and then shows neither this column nor any later one.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

mod error;
mod quoted;

pub use error::JsonPathError;
use quoted::unquote;

use crate::go::unicode;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPathStep {
    /// A field of an object, or an entry of a map.
    Field(String),
    /// One, some or all items of a list, also those that a filter selects.
    Items,
    /// A step that a schema cannot follow, such as `..`. It is always the last step.
    Unknown,
}

/// Returns the steps of a path, as far as a schema can follow them.
///
/// # Errors
///
/// If client-go cannot parse the path.
pub fn steps(path: &str) -> Result<Vec<JsonPathStep>, JsonPathError> {
    let mut actions = actions(path)?;
    if actions.len() > 1 || !actions[0].is_last {
        return Ok([JsonPathStep::Unknown].into());
    }
    let mut steps = Vec::new();
    for node in actions.swap_remove(0).nodes {
        let (step, is_last) = match node {
            Node::Field(name) => (JsonPathStep::Field(name), false),
            Node::Items(_) | Node::Filter(_) => (JsonPathStep::Items, false),
            _ => (JsonPathStep::Unknown, true),
        };
        steps.push(step);
        if is_last {
            break;
        }
    }
    Ok(steps)
}

/// Returns an identifier without a leading dot that is not a keyword. client-go parses such a path, but it resolves to
/// nothing.
pub fn stray_identifier(path: &str) -> Option<String> {
    let first = actions(path).ok()?.swap_remove(0);
    first.nodes.into_iter().find_map(|node| match node {
        Node::Word(word) => {
            let means_something = matches!(word.as_str(), "range" | "end" | "true" | "false");
            (!means_something).then_some(word)
        }
        _ => None,
    })
}

/// Returns the nodes of each pair of braces around a path. There is more than one pair if the path itself has braces.
///
/// # Errors
///
/// If client-go cannot parse the path.
pub fn parse(path: &str) -> Result<Vec<Vec<Node>>, JsonPathError> {
    let actions = actions(path)?;
    Ok(actions.into_iter().map(|action| action.nodes).collect())
}

/// A node of a parsed path.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A field of an object, or an entry of a map.
    Field(String),
    /// One, some or all items of a list.
    Items(Slice),
    /// All items of a list, or all values of an object: `*` after a dot.
    Wildcard,
    /// All values below a value: `..`
    Descent,
    /// The results of several paths: `[0,2]`
    Union(Vec<Vec<Self>>),
    /// The items of a list that match: `[?(@.a == 1)]`
    Filter(Filter),
    /// An identifier without a dot, such as `true`.
    Word(String),
    /// A quoted string.
    Text(String),
    /// A number without a fraction.
    Integer(i64),
    /// Any other number.
    Float(f64),
}

/// A range of items, as in `[start:end:step]`. Negative numbers count from the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The first item.
    pub start: Option<i64>,
    /// The item after the last one.
    pub end: Option<i64>,
    /// The distance between items.
    pub step: Option<i64>,
    /// Whether the range is a single index, so that `end` follows from `start`.
    pub is_index: bool,
}

/// A condition for items.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The path on the left side of the operator.
    pub left: Vec<Node>,
    /// The operator and the path on its right side; `None` if the condition is that the left side exists.
    pub comparison: Option<(String, Vec<Node>)>,
}

/// The nodes between a pair of braces.
struct Action {
    nodes: Vec<Node>,
    /// Whether the text ends at the closing brace.
    is_last: bool,
}

/// Parses a text between braces, which the text may close itself. There is at least one action.
fn actions(text: &str) -> Result<Vec<Action>, JsonPathError> {
    let text = format!("{{{text}}}");
    let mut reader = Reader { text: &text, at: 0, nodes: Vec::new() };
    let mut actions = Vec::new();
    while let Some(open) = reader.rest().find('{') {
        reader.at += open + 1;
        reader.action()?;
        let nodes = core::mem::take(&mut reader.nodes);
        actions.push(Action { nodes, is_last: reader.rest().is_empty() });
    }
    Ok(actions)
}

/// Parses a separate action.
fn action(text: &str) -> Result<Vec<Node>, JsonPathError> {
    actions(text).map(|mut actions| actions.swap_remove(0).nodes)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next();
        self.at += next.map_or(0, char::len_utf8);
        next
    }

    /// Parses up to the closing brace of the action.
    fn action(&mut self) -> Result<(), JsonPathError> {
        loop {
            let start = self.at;
            let rest = self.rest();
            if rest.starts_with("[?(") {
                self.filter()?;
                continue;
            }
            if rest.starts_with("..") {
                self.descent()?;
                continue;
            }
            match self.next() {
                Some('}') => return Ok(()),
                None | Some('\r' | '\n') => return Err(JsonPathError::Unfinished),
                Some(' ' | '@' | '$') => {}
                Some('[') => self.bracket(start)?,
                Some(quote @ ('"' | '\'')) => self.quote(quote, start)?,
                Some('.') => self.field(),
                Some(first) if matches!(first, '+' | '-') || is_digit(first) => {
                    self.number(start)?;
                }
                Some(first) if first == '_' || is_letter(first) => {
                    self.take_while(|c| !is_end(c));
                    let word = &self.text[start..self.at];
                    self.nodes.push(Node::Word(word.to_owned()));
                }
                Some(other) => return Err(JsonPathError::Character(other)),
            }
        }
    }

    /// Parses a side of the condition of a filter, where operators are not characters of a name.
    fn condition(condition: &str) -> Result<Filter, JsonPathError> {
        let unsupported = |error| match unsupported_operator(condition) {
            Some(operator) => JsonPathError::Operator(operator),
            None => error,
        };
        let side = |text| action(text).map_err(unsupported);
        Ok(match sides(condition) {
            Some((left, operator, right)) => {
                Filter { left: side(left)?, comparison: Some((operator.to_owned(), side(right)?)) }
            }
            None => Filter { left: side(condition)?, comparison: None },
        })
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    }

    fn descent(&mut self) -> Result<(), JsonPathError> {
        if let Some(Node::Descent) = self.nodes.last() {
            return Err(JsonPathError::Descent);
        }
        self.at += "..".len();
        self.nodes.push(Node::Descent);
        let next = self.rest().chars().next();
        if next.is_some_and(|next| next == '_' || is_letter(next) || is_digit(next)) {
            self.field();
        }
        Ok(())
    }

    /// Parses the name of a field after its dot. A backslash escapes the next character.
    fn field(&mut self) {
        let start = self.at;
        loop {
            self.take_while(|c| c != '\\' && !is_end(c));
            if !self.rest().starts_with('\\') {
                break;
            }
            self.next();
            self.next();
        }
        let name = &self.text[start..self.at];
        self.nodes.push(match name {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        });
    }

    fn number(&mut self, start: usize) -> Result<(), JsonPathError> {
        self.take_while(|c| c == '.' || is_digit(c));
        let number = &self.text[start..self.at];
        self.nodes.push(match (number.parse::<i64>(), number.parse::<f64>()) {
            (Ok(integer), _) => Node::Integer(integer),
            (_, Ok(float)) if float.is_finite() => Node::Float(float),
            _ => return Err(JsonPathError::Number(number.to_owned())),
        });
        Ok(())
    }

    fn quote(&mut self, quote: char, start: usize) -> Result<(), JsonPathError> {
        loop {
            match self.next() {
                None | Some('\n') => return Err(JsonPathError::OpenQuote),
                Some(next) if next == quote && !self.is_escaped() => break,
                Some(_) => {}
            }
        }
        let quoted = &self.text[start..self.at];
        let text = unquote(quoted).ok_or_else(|| JsonPathError::Quote(quoted.to_owned()))?;
        self.nodes.push(Node::Text(text));
        Ok(())
    }

    /// Whether the last character, which is ASCII, follows a backslash.
    fn is_escaped(&self) -> bool {
        self.text.as_bytes()[self.at - 2] == b'\\'
    }

    /// Parses an index, a range, a quoted name, or several of them.
    fn bracket(&mut self, start: usize) -> Result<(), JsonPathError> {
        loop {
            match self.next() {
                None | Some('\n') => return Err(JsonPathError::OpenBracket),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let inside = &self.text[start + 1..self.at - 1];
        if inside.contains(',') {
            let parts = inside.split(',').map(|part| action(&format!("[{}]", part.trim_matches(' '))));
            self.nodes.push(Node::Union(parts.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let quoted = inside.strip_prefix('\'');
        let name = quoted.and_then(|quoted| quoted.strip_suffix('\''));
        if let Some(name) = name.filter(|name| !name.contains('\'')) {
            self.nodes.extend(action(&format!(".{name}"))?);
            return Ok(());
        }
        let slice = slice(inside).ok_or_else(|| JsonPathError::Index(inside.to_owned()))?;
        self.nodes.push(Node::Items(slice));
        Ok(())
    }

    /// Parses `[?(...)]`. One quoted string can contain a `)`.
    fn filter(&mut self) -> Result<(), JsonPathError> {
        self.at += "[?(".len();
        let start = self.at;
        let (mut quote, mut is_closed) = (None, true);
        loop {
            match self.next() {
                None | Some('\n') => return Err(JsonPathError::OpenFilter),
                Some(next @ ('"' | '\'')) => match quote {
                    None => (quote, is_closed) = (Some(next), false),
                    Some(quote) if quote == next && !self.is_escaped() => is_closed = true,
                    Some(_) => {}
                },
                Some(')') if is_closed => break,
                Some(_) => {}
            }
        }
        if self.next() != Some(']') {
            return Err(JsonPathError::FilterEnd);
        }
        let condition = &self.text[start..self.at - ")]".len()];
        self.nodes.push(Node::Filter(Self::condition(condition)?));
        Ok(())
    }
}

/// Returns an operator that other dialects have in a filter, if the condition has one.
fn unsupported_operator(condition: &str) -> Option<&'static str> {
    const OPERATORS: [&str; 4] = ["&&", "||", "=~", "!"];
    let found = OPERATORS.into_iter().filter_map(|operator| Some((condition.find(operator)?, operator)));
    let (_, operator) = found.min()?;
    Some(operator)
}

/// Splits a condition at its operator. If nothing follows the operator, its last character is the right side.
fn sides(condition: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |c| matches!(c, '!' | '<' | '>' | '=');
    let from = condition.find(is_operator).filter(|from| *from > 0)?;
    let (left, rest) = condition.split_at(from);
    let right = rest.trim_start_matches(is_operator);
    let length = if right.is_empty() { rest.len() - 1 } else { rest.len() - right.len() };
    (length > 0).then(|| (left, &rest[..length], &rest[length..]))
}

/// Parses up to three optional numbers, separated by colons, or `*`.
fn slice(text: &str) -> Option<Slice> {
    if text == "*" {
        return Some(Slice::default());
    }
    let number = |text: &str| match text {
        "" => Some(None),
        text => text.parse().ok().filter(|_| !text.starts_with('+')).map(Some),
    };
    let mut parts = text.split(':');
    let start = number(parts.next()?)?;
    let is_index = !text.contains(':');
    let end = if is_index { Some(start.unwrap_or(0_i64).wrapping_add(1)) } else { number(parts.next()?)? };
    let step = number(parts.next().unwrap_or(""))?;
    parts.next().is_none().then_some(Slice { start, end, step, is_index })
}

fn is_end(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { unicode::has(&["L"], c) }
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { unicode::has(&["Nd"], c) }
}

#[cfg(test)]
mod tests;
