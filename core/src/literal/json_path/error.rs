//! Errors of JSON paths.

use alloc::string::String;
use core::fmt;

/// Why client-go cannot parse a path. [`fmt::Display`] includes what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPathError {
    /// The path ends unexpectedly, or contains a line break.
    Unfinished,
    /// An unexpected character.
    Character(char),
    /// `..` directly after `..`.
    Descent,
    /// An invalid number.
    Number(String),
    /// `[` is not closed.
    OpenBracket,
    /// Invalid content of brackets.
    Index(String),
    /// `[?(` is not closed.
    OpenFilter,
    /// An operator in a filter that client-go does not have.
    Operator(&'static str),
    /// A filter with text between the `)` and the `]`.
    FilterEnd,
    /// A quote is not closed.
    OpenQuote,
    /// A string with an invalid escape.
    Quote(String),
}

impl fmt::Display for JsonPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished => f.write_str("it ends unexpectedly"),
            Self::Character(c) => {
                write!(f, "{c:?} is not expected here: write a name as `['a']`, or with a backslash before it")
            }
            Self::Descent => f.write_str("`..` is repeated: remove one"),
            Self::Number(text) => write!(f, "`{text}` is not a number: write `.` before the name of a field"),
            Self::OpenBracket => f.write_str("a `[` is not closed: write `]`"),
            Self::Index(text) => {
                write!(f, "`[{text}]` is neither an index, as in `[0]`, nor a name in single quotes, as in `['a']`")
            }
            Self::OpenFilter => f.write_str("a filter is not closed: write `)]`"),
            Self::Operator(operator) => write!(
                f,
                "a filter has no operator `{operator}`: it compares two values with `==`, `!=`, `<`, `<=`, `>` or `>=`, or tests \
                 whether one exists, as in `[?(@.a)]`"
            ),
            Self::FilterEnd => f.write_str("a filter ends in `)]`"),
            Self::OpenQuote => f.write_str("a quote is not closed"),
            Self::Quote(text) => {
                write!(f, "{text} is not a valid quoted string: it has an invalid backslash or quote")
            }
        }
    }
}
