//! What to write instead.

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
                "`{fragment}` is no count: write the smaller number first, and 1000 at most, in all repetitions together that \
                 stand within each other"
            ),
            ErrorKind::MissingBracket => write!(f, "the `[` of `{fragment}` is not closed: write `]`, or `\\[`"),
            ErrorKind::MissingParen => f.write_str("a `(` is not closed: write `)`, or `\\(`"),
            ErrorKind::UnexpectedParen => f.write_str("a `)` has no `(`: write `\\)` for the character"),
            ErrorKind::MissingRepeatArgument => {
                write!(f, "`{fragment}` repeats nothing: write `\\{fragment}` for the character")
            }
            ErrorKind::TrailingBackslash => f.write_str("it ends in a backslash: write `\\\\` for the character"),
            ErrorKind::NestingDepth => f.write_str("its groups and repetitions are more than 1000 levels deep"),
            ErrorKind::Large => f.write_str("it is too large: repeat less"),
        }
    }
}

fn group(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let looks = ["(?=", "(?!", "(?<=", "(?<!"];
    if let Some(look) = looks.iter().find(|look| fragment.starts_with(**look)) {
        return write!(
            f,
            "`{look}` looks around, which no expression of Go can: say what the text is, or write a rule in CEL that has no \
             need to look around, such as `!self.startsWith(...)`"
        );
    }
    let advice = match fragment {
        "(?>" => "there are no atomic groups, and nothing is tried again: write `(?:`",
        "(?#" => "there are no comments",
        "(?|" => "there are no branch resets: write `(?:`",
        "(?P=" => "`(?P=` repeats what a group matched, which no expression of Go can",
        "(?'" => "a group is named by `(?P<name>`",
        _ if fragment.starts_with("(?P<") || fragment.starts_with("(?<") => {
            return write!(
                f,
                "`{fragment}` is no name of a group: write `(?P<name>...)` with ASCII letters, digits and `_`"
            );
        }
        _ if fragment.ends_with('x') => "there is no flag `x`: write the expression without spaces and comments",
        _ => {
            return write!(
                f,
                "`{fragment}` starts no group: write `(?:...)`, or the flags `i`, `m`, `s` and `U`, as in `(?i)`"
            );
        }
    };
    f.write_str(advice)
}

fn escape(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let instead = match fragment.as_bytes().get(1) {
        Some(b'Z') => "there is no `\\Z`: write `\\z` or `$`",
        Some(b'G' | b'K') => "an expression cannot move where the match starts: write `^`",
        Some(b'u' | b'U' | b'N') => "a code point is written as `\\x{41}`",
        Some(b'x') => "a code point is written as `\\x41` or `\\x{2603}`, up to `\\x{10FFFF}`",
        Some(b'h') => "there is no `\\h`: write `[ \\t]`",
        Some(b'R') => "there is no `\\R`: write `\\r?\\n`",
        Some(b'X' | b'C') => "only whole characters can be matched: write `.`",
        Some(b'e') => "there is no `\\e`: write `\\x1b`",
        Some(b'b' | b'B' | b'A' | b'z' | b'Q' | b'E') => {
            return write!(f, "`{fragment}` has no meaning here");
        }
        Some(b'1'..=b'9' | b'g' | b'k') => {
            return write!(f, "`{fragment}` repeats what a group matched, which no expression of Go can");
        }
        _ => {
            return write!(f, "`{fragment}` has no meaning: leave out the backslash, or write two for the character");
        }
    };
    f.write_str(instead)
}

fn nested_repetition(fragment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if fragment.ends_with('+') {
        return write!(f, "`{fragment}` repeats a repetition: nothing is tried again in Go, so leave out the last `+`");
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
                "`{fragment}` is no class of characters: write `\\p{{{value}}}`, without what stands before `=`"
            );
        }
        return write!(
            f,
            "`{fragment}` is no class of characters: write a general category or a script of one word, such as `\\p{{Lu}}` or \
             `\\p{{Greek}}`"
        );
    }
    if fragment.starts_with("[:") {
        return write!(
            f,
            "`{fragment}` is no class of characters: write one such as `[:alpha:]`, within brackets, or `\\[` for the character"
        );
    }
    write!(f, "`{fragment}` is no range: write the smaller character first, or `\\-` for the character")
}
