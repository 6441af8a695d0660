//! Paths of printer columns, as client-go's `util/jsonpath` parses them between braces.
//!
//! The server accepts a path that client-go cannot parse, and then shows neither this column nor any later one.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

mod error;
mod quoted;

pub use error::JsonPathError;
use quoted::is_quoted;

use super::unicode;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
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
pub fn steps(path: &str) -> Result<Vec<Step>, JsonPathError> {
    let (nodes, is_all) = actions(path)?;
    if !is_all {
        return Ok([Step::Unknown].into());
    }
    let mut steps = Vec::new();
    for node in nodes {
        let (step, is_last) = match node {
            Node::Field(name) => (Step::Field(name), false),
            Node::Array => (Step::Items, false),
            Node::Descent | Node::Word(_) | Node::Other => (Step::Unknown, true),
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
    let (nodes, _) = actions(path).ok()?;
    nodes.into_iter().find_map(|node| match node {
        Node::Word(word) => {
            let means_something = matches!(word.as_str(), "range" | "end" | "true" | "false");
            (!means_something).then_some(word)
        }
        _ => None,
    })
}

/// A node of a parsed path.
enum Node {
    Field(String),
    Array,
    /// `..`
    Descent,
    /// An identifier without a dot.
    Word(String),
    Other,
}

/// Parses a text between braces. Returns the nodes of the first pair, which the text may close itself, and whether nothing
/// follows.
fn actions(text: &str) -> Result<(Vec<Node>, bool), JsonPathError> {
    let text = format!("{{{text}}}");
    let mut reader = Reader { text: &text, at: 1, nodes: Vec::new() };
    reader.action()?;
    let first = core::mem::take(&mut reader.nodes);
    let is_all = reader.rest().is_empty();
    while let Some(open) = reader.rest().find('{') {
        reader.at += open + 1;
        reader.nodes.clear();
        reader.action()?;
    }
    Ok((first, is_all))
}

/// Parses a separate action.
fn action(text: &str) -> Result<Vec<Node>, JsonPathError> {
    actions(text).map(|(nodes, _)| nodes)
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
            "*" => Node::Other,
            name => Node::Field(name.replace('\\', "")),
        });
    }

    fn number(&mut self, start: usize) -> Result<(), JsonPathError> {
        self.take_while(|c| c == '.' || is_digit(c));
        let number = &self.text[start..self.at];
        self.nodes.push(Node::Other);
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(()),
            _ => Err(JsonPathError::Number(number.to_owned())),
        }
    }

    fn quote(&mut self, quote: char, start: usize) -> Result<(), JsonPathError> {
        loop {
            match self.next() {
                None | Some('\n') => return Err(JsonPathError::OpenQuote),
                Some(next) if next == quote && !self.is_escaped() => break,
                Some(_) => {}
            }
        }
        self.nodes.push(Node::Other);
        let quoted = &self.text[start..self.at];
        match is_quoted(quoted) {
            true => Ok(()),
            false => Err(JsonPathError::Quote(quoted.to_owned())),
        }
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
            for part in inside.split(',') {
                action(&format!("[{}]", part.trim_matches(' ')))?;
            }
            self.nodes.push(Node::Other);
            return Ok(());
        }
        let quoted = inside.strip_prefix('\'');
        let name = quoted.and_then(|quoted| quoted.strip_suffix('\''));
        if let Some(name) = name.filter(|name| !name.contains('\'')) {
            self.nodes.extend(action(&format!(".{name}"))?);
            return Ok(());
        }
        if inside != "*" && !is_range(inside) {
            return Err(JsonPathError::Index(inside.to_owned()));
        }
        self.nodes.push(Node::Array);
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
        match sides(condition) {
            Some((left, right)) => {
                action(left)?;
                action(right)?;
            }
            None => drop(action(condition)?),
        }
        self.nodes.push(Node::Array);
        Ok(())
    }
}

/// Splits a condition at its operator. If nothing follows the operator, its last character is the right side.
fn sides(condition: &str) -> Option<(&str, &str)> {
    let is_operator = |c| matches!(c, '!' | '<' | '>' | '=');
    let from = condition.find(is_operator).filter(|from| *from > 0)?;
    let (left, rest) = condition.split_at(from);
    let right = rest.trim_start_matches(is_operator);
    if !right.is_empty() {
        return Some((left, right));
    }
    (rest.len() > 1).then(|| (left, &rest[rest.len() - 1..]))
}

/// Whether the text is up to three optional numbers, separated by colons.
fn is_range(text: &str) -> bool {
    let is_number = |text: &str| text.is_empty() || text.parse::<i64>().is_ok();
    text.split(':').count() <= 3 && !text.contains('+') && text.split(':').all(is_number)
}

fn is_end(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_letter(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphabetic(),
        false => unicode::has(&["L"], c),
    }
}

fn is_digit(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_digit(),
        false => unicode::has(&["Nd"], c),
    }
}

#[cfg(test)]
mod tests;
