//! The parser.

use alloc::vec::Vec;

use super::{
    Assertion, Ast, Error, ErrorKind,
    limits::Limits,
    node::{Flags, Id, Node, Op, finish},
};

/// The result of parsing.
pub(super) type ParseResult<'p, T> = Result<T, Error<'p>>;

/// The state of the parser. The stack has the nodes that are not yet combined.
pub(super) struct Parser<'p> {
    pub(super) pattern: &'p str,
    pub(super) flags: Flags,
    pub(super) nodes: Vec<Node>,
    /// The freed nodes, the latest one last.
    pub(super) free: Vec<Id>,
    pub(super) stack: Vec<Id>,
    pub(super) limits: Limits,
    /// The text from the last repetition on, if the repetition directly precedes the current position.
    last_repeat: Option<&'p str>,
}

impl<'p> Parser<'p> {
    pub(super) fn new(pattern: &'p str) -> Self {
        Self {
            pattern,
            flags: Flags::default(),
            nodes: Vec::new(),
            free: Vec::new(),
            stack: Vec::new(),
            limits: Limits::default(),
            last_repeat: None,
        }
    }

    pub(super) fn parse(mut self) -> ParseResult<'p, Ast> {
        let mut rest = self.pattern;
        while !rest.is_empty() {
            let (after, repeat) = self.step(rest)?;
            self.last_repeat = repeat.then_some(rest);
            rest = after;
        }
        self.alternation()?;
        match self.stack[..] {
            [root] => Ok(finish(&mut self.nodes, root)),
            _ => Err(error(ErrorKind::MissingParen, self.pattern)),
        }
    }

    /// Parses one item. Returns the rest, and whether the item was a repetition.
    fn step(&mut self, text: &'p str) -> ParseResult<'p, (&'p str, bool)> {
        let (first, tail) = next(text).unwrap_or_default();
        match first {
            '(' if tail.starts_with('?') => return Ok((self.flags_or_name(text)?, false)),
            '(' => self.open(true)?,
            '|' => self.vertical_bar()?,
            ')' => self.close()?,
            '^' if self.flags.has(Flags::MULTI_LINE) => self.assertion(Assertion::LineStart)?,
            '^' => self.assertion(Assertion::Start)?,
            '$' if self.flags.has(Flags::MULTI_LINE) => self.assertion(Assertion::LineEnd)?,
            '$' => self.assertion(Assertion::End)?,
            '.' if self.flags.has(Flags::DOT_NEWLINE) => self.operand(Op::Any)?,
            '.' => self.operand(Op::NotNewline)?,
            '[' => return Ok((self.class(text)?, false)),
            '*' => return self.repetition(Op::Star, (0, 0), text, tail),
            '+' => return self.repetition(Op::Plus, (0, 0), text, tail),
            '?' => return self.repetition(Op::Quest, (0, 0), text, tail),
            '{' => return self.counted(text),
            '\\' => return Ok((self.escape(text)?, false)),
            literal => self.literal(u32::from(literal))?,
        }
        Ok((tail, false))
    }

    fn repetition(
        &mut self,
        op: Op,
        counts: (i32, i32),
        text: &'p str,
        after: &'p str,
    ) -> ParseResult<'p, (&'p str, bool)> {
        let rest = self.repeat(op, counts, text, after, self.last_repeat)?;
        Ok((rest, true))
    }

    /// Parses `{2}`, `{2,}` or `{2,3}`; anything else in braces is literal text.
    fn counted(&mut self, text: &'p str) -> ParseResult<'p, (&'p str, bool)> {
        let Some(((min, max), after)) = counts(text) else {
            self.literal(u32::from('{'))?;
            return Ok((&text[1..], false));
        };
        if min > 1000 || max > 1000 || (0..min).contains(&max) {
            return Err(error(ErrorKind::InvalidRepeatSize, before(text, after)));
        }
        self.repetition(Op::Repeat, (min, max), text, after)
    }

    /// Parses an escape.
    fn escape(&mut self, text: &'p str) -> ParseResult<'p, &'p str> {
        let rest = text.get(2..).unwrap_or_default();
        match text.as_bytes().get(1) {
            Some(b'A') => self.assertion(Assertion::Start)?,
            Some(b'b') => self.assertion(Assertion::WordBoundary)?,
            Some(b'B') => self.assertion(Assertion::NoWordBoundary)?,
            Some(b'z') => self.assertion(Assertion::End)?,
            Some(b'C') => return Err(error(ErrorKind::InvalidEscape, before(text, rest))),
            Some(b'Q') => {
                let (quoted, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
                for character in quoted.chars() {
                    self.literal(u32::from(character))?;
                }
                return Ok(rest);
            }
            _ => return self.escaped_character(text),
        }
        Ok(rest)
    }

    fn escaped_character(&mut self, text: &'p str) -> ParseResult<'p, &'p str> {
        let id = self.node(Op::Class);
        self.nodes[id].flags = self.flags;
        let mut class = core::mem::take(&mut self.nodes[id].class);
        let after = match self.unicode_class(text, &mut class)? {
            Some(after) => Some(after),
            None => self.perl_class(text, &mut class),
        };
        if let Some(after) = after {
            self.nodes[id].class = class;
            self.push(id)?;
            return Ok(after);
        }
        self.reuse(id);
        let (code, after) = super::escape::escape(text)?;
        self.literal(code)?;
        Ok(after)
    }
}

/// Parses `{2}`, `{2,}` or `{2,3}`. Returns the counts, with -1 for no limit, and the rest.
fn counts(text: &str) -> Option<((i32, i32), &str)> {
    let (min, rest) = count(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (min, rest),
        Some(rest) if rest.starts_with('}') => (-1, rest),
        Some(rest) => count(rest)?,
    };
    Some(((min, max), rest.strip_prefix('}')?))
}

/// Parses a number without leading zeros. Large numbers saturate.
fn count(text: &str) -> Option<(i32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().unwrap_or(i32::MAX), rest))
}

pub(super) const fn error(kind: ErrorKind, fragment: &str) -> Error<'_> {
    Error { kind, fragment }
}

/// Returns the part of the text before the rest.
pub(super) fn before<'p>(text: &'p str, rest: &str) -> &'p str {
    &text[..text.len() - rest.len()]
}

pub(super) fn next(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|first| (first, chars.as_str()))
}
