//! Regular expressions, as the server's language Go has them.

use darling::{Error, FromMeta, Result};
use syn::{Expr, Meta};

use super::{items, schemars::string};

/// A regular expression: a literal that was looked at, or a constant.
pub(crate) struct Regex(pub(crate) Expr);

impl FromMeta for Regex {
    fn from_meta(item: &Meta) -> Result<Self> {
        let key = items::name(item);
        let form = || Error::custom(format!("expected `{key} = \"^[a-z]+$\"`"));
        let Meta::NameValue(value) = item else {
            return Err(form().with_span(item));
        };
        let expr = &value.value;
        match (string(expr), expr) {
            (Some(text), _) => match mistake(&text.value()) {
                Some(mistake) => Err(Error::custom(mistake).with_span(text)),
                None => Ok(Self(expr.clone())),
            },
            (None, Expr::Lit(_)) => Err(form().with_span(expr)),
            (None, _) => Ok(Self(expr.clone())),
        }
    }
}

/// What the server would refuse, of that which shows without a parser of the whole language.
fn mistake(pattern: &str) -> Option<String> {
    let mut scan = Scan {
        rest: pattern,
        open: 0,
    };
    while !scan.rest.is_empty() {
        if let Err(mistake) = scan.step() {
            return Some(format!("the server cannot read this pattern: {mistake}"));
        }
    }
    (scan.open > 0).then(|| "the server cannot read this pattern: a `(` is not closed".to_owned())
}

struct Scan<'a> {
    rest: &'a str,
    /// How many groups are open.
    open: usize,
}

impl Scan<'_> {
    fn step(&mut self) -> std::result::Result<(), String> {
        let mut chars = self.rest.chars();
        let Some(first) = chars.next() else {
            return Ok(());
        };
        let tail = chars.as_str();
        match first {
            '\\' => return self.escape(tail),
            '[' => return self.class(tail),
            '(' => {
                group(tail)?;
                self.open += 1;
            }
            ')' if self.open == 0 => return Err("a `)` has no `(`".to_owned()),
            ')' => self.open -= 1,
            '{' => repetition(tail)?,
            _ => {}
        }
        self.rest = tail;
        Ok(())
    }

    fn escape(&mut self, tail: &str) -> std::result::Result<(), String> {
        let Some(escaped) = tail.chars().next() else {
            return Err("it ends in `\\`".to_owned());
        };
        match escaped {
            'Q' => {
                let end = tail.find("\\E").map_or(tail.len(), |at| at + 2);
                self.rest = &self.rest[1 + end..];
                return Ok(());
            }
            '1'..='9' => {
                return Err(format!(
                    "`\\{escaped}` repeats a group, which Go's expressions cannot"
                ));
            }
            'Z' => return Err("Go has no `\\Z`: write `$`".to_owned()),
            'u' => return Err("Go has no `\\u`: write `\\x{...}`".to_owned()),
            _ => {}
        }
        self.rest = &self.rest[1 + escaped.len_utf8()..];
        Ok(())
    }

    /// Skips `[...]`; a `]` at its start is a character.
    fn class(&mut self, tail: &str) -> std::result::Result<(), String> {
        let negated = tail.strip_prefix('^').unwrap_or(tail);
        let mut rest = negated.strip_prefix(']').unwrap_or(negated);
        loop {
            let mut chars = rest.chars();
            match chars.next() {
                None => return Err("a `[` is not closed".to_owned()),
                Some('\\') => {
                    chars.next();
                }
                Some('[') if chars.as_str().starts_with(':') => {
                    if let Some(end) = chars.as_str().find(":]") {
                        rest = &chars.as_str()[end + 2..];
                        continue;
                    }
                }
                Some(']') => {
                    self.rest = &self.rest[self.rest.len() - chars.as_str().len()..];
                    return Ok(());
                }
                Some(_) => {}
            }
            rest = chars.as_str();
        }
    }
}

fn group(tail: &str) -> std::result::Result<(), String> {
    let looks = ["?=", "?!", "?<=", "?<!"];
    if let Some(look) = looks.iter().find(|look| tail.starts_with(**look)) {
        return Err(format!(
            "`({look}` looks around, which Go's expressions cannot: write a rule, \
             `validation = ...`"
        ));
    }
    match tail.starts_with("?>") {
        true => Err("Go has no atomic groups: write `(?:`".to_owned()),
        false => Ok(()),
    }
}

/// `{n}`, `{n,}` or `{n,m}` count to 1000; anything else in braces is text.
fn repetition(tail: &str) -> std::result::Result<(), String> {
    let Some((counts, _)) = tail.split_once('}') else {
        return Ok(());
    };
    let (least, most) = counts.split_once(',').unwrap_or((counts, ""));
    let is_count = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if least.is_empty() || !is_count(least) || !is_count(most) {
        return Ok(());
    }
    let count = |text: &str| {
        text.parse::<u64>()
            .unwrap_or(if text.is_empty() { 0 } else { u64::MAX })
    };
    if count(least) > 1000 || count(most) > 1000 {
        return Err("Go repeats 1000 times at most".to_owned());
    }
    match most.is_empty() || count(least) <= count(most) {
        true => Ok(()),
        false => Err(format!("`{{{counts}}}` has no number in between")),
    }
}

#[cfg(test)]
mod tests {
    use super::mistake;

    #[test]
    fn what_the_server_reads() {
        for pattern in [
            "",
            "^[a-z]([-a-z0-9]*[a-z0-9])?$",
            r"^\d{1,1000}$",
            r"[]a]",
            r"[^]\]a(]",
            r"[[:alpha:]()]",
            r"\Q(((\E",
            r"(?P<name>a)(?<other>b)(?i:c)",
            r"a{,2}",
            r"a{b}",
            r"\(\[\)é\z",
        ] {
            assert_eq!(mistake(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn what_it_does_not() {
        for (pattern, expected) in [
            ("(a", "a `(` is not closed"),
            ("a)", "a `)` has no `(`"),
            ("[a", "a `[` is not closed"),
            ("a\\", "it ends in"),
            ("(?=a)", "looks around"),
            ("(?<!a)", "looks around"),
            (r"(a)\1", "repeats a group"),
            ("(?>a)", "atomic"),
            ("a{1001}", "1000"),
            ("a{2,1}", "in between"),
            (r"a\Z", "Z"),
            (r"\u0041", "u"),
        ] {
            let found = mistake(pattern).unwrap_or_default();
            assert!(found.contains(expected), "{pattern}: {found}");
        }
    }
}
