//! What of a rule is code, and what texts and comments.

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
        ] {
            assert_eq!(uses_old_self(rule), uses, "{rule}");
        }
        assert_eq!(without_comments("self > 0 // more"), "self > 0");
        let address = "self.url.startsWith('https://')";
        assert_eq!(without_comments(address), address);
        assert_eq!(without_comments("a // b\n&& c"), "a \n&& c");
    }
}
