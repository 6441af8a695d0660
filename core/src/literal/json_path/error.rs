//! Why a path cannot be read.

use alloc::string::String;
use core::fmt;

/// Why client-go cannot read a path. As text, it is what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPathError {
    /// The path ends in the middle of something, or a line ends in it.
    Unfinished,
    /// Nothing starts with this character.
    Character(char),
    /// `..` stands right behind `..`.
    Descent,
    /// This is no number.
    Number(String),
    /// `[` is not closed.
    OpenBracket,
    /// This stands in brackets, and is none of what may.
    Index(String),
    /// `[?(` is not closed.
    OpenFilter,
    /// Something stands between the `)` and the `]` of a filter.
    FilterEnd,
    /// A quote is not closed.
    OpenQuote,
    /// This text has an escape that there is not.
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
            Self::FilterEnd => f.write_str("a filter ends in `)]`"),
            Self::OpenQuote => f.write_str("a quote is not closed"),
            Self::Quote(text) => {
                write!(f, "{text} is not a valid quoted string: it has an invalid backslash or quote")
            }
        }
    }
}
