//! Patterns: those that are common, matched and made without a library.

use super::random::Random;

mod parse;

/// A regular expression of Go's `regexp`, as far as it is understood.
pub(super) struct Pattern(Node);

enum Node {
    Set(Set),
    Start,
    End,
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

/// Some characters, or all but some.
struct Set {
    ranges: Vec<(char, char)>,
    negated: bool,
}

impl Set {
    fn contains(&self, character: char) -> bool {
        let within = |(low, high): &(char, char)| (*low..=*high).contains(&character);
        self.ranges.iter().any(within) != self.negated
    }

    fn sample(&self, random: &mut Random) -> char {
        if self.negated || self.ranges.is_empty() {
            let allowed: Vec<_> = (' '..='~').filter(|it| self.contains(*it)).collect();
            return match allowed.is_empty() {
                true => '\u{2603}',
                false => *random.pick(&allowed),
            };
        }
        let (low, high) = *random.pick(&self.ranges);
        let drawn = random.between(i64::from(u32::from(low)), i64::from(u32::from(high)));
        let drawn = u32::try_from(drawn).ok().and_then(char::from_u32);
        drawn.unwrap_or(low)
    }
}

impl Pattern {
    /// The pattern of this text; none if it has what is not understood, such as flags.
    pub(super) fn parse(text: &str) -> Option<Self> {
        parse::parse(text).map(Self)
    }

    /// Whether a part of the text matches, as the server asks.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let text: Vec<_> = text.chars().collect();
        let anywhere = vec![true; text.len() + 1];
        ends(&self.0, &text, anywhere).contains(&true)
    }

    /// A text that matches, if the anchors stand where they can hold.
    pub(super) fn sample(&self, random: &mut Random) -> String {
        let mut text = String::new();
        write(&self.0, random, &mut text);
        text
    }
}

/// Where a match can end, of those that start at one of `starts`.
fn ends(node: &Node, text: &[char], starts: Vec<bool>) -> Vec<bool> {
    match node {
        Node::Set(set) => {
            let steps = |at: &usize| starts[*at] && set.contains(text[*at]);
            let mut all = vec![false; starts.len()];
            (0..text.len())
                .filter(steps)
                .for_each(|at| all[at + 1] = true);
            all
        }
        Node::Start => (starts.iter().enumerate())
            .map(|(at, start)| *start && at == 0)
            .collect(),
        Node::End => (starts.iter().enumerate())
            .map(|(at, start)| *start && at == text.len())
            .collect(),
        Node::Sequence(nodes) => nodes
            .iter()
            .fold(starts, |starts, node| ends(node, text, starts)),
        Node::Either(nodes) => {
            let mut all = vec![false; starts.len()];
            for node in nodes {
                join(&mut all, &ends(node, text, starts.clone()));
            }
            all
        }
        Node::Repeat(node, min, max) => repeat_ends(node, (*min, *max), text, starts),
    }
}

fn repeat_ends(
    node: &Node,
    (min, max): (usize, Option<usize>),
    text: &[char],
    starts: Vec<bool>,
) -> Vec<bool> {
    let mut last = (0..min).fold(starts, |starts, _| ends(node, text, starts));
    let mut all = last.clone();
    // After as many rounds as there are places, no new one comes.
    let rounds = max.map_or(text.len() + 1, |max| max.saturating_sub(min));
    for _ in 0..rounds.min(text.len() + 1) {
        last = ends(node, text, last);
        if !join(&mut all, &last) {
            break;
        }
    }
    all
}

/// Adds places; whether there were new ones.
fn join(all: &mut [bool], more: &[bool]) -> bool {
    let mut grown = false;
    for (place, more) in all.iter_mut().zip(more) {
        grown |= *more && !*place;
        *place |= *more;
    }
    grown
}

fn write(node: &Node, random: &mut Random, text: &mut String) {
    match node {
        Node::Set(set) => text.push(set.sample(random)),
        Node::Start | Node::End => {}
        Node::Sequence(nodes) => nodes.iter().for_each(|node| write(node, random, text)),
        Node::Either(nodes) => write(random.pick(nodes), random, text),
        Node::Repeat(node, min, max) => {
            let most = max.map_or(min + 3, |max| max.min(min + 3));
            let count = min + random.below(most - min + 1);
            (0..count).for_each(|_| write(node, random, text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_or_do_not() {
        for (pattern, matching, other) in [
            ("b", &["b", "abc"][..], &["", "ac"][..]),
            ("^a+$", &["a", "aaa"], &["", "ab", "ba"]),
            (r"^\d{4}-\d{2}$", &["2030-01"], &["203-01", "2030-011"]),
            ("^(Low|High)$", &["Low", "High"], &["low", "LowHigh"]),
            ("^a|b$", &["ax", "xb"], &["xa", "bx"]),
            (r"^[^a-c\]]?$", &["", "d"], &["a", "]", "dd"]),
            (r"^[-\w.]{2,}$", &["a-", "_.9"], &["a", "a b"]),
            ("^(a?){3}b*?$", &["", "aaab"], &["aaaa"]),
            ("^(?:a|(?P<x>b)){1,2}$", &["a", "ab"], &["", "aba"]),
            (r"^\.\*$", &[".*"], &["a"]),
            ("^.$", &["ß"], &["\n", ""]),
        ] {
            let parsed = Pattern::parse(pattern).expect(pattern);
            for text in matching {
                assert!(parsed.is_match(text), "{pattern} {text}");
            }
            for text in other {
                assert!(!parsed.is_match(text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn samples_match() {
        let mut random = Random::new(3);
        for pattern in [
            r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
            "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            r"^\S+@[^x]{2,3}$",
            "[a-f]x",
        ] {
            let parsed = Pattern::parse(pattern).expect(pattern);
            for _ in 0..100 {
                let sample = parsed.sample(&mut random);
                assert!(parsed.is_match(&sample), "{pattern} {sample}");
            }
        }
    }

    #[test]
    fn what_is_not_understood_has_no_pattern() {
        for pattern in [
            "(?i)a",
            r"\bword\b",
            r"\p{Greek}",
            "[[:alpha:]]",
            "a{",
            "(a",
            "a)",
            "*",
            "[a",
        ] {
            assert!(Pattern::parse(pattern).is_none(), "{pattern}");
        }
    }
}
