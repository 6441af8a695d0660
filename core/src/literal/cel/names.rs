//! Names of fields in CEL.

use alloc::{borrow::Cow, format, string::String};

use crate::{Message, text::contains};

/// Whether CEL can name a field, possibly escaped.
///
/// From the server's `Escape` of names for CEL.
pub const fn is_nameable(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes[0].is_ascii_digit() {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'.' | b'-' | b'/')) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether the name of a field in CEL is the same as in the schema.
pub const fn is_unescaped(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_escaped = bytes[at] == b'_' && at > 0 && bytes[at - 1] == b'_';
        if is_escaped || !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            return false;
        }
        at += 1;
    }
    !is_keyword(name) && is_nameable(name)
}

/// Whether a name is an identifier of CEL, and no keyword.
pub const fn is_identifier(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes[0].is_ascii_digit() {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            return false;
        }
        at += 1;
    }
    !is_keyword(name)
}

/// Returns the name of a field in CEL; `None` if CEL cannot name it.
pub fn escaped(name: &str) -> Option<String> {
    if is_keyword(name) {
        return Some(format!("__{name}__"));
    }
    let escapes = [("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];
    let mut escaped = String::new();
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        let known = escapes.iter().find(|(text, _)| rest.starts_with(text));
        let (length, text) = match known {
            Some((text, escape)) => (text.len(), *escape),
            None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
        };
        escaped.push_str(text);
        rest = &rest[length..];
    }
    is_nameable(name).then_some(escaped)
}

/// Returns the name of a field whose name in CEL is given; `None` if an escape in it is not known.
pub(crate) fn unescaped(name: &str) -> Option<Cow<'_, str>> {
    let Some(mut escape) = Escape::first(name, name) else {
        return Some(Cow::Borrowed(name));
    };
    let mut plain = String::new();
    loop {
        plain.push_str(escape.before);
        plain.push_str(escape.meaning?);
        let rest = escape.rest;
        match Escape::first(rest, name) {
            Some(next) => escape = next,
            None => return Some(Cow::Owned(plain + rest)),
        }
    }
}

/// A name of a field whose name in CEL is given, for const evaluation.
#[derive(Clone, Copy, Debug)]
pub enum UnescapedName {
    /// It is the same.
    Same,
    /// It is another.
    Other(Message),
    /// An escape in it is not known: no field has this name in CEL.
    Invalid,
}

impl UnescapedName {
    /// Returns the name of a field whose name in CEL is given.
    pub const fn of(name: &str) -> Self {
        let Some(mut escape) = Escape::first(name, name) else {
            return Self::Same;
        };
        let mut plain = Message::new();
        loop {
            let Some(meaning) = escape.meaning else {
                return Self::Invalid;
            };
            plain = plain.then(escape.before).then(meaning);
            let rest = escape.rest;
            match Escape::first(rest, name) {
                Some(next) => escape = next,
                None => return Self::Other(plain.then(rest)),
            }
        }
    }
}

/// An escape in a name in CEL: two underscores, a word without underscores, and two underscores.
///
/// From the server's `Unescape` of names for CEL.
struct Escape<'n> {
    before: &'n str,
    /// The text that it stands for, if it is known.
    meaning: Option<&'n str>,
    rest: &'n str,
}

impl<'n> Escape<'n> {
    /// Returns the first escape in a text, which is the end of a name.
    const fn first(text: &'n str, name: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at + 4 < bytes.len() {
            if bytes[at] == b'_' && bytes[at + 1] == b'_' {
                let mut end = at + 2;
                while end < bytes.len() && bytes[end] != b'_' {
                    end += 1;
                }
                if end > at + 2 && end + 1 < bytes.len() && bytes[end + 1] == b'_' {
                    let word = text.split_at(end).0.split_at(at + 2).1;
                    let meaning = meaning(word, word.len() + 4 == name.len());
                    return Some(Self { before: text.split_at(at).0, meaning, rest: text.split_at(end + 2).1 });
                }
            }
            at += 1;
        }
        None
    }
}

/// Returns the text that the escape with this word stands for. A keyword is only escaped as a whole.
const fn meaning(word: &str, is_whole: bool) -> Option<&str> {
    Some(match word.as_bytes() {
        b"underscores" => "__",
        b"dot" => ".",
        b"dash" => "-",
        b"slash" => "/",
        _ if is_whole && is_keyword(word) => word,
        _ => return None,
    })
}

/// Whether the name is a keyword or reserved in CEL.
const fn is_keyword(name: &str) -> bool {
    contains(&["true", "false", "null", "in"], name) || contains(RESERVED, name)
}

/// The reserved identifiers of CEL.
pub(crate) const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, expected) in [
            ("size", Some("size")),
            ("namespace", Some("__namespace__")),
            ("a-b.c/d", Some("a__dash__b__dot__c__slash__d")),
            ("a__b", Some("a__underscores__b")),
            ("a___b", Some("a__underscores___b")),
            ("_", Some("_")),
            ("-", Some("__dash__")),
            ("a1", Some("a1")),
            ("1a", None),
            ("a b", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(escaped(name).as_deref(), expected, "{name}");
            assert_eq!(is_unescaped(name), expected == Some(name), "{name}");
            if let Some(escaped) = expected {
                check_unescaped(escaped, Some(name));
            }
        }
        for (escaped, name) in [
            ("namespace", Some("namespace")),
            ("a__b", Some("a__b")),
            ("a___b", Some("a___b")),
            ("a__", Some("a__")),
            ("a___dot___b", Some("a_._b")),
            ("a__dot__dash__b", Some("a.dash__b")),
            ("a__dot____dash__b", Some("a.-b")),
            ("a__other__", None),
            ("a__if__", None),
            ("__if__dot__", None),
            ("__é__", None),
        ] {
            check_unescaped(escaped, name);
        }
    }

    #[track_caller]
    fn check_unescaped(escaped: &str, name: Option<&str>) {
        assert_eq!(unescaped(escaped).as_deref(), name, "{escaped}");
        match UnescapedName::of(escaped) {
            UnescapedName::Same => assert_eq!(name, Some(escaped)),
            UnescapedName::Other(unescaped) => assert_eq!(name, Some(unescaped.as_str()), "{escaped}"),
            UnescapedName::Invalid => assert_eq!(name, None, "{escaped}"),
        }
    }
}
