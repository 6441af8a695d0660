//! Patterns: matching texts are generated from their syntax trees.

use crdkit_core::literal::regex::{self, Ast, Matcher};

use crate::crd::generate::random::Random;

/// The number of texts that are generated from a pattern to check whether they match.
const ATTEMPTS: usize = 100;

/// A regular expression of Go's `regexp`.
pub struct Pattern {
    tree: Ast,
    matcher: Matcher,
}

impl Pattern {
    /// Parses a pattern; `None` if it is not supported, or if generated texts do not match, as with contradictory
    /// anchors.
    pub fn parse(text: &str) -> Option<Self> {
        let tree = regex::parse(text).ok()?;
        let matcher = tree.matcher();
        let pattern = Self { tree, matcher };
        let mut random = Random::new(1);
        let mut samples = (0..ATTEMPTS).map(|_| pattern.sample(&mut random));
        let can_match = samples.any(|sample| pattern.is_match(&sample));
        drop(samples);
        can_match.then_some(pattern)
    }

    /// Returns whether a part of the text matches, as on the server.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// Returns a matching text, provided that the anchors are in valid positions.
    pub fn sample(&self, random: &mut Random) -> String {
        let mut text = String::new();
        write(&self.tree, random, &mut text);
        text
    }
}

fn write(node: &Ast, random: &mut Random, text: &mut String) {
    match node {
        Ast::NoMatch | Ast::Empty | Ast::Assertion(_) => {}
        Ast::Text { codes, any_case } => {
            for character in codes.iter().copied().filter_map(char::from_u32) {
                text.push(if *any_case && random.one_in(2) { other_case(character) } else { character });
            }
        }
        Ast::Class(ranges) => text.extend(character(ranges, random)),
        Ast::NotNewline | Ast::Any => text.extend(character(&[(0x20, 0x7E)], random)),
        Ast::Group(inner) => write(inner, random, text),
        Ast::Concat(nodes) => nodes.iter().for_each(|node| write(node, random, text)),
        Ast::Alternate(nodes) => write(random.pick(nodes), random, text),
        Ast::Repeat(node, min, max, _) => {
            let least = *min as usize;
            let most = max.map_or(least + 3, |max| (max as usize).min(least + 3));
            let count = least + random.below(most - least + 1);
            (0..count).for_each(|_| write(node, random, text));
        }
    }
}

fn other_case(character: char) -> char {
    if character.is_ascii_lowercase() { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() }
}

/// Returns one of the characters; from large Unicode ranges, preferably a printable ASCII character.
fn character(ranges: &[(u32, u32)], random: &mut Random) -> Option<char> {
    let count: u32 = ranges.iter().map(|(low, high)| high - low).sum();
    if count > 0x8_0000 {
        let contains = |code: u32| ranges.iter().any(|(low, high)| (*low..=*high).contains(&code));
        let typed: Vec<_> = (' '..='~').filter(|it| contains(u32::from(*it))).collect();
        if !typed.is_empty() {
            return Some(*random.pick(&typed));
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let (low, high) = *random.pick(ranges);
    let drawn = random.between(i64::from(low), i64::from(high));
    let drawn = u32::try_from(drawn).ok().and_then(char::from_u32);
    drawn.or_else(|| char::from_u32(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_match() {
        let mut random = Random::new(3);
        for pattern in [
            r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
            "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            r"^\S+@[^x]{2,3}$",
            "[a-f]x",
            "(?i)^straße$",
            r"^\p{Greek}+\bword\b [[:upper:]]$",
            r"(?s)^.\n[^a-z]\Q[\E\z",
        ] {
            let parsed = Pattern::parse(pattern).expect(pattern);
            let samples: Vec<_> = (0..100).map(|_| parsed.sample(&mut random)).collect();
            let matching = samples.iter().filter(|sample| parsed.is_match(sample));
            let count = matching.count();
            assert!(count > 0, "{pattern} {samples:?}");
            assert!(pattern.contains(r"\b") || count == 100, "{pattern} {samples:?}");
        }
    }

    #[test]
    fn what_cannot_be_made_has_no_pattern() {
        for pattern in ["(a", "(?=a)", "a^b", r"^(\D\b){20}$"] {
            assert!(Pattern::parse(pattern).is_none(), "{pattern}");
        }
    }
}
