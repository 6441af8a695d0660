//! Names of fields in CEL.

use alloc::{borrow::Cow, format, string::String};

use crate::text::contains;

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
    if !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    let mut plain = String::new();
    let mut rest = name;
    while let Some(start) = rest.find("__") {
        let after = &rest[start + 2..];
        let length = after.find('_').unwrap_or(0);
        if length == 0 || !after[length..].starts_with("__") {
            // A run of underscores starts an escape only at its last two.
            let end = start + 1;
            plain.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let word = &after[..length];
        plain.push_str(&rest[..start]);
        plain.push_str(match word {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            word if is_keyword(word) && length + 4 == name.len() => word,
            _ => return None,
        });
        rest = &after[length + 2..];
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
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
                assert_eq!(unescaped(escaped).as_deref(), Some(name), "{escaped}");
            }
        }
        assert_eq!(unescaped("a__other__"), None);
        assert_eq!(unescaped("a__if__"), None);
    }
}
