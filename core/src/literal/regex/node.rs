//! The nodes of the parser.

use alloc::{boxed::Box, vec::Vec};
use core::ops::BitOr;

use super::{Assertion, Ast, Greed, class::Class};

/// The index of a node.
pub(super) type Id = usize;

/// The operator of a node, in Go's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Op {
    NoMatch,
    Empty,
    Literal,
    Class,
    NotNewline,
    Any,
    Assertion(Assertion),
    Capture,
    Star,
    Plus,
    Quest,
    Repeat,
    Concat,
    Alternate,
    /// An open group; not an operand.
    LeftParen,
    /// Not an operand.
    VerticalBar,
}

impl Op {
    pub(super) fn is_operand(self) -> bool {
        self < Self::LeftParen
    }
}

/// The flags of a part of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const FOLD_CASE: Self = Self(1);
    pub(super) const DOT_NEWLINE: Self = Self(2);
    pub(super) const MULTI_LINE: Self = Self(4);
    pub(super) const NON_GREEDY: Self = Self(8);

    pub(super) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    pub(super) const fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }

    pub(super) const fn toggled(self, flag: Self) -> Self {
        Self(self.0 ^ flag.0)
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A node of the tree during parsing.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) flags: Flags,
    pub(super) sub: Vec<Id>,
    /// The code points of a literal.
    pub(super) codes: Vec<u32>,
    pub(super) class: Class,
    pub(super) min: i32,
    /// -1 for no limit.
    pub(super) max: i32,
    /// Whether an open group captures.
    pub(super) captures: bool,
}

impl Node {
    pub(super) fn new(op: Op, flags: Flags) -> Self {
        Self { op, flags, sub: Vec::new(), codes: Vec::new(), class: Class::default(), min: 0, max: 0, captures: false }
    }

    /// Whether the node matches exactly one character.
    pub(super) fn is_character(&self) -> bool {
        match self.op {
            Op::Literal => self.codes.len() == 1,
            op => matches!(op, Op::Class | Op::NotNewline | Op::Any),
        }
    }

    pub(super) fn matches(&self, code: u32) -> bool {
        match self.op {
            Op::Literal => self.codes == [code],
            Op::Class => self.class.contains(code),
            Op::NotNewline => code != u32::from('\n'),
            op => op == Op::Any,
        }
    }
}

/// Converts a node to the finished tree.
pub(super) fn finish(nodes: &mut [Node], id: Id) -> Ast {
    let node = &mut nodes[id];
    let (op, sub) = (node.op, core::mem::take(&mut node.sub));
    let (min, max) = (node.min.unsigned_abs(), u32::try_from(node.max).ok());
    let greed = if node.flags.has(Flags::NON_GREEDY) { Greed::Lazy } else { Greed::Greedy };
    let repeat = |nodes: &mut [Node], min, max| {
        let inner = finish(nodes, sub[0]);
        Ast::Repeat(Box::new(inner), min, max, greed)
    };
    match op {
        Op::NoMatch | Op::LeftParen | Op::VerticalBar => Ast::NoMatch,
        Op::Empty => Ast::Empty,
        Op::Literal => {
            Ast::Text { codes: core::mem::take(&mut node.codes), any_case: node.flags.has(Flags::FOLD_CASE) }
        }
        Op::Class => Ast::Class(core::mem::take(&mut node.class).0),
        Op::NotNewline => Ast::NotNewline,
        Op::Any => Ast::Any,
        Op::Assertion(place) => Ast::Assertion(place),
        Op::Capture => Ast::Group(Box::new(finish(nodes, sub[0]))),
        Op::Star => repeat(nodes, 0, None),
        Op::Plus => repeat(nodes, 1, None),
        Op::Quest => repeat(nodes, 0, Some(1)),
        Op::Repeat => repeat(nodes, min, max),
        Op::Concat => Ast::Concat(sub.into_iter().map(|id| finish(nodes, id)).collect()),
        Op::Alternate => Ast::Alternate(sub.into_iter().map(|id| finish(nodes, id)).collect()),
    }
}
