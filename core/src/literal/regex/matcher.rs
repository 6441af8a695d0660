//! A matcher whose time is proportional to the length of the text times that of the expression.

use alloc::{vec, vec::Vec};

use super::{Assertion, Ast, Greed};
use crate::go::unicode::{Range, simple_fold};

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub(super) program: Vec<Instruction>,
    classes: Vec<Vec<Range>>,
    pub(super) start: Target,
}

/// The index of an instruction.
pub(super) type Target = usize;

#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Match,
    Fail,
    Character(Characters, Target),
    Assertion(Assertion, Target),
    Either(Target, Target),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Characters {
    One(u32),
    /// This character and its case variants.
    AnyCase(u32),
    /// The class with this index.
    Class(usize),
    NotNewline,
    Any,
}

impl Ast {
    /// Compiles the expression.
    pub fn matcher(&self) -> Matcher {
        let mut compiler = Compiler { program: vec![Instruction::Match], classes: Vec::new() };
        let start = compiler.node(self, 0);
        Matcher { program: compiler.program, classes: compiler.classes.into_iter().map(Vec::from).collect(), start }
    }
}

/// Compiles the program from its end to its start.
struct Compiler<'a> {
    program: Vec<Instruction>,
    classes: Vec<&'a [Range]>,
}

impl<'a> Compiler<'a> {
    fn add(&mut self, instruction: Instruction) -> Target {
        self.program.push(instruction);
        self.program.len() - 1
    }

    /// Adds the instructions of a node before `next`. Returns the first instruction.
    fn node(&mut self, node: &'a Ast, next: Target) -> Target {
        let character = |characters| Instruction::Character(characters, next);
        match node {
            Ast::NoMatch => self.add(Instruction::Fail),
            Ast::Empty => next,
            Ast::Text { codes, any_case } => self.text(codes, *any_case, next),
            Ast::Class(ranges) => {
                let class = self.class(ranges);
                self.add(character(Characters::Class(class)))
            }
            Ast::NotNewline => self.add(character(Characters::NotNewline)),
            Ast::Any => self.add(character(Characters::Any)),
            Ast::Assertion(place) => self.add(Instruction::Assertion(*place, next)),
            Ast::Group(inner) => self.node(inner, next),
            Ast::Repeat(inner, min, max, greed) => self.repeat(inner, [Some(*min), *max], *greed, next),
            Ast::Concat(nodes) => (nodes.iter().rev()).fold(next, |next, node| self.node(node, next)),
            Ast::Alternate(nodes) => self.either(nodes, next),
        }
    }

    fn text(&mut self, codes: &[u32], any_case: bool, next: Target) -> Target {
        let each = codes.iter().rev();
        each.fold(next, |next, code| {
            let characters = if any_case && simple_fold(*code) != *code {
                Characters::AnyCase(*code)
            } else {
                Characters::One(*code)
            };
            self.add(Instruction::Character(characters, next))
        })
    }

    /// Returns the index of a class, which is added once per node.
    fn class(&mut self, ranges: &'a [Range]) -> usize {
        let mut known = self.classes.iter();
        if let Some(at) = known.position(|known| core::ptr::eq(*known, ranges)) {
            return at;
        }
        self.classes.push(ranges);
        self.classes.len() - 1
    }

    fn either(&mut self, nodes: &'a [Ast], next: Target) -> Target {
        let starts: Vec<Target> = nodes.iter().map(|node| self.node(node, next)).collect();
        let joined = starts.into_iter().rev().reduce(|others, start| self.add(Instruction::Either(start, others)));
        joined.unwrap_or(next)
    }

    fn repeat(&mut self, inner: &'a Ast, [min, max]: [Option<u32>; 2], greed: Greed, next: Target) -> Target {
        let min = min.unwrap_or(0);
        let either = |body, next| match greed {
            Greed::Greedy => Instruction::Either(body, next),
            Greed::Lazy => Instruction::Either(next, body),
        };
        let mut start = next;
        match max {
            None => {
                start = self.add(Instruction::Fail);
                let body = self.node(inner, start);
                self.program[start] = either(body, next);
            }
            Some(max) => {
                for _ in min..max {
                    let body = self.node(inner, start);
                    start = self.add(either(body, next));
                }
            }
        }
        (0..min).fold(start, |start, _| self.node(inner, start))
    }
}

/// A position between two characters.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

impl Position {
    pub(super) fn is(self, place: Assertion) -> bool {
        let is_word = |side: Option<char>| side.is_some_and(|side| side == '_' || side.is_ascii_alphanumeric());
        let ends_word = is_word(self.before) != is_word(self.after);
        match place {
            Assertion::Start => self.before.is_none(),
            Assertion::End => self.after.is_none(),
            Assertion::LineStart => matches!(self.before, None | Some('\n')),
            Assertion::LineEnd => matches!(self.after, None | Some('\n')),
            Assertion::WordBoundary => ends_word,
            Assertion::NoWordBoundary => !ends_word,
        }
    }
}

impl Matcher {
    /// Whether a part of the text matches, as Go's `MatchString`.
    pub fn is_match(&self, text: &str) -> bool {
        let mut visited = vec![0; self.program.len()];
        // First the instructions to follow, then those that wait for a character.
        let (mut starts, mut waiting) = (Vec::new(), Vec::new());
        let mut between = Position { before: None, after: None };
        let mut rest = text.chars();
        for round in 1_usize.. {
            between.after = rest.next();
            starts.push(self.start);
            while let Some(at) = starts.pop() {
                if core::mem::replace(&mut visited[at], round) == round {
                    continue;
                }
                match self.program[at] {
                    Instruction::Match => return true,
                    Instruction::Fail => {}
                    Instruction::Character(characters, next) => waiting.push((characters, next)),
                    Instruction::Assertion(place, next) if between.is(place) => starts.push(next),
                    Instruction::Assertion(..) => {}
                    Instruction::Either(first, second) => starts.extend([second, first]),
                }
            }
            let Some(character) = between.after else {
                break;
            };
            let matching = waiting.drain(..).filter(|(characters, _)| self.has(*characters, character));
            starts.extend(matching.map(|(_, next)| next));
            between.before = Some(character);
        }
        false
    }

    pub(super) fn has(&self, characters: Characters, character: char) -> bool {
        let code = u32::from(character);
        match characters {
            Characters::One(one) => one == code,
            Characters::AnyCase(one) => is_case_variant(one, code),
            Characters::Class(class) => {
                let ranges = &self.classes[class];
                let at = ranges.partition_point(|(_, hi)| *hi < code);
                ranges.get(at).is_some_and(|(lo, _)| *lo <= code)
            }
            Characters::NotNewline => character != '\n',
            Characters::Any => true,
        }
    }
}

/// Whether two characters are equal or case variants.
fn is_case_variant(one: u32, code: u32) -> bool {
    let mut other = simple_fold(one);
    while other != one && other != code {
        other = simple_fold(other);
    }
    other == code || one == code
}
