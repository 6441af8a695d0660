//! The names of fields in rules.

/// Whether rules can name a field at all.
///
/// From the server's `Escape` of names for CEL.
pub(crate) const fn is_known(name: &str) -> bool {
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

/// Whether a rule is about what the value was before.
pub(crate) fn uses_old_self(rule: &str) -> bool {
    let is_code = |(part, text): (Part, &str)| match part {
        Part::Code => text.to_owned(),
        Part::Text | Part::Comment => " ".to_owned(),
    };
    let code: String = parts(rule).map(is_code).collect();
    let mut words = code.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.any(|word| word == "oldSelf")
}

/// A rule without its comments.
pub(crate) fn without_comments(rule: &str) -> String {
    let kept = parts(rule).filter(|(part, _)| *part != Part::Comment);
    let rule: String = kept.map(|(_, text)| text).collect();
    rule.trim_end().to_owned()
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Code,
    /// A text with its quotes.
    Text,
    /// A comment up to the end of its line.
    Comment,
}

/// What a rule consists of.
fn parts(mut rule: &str) -> impl Iterator<Item = (Part, &str)> {
    let mut is_raw = false;
    std::iter::from_fn(move || {
        let first = rule.chars().next()?;
        let (part, length) = match first {
            '"' | '\'' => (Part::Text, text(rule, first, is_raw)),
            '/' if rule.starts_with("//") => (Part::Comment, rule.find('\n').unwrap_or(rule.len())),
            '/' => (Part::Code, 1),
            _ => (
                Part::Code,
                rule.find(['"', '\'', '/']).unwrap_or(rule.len()),
            ),
        };
        let (found, rest) = rule.split_at(length);
        // In a raw text, a backslash is a letter like others.
        let word = found
            .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
            .next();
        is_raw = word.is_some_and(|word| matches!(word, "r" | "R" | "rb" | "br" | "bR" | "Rb"));
        rule = rest;
        Some((part, found))
    })
}

/// The length of a text that starts with this quote.
fn text(rule: &str, quote: char, is_raw: bool) -> usize {
    let mut letters = rule.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if !is_raw => {
                letters.next();
            }
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    rule.len()
}

/// The name of a field as rules have it; none if they cannot name it.
pub(crate) fn escaped(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let escapes = [
        ("__", "__underscores__"),
        (".", "__dot__"),
        ("-", "__dash__"),
        ("/", "__slash__"),
    ];
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
    is_known(name).then_some(escaped)
}

/// The words of CEL.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
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
        }
    }

    #[test]
    fn what_rules_say_in_texts_and_comments_is_no_code() {
        for (rule, uses) in [
            ("self == oldSelf", true),
            ("self != 'oldSelf'", false),
            (r#"self != "a\"oldSelf""#, false),
            ("self > 0 // oldSelf", false),
            ("self > 0 // more\n && oldSelf > 0", true),
            ("self / oldSelf > 0", true),
            (r"self.startsWith(r'C:\') || self == oldSelf", true),
            ("self.matches(r'oldSelf')", false),
        ] {
            assert_eq!(uses_old_self(rule), uses, "{rule}");
        }
        assert_eq!(without_comments("self > 0 // more"), "self > 0");
        let address = "self.url.startsWith('https://')";
        assert_eq!(without_comments(address), address);
        assert_eq!(without_comments("a // b\n&& c"), "a \n&& c");
    }
}
