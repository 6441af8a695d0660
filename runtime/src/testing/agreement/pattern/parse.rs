//! Reads patterns.

use std::{iter::Peekable, str::Chars};

use super::{Node, Set};

pub(super) fn parse(text: &str) -> Option<Node> {
    let mut parser = Parser(text.chars().peekable());
    let node = parser.either()?;
    parser.0.next().is_none().then_some(node)
}

struct Parser<'a>(Peekable<Chars<'a>>);

impl Parser<'_> {
    fn take(&mut self, wanted: char) -> bool {
        self.0.next_if_eq(&wanted).is_some()
    }

    fn either(&mut self) -> Option<Node> {
        let mut all = vec![self.sequence()?];
        while self.take('|') {
            all.push(self.sequence()?);
        }
        match all.len() {
            1 => all.pop(),
            _ => Some(Node::Either(all)),
        }
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut all = Vec::new();
        while self.0.peek().is_some_and(|next| !"|)".contains(*next)) {
            let atom = self.atom()?;
            all.push(self.repeated(atom)?);
        }
        Some(Node::Sequence(all))
    }

    fn repeated(&mut self, atom: Node) -> Option<Node> {
        let (min, max) = match self.0.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.0.next();
                let counts = self.counts()?;
                return Some(self.repeat(atom, counts));
            }
            _ => return Some(atom),
        };
        self.0.next();
        Some(self.repeat(atom, (min, max)))
    }

    fn repeat(&mut self, atom: Node, (min, max): (usize, Option<usize>)) -> Node {
        // A lazy one matches the same texts.
        self.take('?');
        Node::Repeat(Box::new(atom), min, max)
    }

    /// What stands between braces.
    fn counts(&mut self) -> Option<(usize, Option<usize>)> {
        let min = self.number()?;
        let max = match self.take(',') {
            false => Some(min),
            true if self.0.peek() == Some(&'}') => None,
            true => Some(self.number()?),
        };
        let valid =
            self.take('}') && max.is_none_or(|max| (min..=1000).contains(&max)) && min <= 1000;
        valid.then_some((min, max))
    }

    fn number(&mut self) -> Option<usize> {
        let mut digits = String::new();
        while let Some(digit) = self.0.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    fn atom(&mut self) -> Option<Node> {
        match self.0.next()? {
            '^' => Some(Node::Start),
            '$' => Some(Node::End),
            '.' => Some(set(&[('\n', '\n')], true)),
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape().map(Node::Set),
            '*' | '+' | '?' | '{' => None,
            literal => Some(set(&[(literal, literal)], false)),
        }
    }

    fn group(&mut self) -> Option<Node> {
        if self.take('?') {
            self.take('P');
            match self.0.next()? {
                ':' => {}
                '<' => self.0.by_ref().find(|next| *next == '>').map(drop)?,
                _ => return None,
            }
        }
        let inner = self.either()?;
        self.take(')').then_some(inner)
    }

    fn class(&mut self) -> Option<Node> {
        let mut ranges = Vec::new();
        let negated = self.take('^');
        loop {
            let low = match self.0.next()? {
                ']' if !ranges.is_empty() => return Some(set(&ranges, negated)),
                '[' if self.0.peek() == Some(&':') => return None,
                '\\' => {
                    let escaped = self.escape()?;
                    match escaped.ranges[..] {
                        [(low, high)] if low == high && !escaped.negated => low,
                        _ if escaped.negated => return None,
                        _ => {
                            ranges.extend(escaped.ranges);
                            continue;
                        }
                    }
                }
                low => low,
            };
            ranges.push((low, self.range_end(low)?));
        }
    }

    /// The end of a range that starts with `low`, which may be `low` itself.
    fn range_end(&mut self, low: char) -> Option<char> {
        let mut ahead = self.0.clone();
        if ahead.next() != Some('-') || ahead.next() == Some(']') {
            return Some(low);
        }
        self.0.next();
        let high = match self.0.next()? {
            '\\' => match self.escape()?.ranges[..] {
                [(low, high)] if low == high => high,
                _ => return None,
            },
            high => high,
        };
        (low <= high).then_some(high)
    }

    fn escape(&mut self) -> Option<Set> {
        let of = |ranges: &[(char, char)], negated| Set {
            ranges: ranges.to_vec(),
            negated,
        };
        let one = |character| of(&[(character, character)], false);
        const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
        const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\n'), ('\u{c}', '\r')];
        Some(match self.0.next()? {
            'd' => of(&[('0', '9')], false),
            'D' => of(&[('0', '9')], true),
            'w' => of(WORD, false),
            'W' => of(WORD, true),
            's' => of(SPACE, false),
            'S' => of(SPACE, true),
            'n' => one('\n'),
            'r' => one('\r'),
            't' => one('\t'),
            literal if literal.is_ascii_punctuation() => one(literal),
            _ => return None,
        })
    }
}

fn set(ranges: &[(char, char)], negated: bool) -> Node {
    Node::Set(Set {
        ranges: ranges.to_vec(),
        negated,
    })
}
