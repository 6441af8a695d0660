//! Email addresses of RFC 5322, as Go's `net/mail` parses them.

use alloc::string::String;
use core::net::IpAddr;

/// Whether a string is one mailbox: an address, or a name and an address in angle brackets.
pub(super) fn is_email(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    parser.address(true) == Some(1) && parser.skip_comments() && parser.rest.is_empty()
}

#[derive(Clone, Copy)]
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// Parses a mailbox, or a group if allowed. Returns the number of mailboxes.
    fn address(&mut self, may_be_group: bool) -> Option<usize> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return None;
        }
        let start = *self;
        if self.mailbox().is_some() {
            self.skip_blanks();
            if self.eat('(') {
                let comment = unescaped(self.comment()?);
                let mut words = comment.split([' ', '\t']).filter(|word| !word.is_empty());
                return words.all(|word| decode(word) != Decoded::Unreadable).then_some(1);
            }
            return Some(1);
        }
        *self = start;
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.skip_blanks();
        if may_be_group && self.eat(':') {
            return self.group();
        }
        (self.eat('<') && self.mailbox().is_some() && self.eat('>')).then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_blanks();
        let mut members = 0;
        if !self.eat(';') {
            loop {
                self.skip_blanks();
                members += self.address(false)?;
                if !self.skip_comments() {
                    return None;
                }
                if self.eat(';') {
                    break;
                }
                if !self.eat(',') {
                    return None;
                }
            }
        }
        self.skip_comments().then_some(members)
    }

    /// Parses `local@domain`.
    fn mailbox(&mut self) -> Option<()> {
        self.skip_blanks();
        if self.rest.starts_with('"') {
            self.quoted().filter(|text| !text.is_empty())?
        } else {
            self.atom().filter(|atom| is_dotted(atom))?
        };
        if !self.eat('@') {
            return None;
        }
        self.skip_blanks();
        if self.eat('[') { self.literal() } else { self.atom().filter(|atom| is_dotted(atom)).map(drop) }
    }

    /// Parses the address in brackets.
    fn literal(&mut self) -> Option<()> {
        let (address, rest) = self.rest.split_once(']')?;
        self.rest = rest;
        address.parse::<IpAddr>().ok().map(drop)
    }

    /// Parses the words of a name. An error after the first word ends the name.
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return None;
            }
            self.skip_blanks();
            if self.rest.is_empty() {
                break;
            }
            let word = if self.rest.starts_with('"') {
                self.quoted().is_some()
            } else {
                self.atom().is_some_and(|atom| decode(atom) != Decoded::Unreadable)
            };
            if !word {
                break;
            }
            words += 1;
        }
        (words > 0 || self.rest.is_empty()).then_some(())
    }

    /// Parses a quoted string and returns its content.
    fn quoted(&mut self) -> Option<&'a str> {
        let inner = self.rest.strip_prefix('"')?;
        let mut is_escaped = false;
        for (at, c) in inner.char_indices() {
            match c {
                c if is_escaped => {
                    if !is_visible(c) && !is_blank(c) {
                        return None;
                    }
                    is_escaped = false;
                }
                '"' => {
                    self.rest = &inner[at + 1..];
                    return Some(&inner[..at]);
                }
                '\\' => is_escaped = true,
                c if is_visible(c) || is_blank(c) => {}
                _ => return None,
            }
        }
        None
    }

    /// Parses letters and dots.
    fn atom(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c| !is_atomic(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        if atom.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(atom)
    }

    /// Skips blanks and comments. Returns false if a comment is not closed.
    fn skip_comments(&mut self) -> bool {
        self.skip_blanks();
        while self.eat('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_blanks();
        }
        true
    }

    /// Parses the rest of a comment, which can be nested.
    fn comment(&mut self) -> Option<&'a str> {
        let mut depth = 1;
        let mut bytes = self.rest.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let comment = &self.rest[..at];
                self.rest = &self.rest[at + 1..];
                return Some(comment);
            }
        }
        self.rest = "";
        None
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(is_blank);
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Removes the backslashes of a comment.
fn unescaped(comment: &str) -> String {
    let mut text = String::new();
    let mut chars = comment.chars();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    text
}

fn is_dotted(atom: &str) -> bool {
    !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_visible(c: char) -> bool {
    c.is_ascii_graphic() || !c.is_ascii()
}

fn is_atomic(c: char) -> bool {
    const SPECIAL: &str = "()<>[]:;@\\,\"";
    is_visible(c) && !SPECIAL.contains(c)
}

/// The result of decoding a word of RFC 2047.
#[derive(PartialEq)]
enum Decoded {
    /// It is not encoded, or it can be decoded.
    Readable,
    /// It is encoded in a character set that the server does not support.
    Unreadable,
}

fn decode(word: &str) -> Decoded {
    let inner = word.strip_prefix("=?").and_then(|rest| rest.strip_suffix("?="));
    let mut parts = inner.unwrap_or_default().split('?');
    let (Some(charset), Some(encoding), Some(text), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Decoded::Readable;
    };
    let is_encoded = match encoding {
        "b" | "B" => is_base64(text),
        "q" | "Q" => is_quoted_printable(text),
        _ => false,
    };
    let is_read = ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known));
    if word.len() >= 8 && !charset.is_empty() && is_encoded && !is_read {
        Decoded::Unreadable
    } else {
        Decoded::Readable
    }
}

/// Padded base64, possibly empty. Line breaks are ignored.
fn is_base64(text: &str) -> bool {
    let text = text.replace(['\r', '\n'], "");
    text.is_empty() || super::codes::is_base64(&text)
}

fn is_quoted_printable(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_right = match byte {
            b'=' => {
                [bytes.next(), bytes.next()].into_iter().all(|digit| digit.is_some_and(|it| it.is_ascii_hexdigit()))
            }
            byte => matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'),
        };
        if !is_right {
            return false;
        }
    }
    true
}
