//! Groups that start with `(?`.

use super::{
    ErrorKind,
    node::Flags,
    parser::{ParseResult, Parser, before, error, next},
};

impl<'p> Parser<'p> {
    /// Parses the name of a group, or flags for a group or for the rest of one.
    pub(super) fn flags_or_name(&mut self, text: &'p str) -> ParseResult<'p, &'p str> {
        let python = text.strip_prefix("(?P<").filter(|name| !name.is_empty());
        let short = || text.strip_prefix("(?<").filter(|name| !name.is_empty());
        if let Some(name) = python.or_else(short) {
            return self.named(text, name);
        }
        let mut flags = self.flags;
        let (mut negative, mut saw_flag) = (false, false);
        let mut rest = &text[2..];
        while let Some((character, after)) = next(rest) {
            rest = after;
            let flag = match character {
                'i' => Flags::FOLD_CASE,
                'm' => Flags::MULTI_LINE,
                's' => Flags::DOT_NEWLINE,
                'U' => Flags::NON_GREEDY,
                '-' if !negative => {
                    (negative, saw_flag) = (true, false);
                    continue;
                }
                ':' | ')' if !negative || saw_flag => {
                    if character == ':' {
                        self.open(false)?;
                    }
                    self.flags = flags;
                    return Ok(rest);
                }
                _ => break,
            };
            saw_flag = true;
            flags = if negative { flags.without(flag) } else { flags | flag };
        }
        Err(error(ErrorKind::InvalidPerlOp, before(text, rest)))
    }

    /// Opens a named group.
    fn named(&mut self, text: &'p str, name: &'p str) -> ParseResult<'p, &'p str> {
        let invalid = |fragment| error(ErrorKind::InvalidNamedCapture, fragment);
        let (name, rest) = name.split_once('>').ok_or(invalid(text))?;
        let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err(invalid(before(text, rest)));
        }
        self.open(true)?;
        Ok(rest)
    }
}
