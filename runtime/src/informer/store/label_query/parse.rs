//! Parses label selectors as Kubernetes does.

use std::cmp::Ordering;

use kube_core::Selector;

use super::Requirement;
use crate::client::selector::{InvalidLabel, Labels};

/// An invalid label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLabelQuery {
    /// The text has a syntax error.
    #[error("`{text}` is not a label selector: expected {expected} {}", place(.text, *.at))]
    Syntax {
        /// The text.
        text: String,
        /// The offset of the error, in bytes.
        at: usize,
        /// The expected syntax.
        expected: &'static str,
    },
    /// `>` or `<` compares with a value other than a non-negative integer.
    #[error("the label `{key}` is compared with `{bound}`: expected a non-negative integer")]
    Number {
        /// The key.
        key: String,
        /// The value that it is compared with.
        bound: String,
    },
    /// The key or value of a label is invalid.
    #[error(transparent)]
    Label(#[from] InvalidLabel),
}

fn place(text: &str, at: usize) -> String {
    match text.get(at..) {
        Some(rest) if !rest.is_empty() => format!("at `{rest}`"),
        _ => "at its end".to_owned(),
    }
}

/// Parses the requirements.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, InvalidLabelQuery> {
    let mut tokens = Tokenizer { text, at: 0 };
    let mut requirements = Vec::new();
    if tokens.next_is_end() {
        return Ok(requirements);
    }
    loop {
        requirements.push(requirement(&mut tokens)?);
        if tokens.next_is_end() {
            return Ok(requirements);
        }
        if !tokens.take(",") {
            return Err(tokens.expected("`,`"));
        }
    }
}

fn requirement(tokens: &mut Tokenizer<'_>) -> Result<Requirement, InvalidLabelQuery> {
    if tokens.take("!") {
        let key = tokens.word("a key")?;
        return one(Labels::new().does_not_exist(key)?);
    }
    let key = tokens.word("a key or `!`")?;
    let labels = Labels::new();
    if tokens.next_is_end() || tokens.next_is(",") {
        return one(labels.exists(key)?);
    }
    match () {
        () if tokens.take("!=") => one(labels.not_equal(key, tokens.value())?),
        () if tokens.take("==") || tokens.take("=") => one(labels.equal(key, tokens.value())?),
        () if tokens.take(">") => compared(key, Ordering::Greater, tokens.value()),
        () if tokens.take("<") => compared(key, Ordering::Less, tokens.value()),
        () if tokens.take_keyword("in") => one(labels.one_of(key, tokens.values()?)?),
        () if tokens.take_keyword("notin") => one(labels.none_of(key, tokens.values()?)?),
        () => Err(tokens.expected("`,` or an operator, such as `=` or `in`,")),
    }
}

fn one(labels: Labels) -> Result<Requirement, InvalidLabelQuery> {
    let mut expressions = Selector::from(labels).into_iter();
    Ok(expressions.next().expect("exactly one requirement").into())
}

fn compared(key: &str, ordering: Ordering, bound: &str) -> Result<Requirement, InvalidLabelQuery> {
    Labels::new().exists(key)?;
    match bound.parse() {
        Ok(number) if number >= 0 && !bound.starts_with('+') => {
            Ok(Requirement::Compared(key.to_owned(), ordering, number))
        }
        _ => Err(InvalidLabelQuery::Number { key: key.to_owned(), bound: bound.to_owned() }),
    }
}

/// A tokenizer.
struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokenizer<'a> {
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

    fn take_keyword(&mut self, word: &str) -> bool {
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

    /// Returns the text before the next sign, which may be empty.
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
        if self.take(")") { Ok(values) } else { Err(self.expected("`,` or `)`")) }
    }

    fn expected(&self, expected: &'static str) -> InvalidLabelQuery {
        InvalidLabelQuery::Syntax { text: self.text.to_owned(), at: self.at, expected }
    }
}

#[cfg(test)]
mod tests {
    use crate::informer::LabelQuery;

    #[test]
    fn text_is_parsed_as_by_kubernetes() {
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
            let query: LabelQuery = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(query.to_string(), read, "{text}");
            assert_eq!(read.parse(), Ok(query), "{text}");
        }
    }

    #[test]
    fn errors_point_to_their_position() {
        for (text, error) in [
            (",", "expected a key or `!` at `,`"),
            ("a,", "expected a key or `!` at its end"),
            ("a,,b", "expected a key or `!` at `,b`"),
            ("!", "expected a key at its end"),
            ("!a=b", "expected `,` at `=b`"),
            ("a b", "expected `,` or an operator, such as `=` or `in`, at `b`"),
            ("a=b c", "expected `,` at `c`"),
            ("a=b=c", "expected `,` at `=c`"),
            ("a in b", "expected `(` at `b`"),
            ("a in (b", "expected `,` or `)` at its end"),
            ("a in (b c)", "expected `,` or `)` at `c)`"),
            ("(a)", "expected a key or `!` at `(a)`"),
            ("é in (a)", "`é` is not a label key"),
            ("a=é", "the label `a` cannot have the value"),
            ("a in ()", "the label `a` is compared with no values"),
            ("a>b", "the label `a` is compared with `b`: expected a non-negative integer"),
            ("a<-1", "the label `a` is compared with `-1`"),
            ("a>", "the label `a` is compared with ``"),
            ("-a>1", "`-a` is not a label key"),
        ] {
            let found = text.parse::<LabelQuery>().unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }
}
