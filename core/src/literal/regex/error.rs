//! Errors of regular expressions.

use crate::{Arg, Text};

/// Go's error about an expression. [`Display`](core::fmt::Display) writes what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'p> {
    pub(super) kind: ErrorKind,
    pub(super) fragment: &'p str,
}

/// Go's error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A range with swapped ends, or an unknown class.
    InvalidCharRange,
    /// A backslash before a character that it does not escape.
    InvalidEscape,
    /// A group with an invalid name.
    InvalidNamedCapture,
    /// A group of another dialect, such as a lookaround.
    InvalidPerlOp,
    /// A repetition directly after a repetition.
    InvalidRepeatOp,
    /// A count above 1000, or a minimum above the maximum.
    InvalidRepeatSize,
    /// A class that is not closed.
    MissingBracket,
    /// A group that is not closed.
    MissingParen,
    /// A repetition of nothing.
    MissingRepeatArgument,
    /// A backslash at the end.
    TrailingBackslash,
    /// A `)` without a `(`.
    UnexpectedParen,
    /// More than 1000 levels of nesting.
    NestingDepth,
    /// An expression that is too large for Go.
    Large,
}

impl<'p> Error<'p> {
    /// Returns the error code.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the part of the expression that Go reports.
    pub const fn fragment(&self) -> &'p str {
        self.fragment
    }

    /// Returns Go's message.
    pub const fn go(&self) -> Text<'p> {
        let args = [Arg::Text(self.kind.as_str()), Arg::Text(self.fragment)];
        Text::new("error parsing regexp: {}: `{}`", &args)
    }
}

impl ErrorKind {
    /// Returns Go's name of the error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidCharRange => "invalid character class range",
            Self::InvalidEscape => "invalid escape sequence",
            Self::InvalidNamedCapture => "invalid named capture",
            Self::InvalidPerlOp => "invalid or unsupported Perl syntax",
            Self::InvalidRepeatOp => "invalid nested repetition operator",
            Self::InvalidRepeatSize => "invalid repeat count",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestingDepth => "expression nests too deeply",
            Self::Large => "expression too large",
        }
    }
}
