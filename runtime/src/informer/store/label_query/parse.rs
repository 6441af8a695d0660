//! The text of a label selector, as Kubernetes reads it.

use std::cmp::Ordering;

use kube_core::Selector;

use super::Requirement;
use crate::client::{InvalidLabel, Labels};

/// Why a text is no label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLabelQuery {
    /// The text is not made of requirements.
    #[error("`{text}` is no label selector: expected {expected} {}", place(.text, *.at))]
    Syntax {
        /// The text.
        text: String,
        /// Where it goes wrong, in bytes.
        at: usize,
        /// What would be right there.
        expected: &'static str,
    },
    /// `>` and `<` compare with something else than a whole number.
    #[error(
        "the label `{key}` is compared with `{bound}`: expected a whole number that is not negative"
    )]
    Number {
        /// The key.
        key: String,
        /// What it is compared with.
        bound: String,
    },
    /// No object can have such a label.
    #[error(transparent)]
    Label(#[from] InvalidLabel),
}

fn place(text: &str, at: usize) -> String {
    match text.get(at..) {
        Some(rest) if !rest.is_empty() => format!("at `{rest}`"),
        _ => "at its end".to_owned(),
    }
}

/// The requirements.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, InvalidLabelQuery> {
    let mut words = Words { text, at: 0 };
    let mut requirements = Vec::new();
    if words.next_is_end() {
        return Ok(requirements);
    }
    loop {
        requirements.push(requirement(&mut words)?);
        if words.next_is_end() {
            return Ok(requirements);
        }
        if !words.take(",") {
            return Err(words.expected("`,`"));
        }
    }
}

fn requirement(words: &mut Words<'_>) -> Result<Requirement, InvalidLabelQuery> {
    if words.take("!") {
        let key = words.word("a key")?;
        return one(Labels::new().does_not_exist(key)?);
    }
    let key = words.word("a key or `!`")?;
    let labels = Labels::new();
    if words.next_is_end() || words.next_is(",") {
        return one(labels.exists(key)?);
    }
    match () {
        () if words.take("!=") => one(labels.not_equal(key, words.value())?),
        () if words.take("==") || words.take("=") => one(labels.equal(key, words.value())?),
        () if words.take(">") => compared(key, Ordering::Greater, words.value()),
        () if words.take("<") => compared(key, Ordering::Less, words.value()),
        () if words.take_word("in") => one(labels.one_of(key, words.values()?)?),
        () if words.take_word("notin") => one(labels.none_of(key, words.values()?)?),
        () => Err(words.expected("`,` or an operator, such as `=` or `in`,")),
    }
}

fn one(labels: Labels) -> Result<Requirement, InvalidLabelQuery> {
    let mut expressions = Selector::from(labels).into_iter();
    Ok(expressions.next().expect("one requirement").into())
}

fn compared(key: &str, ordering: Ordering, bound: &str) -> Result<Requirement, InvalidLabelQuery> {
    Labels::new().exists(key)?;
    match bound.parse() {
        Ok(number) if number >= 0 && !bound.starts_with('+') => {
            Ok(Requirement::Compared(key.to_owned(), ordering, number))
        }
        _ => Err(InvalidLabelQuery::Number {
            key: key.to_owned(),
            bound: bound.to_owned(),
        }),
    }
}

/// The text from some place on.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn next_is_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn next_is(&mut self, sign: &str) -> bool {
        self.rest().starts_with(sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_next = self.next_is(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    fn take_word(&mut self, word: &str) -> bool {
        let before = self.at;
        let is_next = self.value() == word;
        if !is_next {
            self.at = before;
        }
        is_next
    }

    fn word(&mut self, expected: &'static str) -> Result<&'a str, InvalidLabelQuery> {
        match self.value() {
            "" => Err(self.expected(expected)),
            word => Ok(word),
        }
    }

    /// What stands before the next sign, perhaps nothing.
    fn value(&mut self) -> &'a str {
        let rest = self.rest();
        let is_sign = |c: char| c.is_whitespace() || "!=<>,()".contains(c);
        let (value, _) = rest.split_at(rest.find(is_sign).unwrap_or(rest.len()));
        self.at += value.len();
        value
    }

    fn values(&mut self) -> Result<Vec<&'a str>, InvalidLabelQuery> {
        if !self.take("(") {
            return Err(self.expected("`(`"));
        }
        if self.take(")") {
            return Ok(Vec::new());
        }
        let mut values = vec![self.value()];
        while self.take(",") {
            values.push(self.value());
        }
        match self.take(")") {
            true => Ok(values),
            false => Err(self.expected("`,` or `)`")),
        }
    }

    fn expected(&self, expected: &'static str) -> InvalidLabelQuery {
        InvalidLabelQuery::Syntax {
            text: self.text.to_owned(),
            at: self.at,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::informer::LabelQuery;

    #[test]
    fn text_is_read_as_kubernetes_reads_it() {
        for (text, read) in [
            ("", ""),
            (" \t", ""),
            ("a", "a"),
            (" ! a ,b", "!a,b"),
            ("a=b", "a=b"),
            ("a == b", "a=b"),
            ("a=", "a="),
            ("a=,b!=", "a=,b!="),
            ("a!=b", "a!=b"),
            ("a in (c, b,b)", "a in (b,c)"),
            ("a in(b)", "a=b"),
            ("a in (,b)", "a in (,b)"),
            ("a notin (b,c),in in (in)", "a notin (b,c),in=in"),
            ("a=in,notin", "a=in,notin"),
            ("example.com/a > 10,a<2", "example.com/a>10,a<2"),
        ] {
            let query: LabelQuery = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(query.to_string(), read, "{text}");
            assert_eq!(read.parse(), Ok(query), "{text}");
        }
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        for (text, error) in [
            (",", "expected a key or `!` at `,`"),
            ("a,", "expected a key or `!` at its end"),
            ("a,,b", "expected a key or `!` at `,b`"),
            ("!", "expected a key at its end"),
            ("!a=b", "expected `,` at `=b`"),
            (
                "a b",
                "expected `,` or an operator, such as `=` or `in`, at `b`",
            ),
            ("a=b c", "expected `,` at `c`"),
            ("a=b=c", "expected `,` at `=c`"),
            ("a in b", "expected `(` at `b`"),
            ("a in (b", "expected `,` or `)` at its end"),
            ("a in (b c)", "expected `,` or `)` at `c)`"),
            ("(a)", "expected a key or `!` at `(a)`"),
            ("é in (a)", "`é` is not a label key"),
            ("a=é", "the label `a` cannot have the value"),
            ("a in ()", "the label `a` is compared with no values"),
            (
                "a>b",
                "the label `a` is compared with `b`: expected a whole number",
            ),
            ("a<-1", "the label `a` is compared with `-1`"),
            ("a>", "the label `a` is compared with ``"),
            ("-a>1", "`-a` is not a label key"),
        ] {
            let found = text.parse::<LabelQuery>().unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }
}
