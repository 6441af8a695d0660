//! Regular expressions, as Go's `regexp` has them, which the server reads patterns with.
//!
//! An expression is read as `regexp.Compile` of Go 1.26 reads it: what is refused, with which words, and the tree, whose form
//! limits of size and depth depend on.

use alloc::{boxed::Box, vec::Vec};

mod advice;
mod class;
mod error;
mod escape;
mod factor;
mod group;
mod limits;
mod matcher;
mod names;
mod node;
mod parser;
mod repeat;
mod stack;

pub use error::{Error, ErrorKind};
pub use matcher::Matcher;

/// An expression that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ast {
    /// Nothing matches.
    NoMatch,
    /// The empty text.
    Empty,
    /// These code points, one behind the other.
    Text {
        /// The code points; a surrogate among them matches nothing.
        codes: Vec<u32>,
        /// Whether case does not count.
        any_case: bool,
    },
    /// One character of these ranges, both ends included, in order.
    Class(Vec<(u32, u32)>),
    /// Any character but a line feed.
    NotNewline,
    /// Any character.
    Any,
    /// A place.
    Assertion(Assertion),
    /// A group that captures.
    Group(Box<Ast>),
    /// As many times as the least number, or more, up to the greatest one if there is one.
    Repeat(Box<Ast>, u32, Option<u32>),
    /// One behind the other.
    Concat(Vec<Ast>),
    /// One of several.
    Alternate(Vec<Ast>),
}

/// A place between characters.
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
    /// Between a letter, digit or underscore of ASCII and something else: `\b`.
    WordBoundary,
    /// Any other place: `\B`.
    NoWordBoundary,
}

/// Reads an expression.
///
/// # Errors
///
/// If Go's `regexp.Compile` refuses it.
pub fn parse(pattern: &str) -> Result<Ast, Error<'_>> {
    parser::Parser::new(pattern).parse()
}

#[cfg(test)]
mod tests;
