//! Paths of `fieldPath` in rules and of `selectableFields`: names of fields, and keys in brackets and single quotes.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

/// Why the server cannot parse a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPathError<'a> {
    /// A token in place of a dot or a bracket.
    NoDot(&'a str),
    /// The path ends within a step.
    End,
    /// A token in brackets that is not in single quotes.
    Unquoted(&'a str),
    /// An invalid escaped character.
    Escape(char),
    /// A token in place of a closing bracket.
    Unclosed(&'a str),
    /// A bracket in a path that can have field names only.
    Bracket,
}

/// Returns the unescaped names and keys of a path.
///
/// This is `ValidFieldPath` of the API server. `brackets` allows keys in brackets, as in `fieldPath`.
///
/// # Errors
///
/// If the server cannot parse the path.
pub fn steps(path: &str, brackets: bool) -> Result<Vec<Cow<'_, str>>, FieldPathError<'_>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while let Some(token) = next(&mut rest) {
        steps.push(match token {
            "." => next(&mut rest).ok_or(FieldPathError::End)?.into(),
            "[" if !brackets => return Err(FieldPathError::Bracket),
            "[" => key(&mut rest)?,
            other => return Err(FieldPathError::NoDot(other)),
        });
    }
    Ok(steps)
}

fn key<'a>(rest: &mut &'a str) -> Result<Cow<'a, str>, FieldPathError<'a>> {
    let token = next(rest).ok_or(FieldPathError::End)?;
    let inside =
        token.strip_prefix('\'').and_then(|quoted| quoted.strip_suffix('\'')).ok_or(FieldPathError::Unquoted(token))?;
    let key = unescaped(inside)?;
    match next(rest) {
        None => Err(FieldPathError::End),
        Some("]") => Ok(key),
        Some(other) => Err(FieldPathError::Unclosed(other)),
    }
}

/// Returns the next token: a delimiter, a quoted string, or the text up to the next delimiter.
fn next<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let bytes = rest.as_bytes();
    let end = match bytes.first()? {
        b'.' | b'[' | b']' => 1,
        b'\'' => {
            (1..bytes.len()).find(|at| bytes[*at] == b'\'' && bytes[at - 1] != b'\\').map_or(bytes.len(), |at| at + 1)
        }
        _ => rest.find(['.', '[', ']']).unwrap_or(bytes.len()),
    };
    let (token, after) = rest.split_at(end);
    *rest = after;
    Some(token)
}

fn unescaped(text: &str) -> Result<Cow<'_, str>, FieldPathError<'_>> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut unescaped = String::new();
    let mut error = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        unescaped.push(match (c, characters.as_str().chars().next()) {
            ('\\', Some(escaped)) if escaped != '\n' => {
                characters.next();
                match meant(escaped) {
                    Some(meant) => meant,
                    None => {
                        // The server reports the last one.
                        error = Some(FieldPathError::Escape(escaped));
                        continue;
                    }
                }
            }
            _ => c,
        });
    }
    match error {
        Some(error) => Err(error),
        None => Ok(Cow::Owned(unescaped)),
    }
}

const fn meant(escaped: char) -> Option<char> {
    Some(match escaped {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\'' | '\\' => escaped,
        _ => return None,
    })
}

/// The server's message.
impl fmt::Display for FieldPathError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDot(token) => write!(f, "expected [ or . but got: {token}"),
            Self::End => f.write_str("unexpected end of JSON path"),
            Self::Unquoted(token) => write!(f, "expected single quoted string but got {token}"),
            Self::Escape(escaped) => {
                write!(f, "invalid string literal: invalid escape char \\{escaped}")
            }
            Self::Unclosed(token) => write!(f, "expected ] but got {token}"),
            Self::Bracket => f.write_str("array notation is not allowed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys() {
        for (path, expected) in [
            ("", &[] as &[&str]),
            (".a.b-c", &["a", "b-c"]),
            (".m['a.b'].c", &["m", "a.b", "c"]),
            (r"['it\'s']['\\n']", &["it's", r"\n"]),
            (".a b", &["a b"]),
            // A quote in a name is part of it.
            (".'a.b'", &["'a.b'"]),
            ("..", &["."]),
        ] {
            assert_eq!(steps(path, true).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn mistakes() {
        for (path, expected) in [
            ("s", FieldPathError::NoDot("s")),
            ("self.s", FieldPathError::NoDot("self")),
            (".s.", FieldPathError::End),
            (".s[", FieldPathError::End),
            (".s['a'", FieldPathError::End),
            (".s[0]", FieldPathError::Unquoted("0")),
            (".s[\"a\"]", FieldPathError::Unquoted("\"a\"")),
            (".s[']", FieldPathError::Unquoted("']")),
            (".s['a'b]", FieldPathError::Unclosed("b")),
            (r".s['\d']", FieldPathError::Escape('d')),
            (r".s['\d\e']", FieldPathError::Escape('e')),
            (".s['a']x", FieldPathError::NoDot("x")),
        ] {
            assert_eq!(steps(path, true), Err(expected), "{path}");
        }
        assert_eq!(steps(".s['a']", false), Err(FieldPathError::Bracket));
    }
}
