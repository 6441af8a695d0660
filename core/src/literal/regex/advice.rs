//! Advice for invalid expressions.

use core::fmt;

use super::{Error, ErrorKind};

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fragment = self.fragment;
        match self.kind {
            ErrorKind::InvalidPerlOp | ErrorKind::InvalidNamedCapture => group(fragment, f),
            ErrorKind::InvalidEscape => escape(fragment, f),
            ErrorKind::InvalidRepeatOp => nested_repetition(fragment, f),
            ErrorKind::InvalidCharRange => range(fragment, f),
            ErrorKind::InvalidRepeatSize => write!(
                f,
                "`{fragment}` is not a valid count: write the smaller number first, and at most 1000, multiplied over \
                 nested repetitions"
            ),
            ErrorKind::MissingBracket => write!(f, "the `[` of `{fragment}` is not closed: write `]`, or `\\[`"),
            ErrorKind::MissingParen => f.write_str("a `(` is not closed: write `)`, or `\\(`"),
            ErrorKind::UnexpectedParen => f.write_str("a `)` has no `(`: write `\\)` for the character"),
            ErrorKind::MissingRepeatArgument => {
                write!(f, "`{fragment}` repeats nothing: write `\\{fragment}` for the character")
            }
            ErrorKind::TrailingBackslash => f.write_str("it ends in a backslash: write `\\\\` for the character"),
            ErrorKind::NestingDepth => f.write_str("groups and repetitions are nested more than 1000 levels deep"),
            ErrorKind::Large => f.write_str("it is too large: use fewer or smaller repetitions"),
        }
    }
}

fn group(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let looks = ["(?=", "(?!", "(?<=", "(?<!"];
    if let Some(look) = looks.iter().find(|look| fragment.starts_with(**look)) {
        return write!(
            f,
            "`{look}` is a lookaround, which Go does not support: describe the whole text, or write a rule in CEL, \
             such as `!self.startsWith(...)`"
        );
    }
    let advice = match fragment {
        "(?>" => "atomic groups are not supported, and Go does not backtrack: write `(?:`",
        "(?#" => "comments are not supported: remove it",
        "(?|" => "branch resets are not supported: write `(?:`",
        "(?P=" => "`(?P=` is a backreference, which Go does not support",
        "(?'" => "write `(?P<name>` to name a group",
        _ if fragment.starts_with("(?P<") || fragment.starts_with("(?<") => {
            return write!(
                f,
                "`{fragment}` is not a valid group name: write `(?P<name>...)` with ASCII letters, digits and `_`"
            );
        }
        _ if fragment.ends_with('x') => {
            "the flag `x` is not supported: write the expression without spaces and \
                                         comments"
        }
        _ => {
            return write!(
                f,
                "`{fragment}` does not start a group: write `(?:...)`, or the flags `i`, `m`, `s` and `U`, as in \
                 `(?i)`"
            );
        }
    };
    f.write_str(advice)
}

fn escape(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let instead = match fragment.as_bytes().get(1) {
        Some(b'Z') => "`\\Z` is not supported: write `\\z` or `$`",
        Some(b'G' | b'K') => "the start of a match cannot be moved: write `^`",
        Some(b'u' | b'U' | b'N') => "write a code point as `\\x{41}`",
        Some(b'x') => "write a code point as `\\x41` or `\\x{2603}`, up to `\\x{10FFFF}`",
        Some(b'h') => "`\\h` is not supported: write `[ \\t]`",
        Some(b'R') => "`\\R` is not supported: write `\\r?\\n`",
        Some(b'X' | b'C') => "an expression matches whole characters only: write `.`",
        Some(b'e') => "`\\e` is not supported: write `\\x1b`",
        Some(b'b' | b'B' | b'A' | b'z' | b'Q' | b'E') => {
            return write!(f, "`{fragment}` has no meaning here");
        }
        Some(b'1'..=b'9' | b'g' | b'k') => {
            return write!(f, "`{fragment}` is a backreference, which Go does not support");
        }
        _ => {
            return write!(
                f,
                "`{fragment}` has no meaning: remove the backslash, or write two for a literal backslash"
            );
        }
    };
    f.write_str(instead)
}

fn nested_repetition(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if fragment.ends_with('+') {
        return write!(f, "`{fragment}` repeats a repetition, but Go does not backtrack: remove the last `+`");
    }
    write!(f, "`{fragment}` repeats a repetition: write `(?:...)` around the inner one")
}

fn range(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = fragment.strip_prefix("\\p");
    if let Some(name) = name.or_else(|| fragment.strip_prefix("\\P")) {
        let value = name.split_once('=').map(|(_, value)| value);
        if let Some(value) = value.and_then(|value| value.strip_suffix('}')) {
            return write!(
                f,
                "`{fragment}` is not a character class: write `\\p{{{value}}}`, without the part before `=`"
            );
        }
        return write!(
            f,
            "`{fragment}` is not a character class: write a general category or a script of one word, such as \
             `\\p{{Lu}}` or `\\p{{Greek}}`"
        );
    }
    if fragment.starts_with("[:") {
        return write!(
            f,
            "`{fragment}` is not a character class: write one such as `[:alpha:]`, within brackets, or `\\[` for the \
             character"
        );
    }
    write!(f, "`{fragment}` is not a valid range: write the smaller character first, or `\\-` for the character")
}
