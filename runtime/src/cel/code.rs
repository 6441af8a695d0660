//! What of a rule is code, and what texts and comments.

/// Whether a rule is about what the value was before.
pub(crate) fn uses_old_self(rule: &str) -> bool {
    let code = code(rule);
    let mut words = code.split(|letter: char| !is_of_word(letter));
    words.any(|word| word == "oldSelf")
}

/// The paths of the fields that a rule names, from `self` or `oldSelf` on, as far as they lead through names alone.
pub(crate) fn paths(rule: &str) -> Vec<Vec<String>> {
    let code = code(rule);
    let starts = code.match_indices("elf").filter_map(|(at, _)| {
        let after = &code[at + 3..];
        let before = ["oldS", "s"]
            .iter()
            .find_map(|start| code[..at].strip_suffix(start))?;
        let is_part = before.ends_with(is_of_word) || after.starts_with(is_of_word);
        (!is_part && !before.trim_end().ends_with('.')).then_some(after)
    });
    starts.map(path).collect()
}

/// The fields that are named from here on. The name of a function is none.
fn path(mut rest: &str) -> Vec<String> {
    let mut path = Vec::new();
    while let Some(member) = rest.trim_start().strip_prefix('.') {
        let member = member.trim_start();
        let member = member.strip_prefix('?').unwrap_or(member).trim_start();
        let end = member.find(|letter| !is_of_word(letter));
        let (name, after) = member.split_at(end.unwrap_or(member.len()));
        if name.is_empty() || after.trim_start().starts_with('(') {
            break;
        }
        path.push(name.to_owned());
        rest = after;
    }
    path
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A rule without its texts and comments.
fn code(rule: &str) -> String {
    let of = |(part, text)| match part {
        Part::Code => text,
        Part::Text | Part::Comment => " ",
    };
    parts(rule).map(of).collect()
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

    #[test]
    fn paths_lead_through_names() {
        for (rule, expected) in [
            ("self == oldSelf", vec!["", ""]),
            ("has(self.a) && self.a.b > 1", vec!["a", "a.b"]),
            (
                "self . a\n.b.size() > oldSelf.?a.orValue(1)",
                vec!["a.b", "a"],
            ),
            ("self.all(it, it.self.a) || itself.a", vec![""]),
            ("self.a[0].b == self['c'].d", vec!["a", ""]),
            ("'self.a' != \"\" // self.b", vec![]),
            (
                "myself.a && self_.a && selfish && self.__if__",
                vec!["__if__"],
            ),
        ] {
            let found: Vec<_> = paths(rule).iter().map(|it| it.join(".")).collect();
            assert_eq!(found, expected, "{rule}");
        }
    }
}
