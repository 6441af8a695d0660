//! Splits a CEL rule into code, strings and comments.

use alloc::{borrow::ToOwned, string::String};

/// Whether a rule uses `oldSelf`.
pub fn uses_old_self(rule: &str) -> bool {
    super::uses_variable(rule, "oldSelf").unwrap_or_else(|| has_identifier(rule, "oldSelf"))
}

fn has_identifier(rule: &str, expected: &str) -> bool {
    let code = code(rule);
    let mut words = code.split(|letter: char| !is_identifier_part(letter));
    words.any(|word| word == expected)
}

fn is_identifier_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns a rule without strings and comments.
fn code(rule: &str) -> String {
    let of = |(part, text)| match part {
        SegmentKind::Code => text,
        SegmentKind::Text | SegmentKind::Comment => " ",
    };
    parts(rule).map(of).collect()
}

/// Returns a rule without comments.
pub fn without_comments(rule: &str) -> String {
    let kept = parts(rule).filter(|(part, _)| *part != SegmentKind::Comment);
    let rule: String = kept.map(|(_, text)| text).collect();
    rule.trim_end().to_owned()
}

#[derive(Clone, Copy, PartialEq)]
enum SegmentKind {
    Code,
    /// A string with its quotes.
    Text,
    /// A comment up to the end of the line.
    Comment,
}

/// Returns the parts of a rule.
fn parts(mut rule: &str) -> impl Iterator<Item = (SegmentKind, &str)> {
    let mut is_raw = false;
    core::iter::from_fn(move || {
        let first = rule.chars().next()?;
        let (part, length) = match first {
            '"' | '\'' => (SegmentKind::Text, text(rule, first, is_raw)),
            '/' if rule.starts_with("//") => (SegmentKind::Comment, rule.find('\n').unwrap_or(rule.len())),
            '/' => (SegmentKind::Code, 1),
            _ => (SegmentKind::Code, rule.find(['"', '\'', '/']).unwrap_or(rule.len())),
        };
        let (found, rest) = rule.split_at(length);
        // In a raw string, a backslash does not escape.
        let word = found.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
        is_raw = word.is_some_and(|word| matches!(word, "r" | "R" | "rb" | "br" | "bR" | "Rb"));
        rule = rest;
        Some((part, found))
    })
}

/// Returns the length of a string that starts with this quote, once or three times.
fn text(rule: &str, quote: char, is_raw: bool) -> usize {
    let thrice = if quote == '"' { "\"\"\"" } else { "'''" };
    let quotes = if rule.starts_with(thrice) { 3 } else { 1 };
    let end = &thrice[..quotes];
    let mut letters = rule.char_indices().skip(quotes);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if !is_raw => {
                letters.next();
            }
            _ if rule[at..].starts_with(end) => return at + quotes,
            _ => {}
        }
    }
    rule.len()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("self != '''a'oldSelf'b'''", false),
            ("self != '''a''' && oldSelf != ''", true),
            ("self > oldSelfish", false),
            ("self.oldSelf > 0", false),
            ("self.all(it, it.a != oldSelf.a)", true),
            ("oldSelf > ", true),
            ("self > 0 // a\r oldSelf", false),
        ] {
            assert_eq!(uses_old_self(rule), uses, "{rule}");
        }
        assert_eq!(without_comments("self > 0 // more"), "self > 0");
        let address = "self.url.startsWith('https://')";
        assert_eq!(without_comments(address), address);
        assert_eq!(without_comments("a // b\n&& c"), "a \n&& c");
    }
}
