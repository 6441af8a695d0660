//! Why an expression is refused.

use crate::{Arg, Text};

/// Why Go refuses an expression. As text, it is what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'p> {
    pub(super) kind: ErrorKind,
    pub(super) fragment: &'p str,
}

/// What is wrong with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A range whose ends are the wrong way round, or a class that there is not.
    InvalidCharRange,
    /// A backslash before something that it means nothing for.
    InvalidEscape,
    /// A group without a proper name.
    InvalidNamedCapture,
    /// A group of another language, such as one that looks around.
    InvalidPerlOp,
    /// A repetition right behind a repetition.
    InvalidRepeatOp,
    /// More than 1000 times, or a range of counts without a number in it.
    InvalidRepeatSize,
    /// A class that is not closed.
    MissingBracket,
    /// A group that is not closed.
    MissingParen,
    /// A repetition of nothing.
    MissingRepeatArgument,
    /// A backslash at the end.
    TrailingBackslash,
    /// A group is closed that is not open.
    UnexpectedParen,
    /// More than 1000 levels.
    NestingDepth,
    /// More than Go compiles.
    Large,
}

impl<'p> Error<'p> {
    /// What is wrong.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The part of the expression that Go shows.
    pub const fn fragment(&self) -> &'p str {
        self.fragment
    }

    /// What Go writes.
    pub const fn go(&self) -> Text<'p> {
        let args = [Arg::Text(self.kind.as_str()), Arg::Text(self.fragment)];
        Text::new("error parsing regexp: {}: `{}`", &args)
    }
}

impl ErrorKind {
    /// What Go calls it.
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
