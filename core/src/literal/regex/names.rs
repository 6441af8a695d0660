//! Named classes: `\d`, `[:alpha:]`, `\p{Greek}`.

use alloc::{string::String, vec::Vec};

use super::{
    ErrorKind,
    class::Class,
    node::Flags,
    parser::{ParseResult, Parser, before, error, next},
};
use crate::go::unicode::{self, MAX, Range};

const DIGIT: Range = (0x30, 0x39);
const UPPER: Range = (0x41, 0x5A);
const LOWER: Range = (0x61, 0x7A);
const SPACE: Range = (0x20, 0x20);
const WORD: &[Range] = &[DIGIT, UPPER, (0x5F, 0x5F), LOWER];

/// The characters of `\d`, `\s` and `\w`.
fn perl(letter: u8) -> Option<&'static [Range]> {
    Some(match letter {
        b'd' => &[DIGIT],
        b's' => &[(0x9, 0xA), (0xC, 0xD), SPACE],
        b'w' => WORD,
        _ => return None,
    })
}

/// The characters of a class such as `[:alpha:]`.
fn posix(name: &str) -> Option<&'static [Range]> {
    Some(match name {
        "alnum" => &[DIGIT, UPPER, LOWER],
        "alpha" => &[UPPER, LOWER],
        "ascii" => &[(0x0, 0x7F)],
        "blank" => &[(0x9, 0x9), SPACE],
        "cntrl" => &[(0x0, 0x1F), (0x7F, 0x7F)],
        "digit" => &[DIGIT],
        "graph" => &[(0x21, 0x7E)],
        "lower" => &[LOWER],
        "print" => &[(0x20, 0x7E)],
        "punct" => &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
        "space" => &[(0x9, 0xD), SPACE],
        "upper" => &[UPPER],
        "word" => WORD,
        "xdigit" => &[DIGIT, (0x41, 0x46), (0x61, 0x66)],
        _ => return None,
    })
}

impl<'p> Parser<'p> {
    /// Adds a class such as `\d`. Returns the rest, if the text starts with one.
    pub(super) fn perl_class(&self, text: &'p str, class: &mut Class) -> Option<&'p str> {
        let [b'\\', letter, ..] = text.as_bytes() else {
            return None;
        };
        let ranges = perl(letter.to_ascii_lowercase())?;
        self.add_named(class, ranges, letter.is_ascii_uppercase());
        Some(&text[2..])
    }

    /// Adds a class such as `[:alpha:]`. Returns the rest, if the text starts with one.
    pub(super) fn posix_class(&self, text: &'p str, class: &mut Class) -> ParseResult<'p, Option<&'p str>> {
        let inner = text.strip_prefix("[:");
        let Some((name, rest)) = inner.and_then(|inner| inner.split_once(":]")) else {
            return Ok(None);
        };
        let plain = name.strip_prefix('^');
        let Some(ranges) = posix(plain.unwrap_or(name)) else {
            return Err(error(ErrorKind::InvalidCharRange, before(text, rest)));
        };
        self.add_named(class, ranges, plain.is_some());
        Ok(Some(rest))
    }

    fn add_named(&self, class: &mut Class, ranges: &[Range], negated: bool) {
        let named = if self.flags.has(Flags::FOLD_CASE) { Class::folded(ranges) } else { Class(ranges.into()) };
        add(class, &named, negated);
    }

    /// Adds a class such as `\p{Greek}`. Returns the rest, if the text starts with one.
    pub(super) fn unicode_class(&self, text: &'p str, class: &mut Class) -> ParseResult<'p, Option<&'p str>> {
        let [b'\\', letter @ (b'p' | b'P'), ..] = text.as_bytes() else {
            return Ok(None);
        };
        let mut negated = *letter == b'P';
        let wrong = |fragment| error(ErrorKind::InvalidCharRange, fragment);
        let (name, rest) = match next(&text[2..]) {
            Some(('{', tail)) => tail.split_once('}').ok_or(wrong(text))?,
            Some((_, rest)) => (before(&text[2..], rest), rest),
            None => return Err(wrong(text)),
        };
        let plain = name.strip_prefix('^');
        negated ^= plain.is_some();
        let found = lookup(plain.unwrap_or(name)).ok_or(wrong(before(text, rest)))?;
        let named = if self.flags.has(Flags::FOLD_CASE) && found.folds {
            Class::folded(&found.ranges)
        } else {
            Class(found.ranges)
        };
        add(class, &named, negated != found.negated);
        Ok(Some(rest))
    }
}

fn add(class: &mut Class, named: &Class, negated: bool) {
    if negated { class.add_all(&named.negated().0) } else { class.add_all(&named.0) }
}

struct NamedClass {
    ranges: Vec<Range>,
    /// Whether the class is the complement.
    negated: bool,
    /// Whether the class includes case variants when case is ignored.
    folds: bool,
}

/// Looks up a class of Unicode, regardless of case, underscores, dashes and spaces. Scripts of several words cannot be found,
/// because their names have underscores in Go's tables.
fn lookup(name: &str) -> Option<NamedClass> {
    let name = canonical(name);
    let found = |ranges| NamedClass { ranges, negated: false, folds: true };
    match name.as_str() {
        "Any" => return Some(found([(0, MAX)].into())),
        "Ascii" => return Some(found([(0, 0x7F)].into())),
        "Assigned" => {
            let negated = true;
            let unassigned = unicode::category("Cn").map(found);
            return unassigned.map(|class| NamedClass { negated, ..class });
        }
        _ => {}
    }
    if name == "Lc" || name == "Casedletter" {
        // Go has no table of case variants for these.
        let folds = false;
        let letters = unicode::category("LC").map(found);
        return letters.map(|class| NamedClass { folds, ..class });
    }
    let named = unicode::category(&name)
        .or_else(|| unicode::script(&name))
        .or_else(|| unicode::category(unicode::alias(&name)?));
    named.map(found)
}

fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    let cased = letters.enumerate().map(|(at, letter)| match at {
        0 => letter.to_ascii_uppercase(),
        _ => letter.to_ascii_lowercase(),
    });
    cased.collect()
}
