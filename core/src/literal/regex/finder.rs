//! The positions of matches: the leftmost one, and of those the one that the expression prefers, as in Go and Perl.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use super::matcher::{Characters, Instruction, Matcher, Position, Target};

/// A part of the expression that waits for a character, and the start of its match.
struct Thread {
    characters: Characters,
    next: Target,
    start: usize,
}

impl Matcher {
    /// Returns the bytes of the first match, as Go's `FindString`.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_from(text, 0)
    }

    /// Returns the bytes of at most this number of matches that do not overlap, as Go's `FindAllString`.
    pub fn find_all(&self, text: &str, most: usize) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        let mut last_end = None;
        while found.len() < most
            && at <= text.len()
            && let Some(range) = self.find_from(text, at)
        {
            let end = range.end;
            let is_empty_after_match = end == at && last_end == Some(range.start);
            at = if end > at { end } else { after_character(text, at) };
            if !is_empty_after_match {
                found.push(range);
            }
            last_end = Some(end);
        }
        found
    }

    fn find_from(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let mut visited = vec![0; self.program.len()];
        let mut found = None;
        // In the order of their preference.
        let mut pending: Vec<(Target, usize)> = Vec::new();
        let mut waiting: Vec<Thread> = Vec::new();
        let mut between = Position { before: text[..from].chars().next_back(), after: None };
        let mut rest = text[from..].chars();
        let mut at = from;
        for round in 1_usize.. {
            between.after = rest.next();
            if found.is_none() {
                pending.push((self.start, at));
            }
            for (target, start) in pending.drain(..) {
                if self.follow(target, start, between, (&mut visited, round), &mut waiting) {
                    // The matches of the threads behind are less preferred.
                    found = Some(start..at);
                    break;
                }
            }
            let Some(character) = between.after else {
                break;
            };
            if waiting.is_empty() && found.is_some() {
                break;
            }
            let matching = waiting.drain(..).filter(|thread| self.has(thread.characters, character));
            pending.extend(matching.map(|thread| (thread.next, thread.start)));
            between.before = Some(character);
            at += character.len_utf8();
        }
        found
    }

    /// Follows the instructions that need no character. Returns whether they reach a match.
    fn follow(
        &self,
        target: Target,
        start: usize,
        between: Position,
        (visited, round): (&mut [usize], usize),
        waiting: &mut Vec<Thread>,
    ) -> bool {
        let mut targets = vec![target];
        while let Some(at) = targets.pop() {
            if core::mem::replace(&mut visited[at], round) == round {
                continue;
            }
            match self.program[at] {
                Instruction::Match => return true,
                Instruction::Fail => {}
                Instruction::Character(characters, next) => waiting.push(Thread { characters, next, start }),
                Instruction::Assertion(place, next) if between.is(place) => targets.push(next),
                Instruction::Assertion(..) => {}
                Instruction::Either(first, second) => targets.extend([second, first]),
            }
        }
        false
    }
}

/// Returns the offset after a character, or a value beyond the end.
fn after_character(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::parse;

    fn all<'t>(pattern: &str, text: &'t str) -> Vec<&'t str> {
        let matcher = parse(pattern).unwrap().matcher();
        matcher.find_all(text, usize::MAX).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn matches() {
        for (pattern, text, expected) in [
            ("[a-z]", "aXbXc", &["a", "b", "c"][..]),
            ("", "ab", &["", "", ""]),
            ("ö?", "äöü", &["", "ö", ""]),
            ("a*?", "aa", &["", "", ""]),
            ("a+", "baac", &["aa"]),
            ("a+?", "baac", &["a", "a"]),
            ("(a|ab)(c|bcd)", "abcd", &["abcd"]),
            ("a|ab", "ab", &["a"]),
            ("ab|a", "ab", &["ab"]),
            ("(?:ab){2,3}?", "abababab", &["abab", "abab"]),
            (r"\bb", "b ab b", &["b", "b"]),
            ("^a", "aaa", &["a"]),
            ("x*", "axb", &["", "x", ""]),
            ("[^,]*", "a,,b", &["a", "", "b"]),
        ] {
            assert_eq!(all(pattern, text), expected, "{pattern}");
        }
        let matcher = parse("b+").unwrap().matcher();
        assert_eq!(matcher.find("abbc"), Some(1..3));
        assert_eq!(matcher.find("a"), None);
        assert_eq!(matcher.find_all("bab", 1).len(), 1);
    }
}
