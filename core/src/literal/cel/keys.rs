//! The rule on the keys of a map, as structural schemas have no `propertyNames`.

use alloc::string::String;

const START: &str = "self.all(key, key.matches('";
const END: &str = "'))";

/// The rule that each key of a map matches a regular expression.
pub fn key_pattern_rule(pattern: &str) -> String {
    let mut rule = String::from(START);
    for c in pattern.chars() {
        match escape_of(c) {
            Some(escape) => rule.extend(['\\', escape]),
            None => rule.push(c),
        }
    }
    rule + END
}

/// The regular expression of a rule that [`key_pattern_rule`] returned.
pub fn key_pattern(rule: &str) -> Option<String> {
    let mut literal = rule.strip_prefix(START)?.strip_suffix(END)?.chars();
    let mut pattern = String::new();
    while let Some(c) = literal.next() {
        pattern.push(match c {
            '\\' => escaped_char(literal.next()?)?,
            '\'' => return None,
            c => c,
        });
    }
    Some(pattern)
}

const ESCAPES: &[(char, char)] = &[('\\', '\\'), ('\'', '\''), ('\n', 'n'), ('\r', 'r'), ('\t', 't')];

fn escape_of(c: char) -> Option<char> {
    ESCAPES.iter().find(|(escaped, _)| *escaped == c).map(|(_, escape)| *escape)
}

fn escaped_char(escape: char) -> Option<char> {
    ESCAPES.iter().find(|(_, it)| *it == escape).map(|(escaped, _)| *escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_escaped() {
        assert_eq!(key_pattern_rule(r"^\d'$"), r"self.all(key, key.matches('^\\d\'$'))");
        for pattern in ["", "^[a-z]+$", r"\.'\\'", "a\nb\tc", "'))"] {
            assert_eq!(key_pattern(&key_pattern_rule(pattern)).as_deref(), Some(pattern));
        }
    }

    #[test]
    fn other_rules_have_no_key_pattern() {
        for rule in [
            "self.all(key, key.matches('a') || key.matches('b'))",
            "self.all(key, key.matches('a')) && self.all(key, key.matches('b'))",
            "self.size() > 0",
            r"self.all(key, key.matches('\x41'))",
        ] {
            assert_eq!(key_pattern(rule), None);
        }
    }
}
