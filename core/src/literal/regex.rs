//! Regular expressions of Go's `regexp`, which the server uses for patterns.
//!
//! The parser follows `regexp.Compile` of Go 1.26: the same expressions are invalid with the same errors, and the tree has the
//! same form, on which the limits of size and depth depend.

use alloc::{boxed::Box, vec::Vec};

mod advice;
mod class;
mod error;
mod escape;
mod factor;
mod finder;
mod group;
mod limits;
mod matcher;
mod matchers;
mod names;
mod node;
mod parser;
mod repeat_limit;
mod stack;

pub use error::{Error, ErrorKind};
pub use matcher::Matcher;
pub(crate) use matchers::Matchers;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ast {
    /// An expression without matches.
    NoMatch,
    /// The empty string.
    Empty,
    /// A sequence of code points.
    Text {
        /// The code points; a surrogate among them matches nothing.
        codes: Vec<u32>,
        /// Whether case is ignored.
        any_case: bool,
    },
    /// One character of these sorted, inclusive ranges.
    Class(Vec<(u32, u32)>),
    /// Any character but a line feed.
    NotNewline,
    /// Any character.
    Any,
    /// A zero-width assertion.
    Assertion(Assertion),
    /// A capturing group.
    Group(Box<Ast>),
    /// A repetition with a minimum and an optional maximum.
    Repeat(Box<Ast>, u32, Option<u32>, Greed),
    /// A concatenation.
    Concat(Vec<Ast>),
    /// An alternation.
    Alternate(Vec<Ast>),
}

/// How many repetitions a match prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greed {
    /// As many as possible.
    Greedy,
    /// As few as possible: `*?`.
    Lazy,
}

/// A zero-width assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assertion {
    /// The start of a line: `^` with `(?m)`.
    LineStart,
    /// The end of a line: `$` with `(?m)`.
    LineEnd,
    /// The start of the text: `^` or `\A`.
    Start,
    /// The end of the text: `$` or `\z`.
    End,
    /// A boundary between an ASCII letter, digit or underscore and another character: `\b`.
    WordBoundary,
    /// Any other position: `\B`.
    NoWordBoundary,
}

/// Parses an expression.
///
/// # Errors
///
/// If Go's `regexp.Compile` fails.
pub fn parse(pattern: &str) -> Result<Ast, Error<'_>> {
    parser::Parser::new(pattern).parse()
}

#[cfg(test)]
mod tests;
