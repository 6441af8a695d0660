//! What a rule returns when it is broken.

use core::fmt;

use crate::{Message, admission::go, literal::quoted};

/// A rule about CustomResourceDefinitions, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A letter for the family and a number, such as `L6`.
    pub id: &'static str,
    /// What holds of a definition that keeps the rule, in one sentence.
    pub statement: &'static str,
    /// What becomes of a definition that breaks it.
    pub severity: Severity,
    /// Where the rule is asked.
    pub stages: &'static [Stage],
}

/// What becomes of a definition that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The server refuses it.
    Error,
    /// The server accepts it, and it cannot do what it says: no value passes, or something is lost without a word.
    Defect,
    /// The server accepts it and warns.
    Warning,
    /// The server accepts it, and something else was probably meant.
    Lint,
}

impl Severity {
    /// Whether a definition that breaks such a rule is of no use as it stands.
    pub const fn is_fatal(self) -> bool {
        matches!(self, Self::Error | Self::Defect)
    }
}

/// Where a rule is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// While a derive expands, of a literal.
    Derive,
    /// In const evaluation, of a type.
    Const,
    /// Of a finished definition.
    Validate,
    /// It holds of all that can be read, written or derived; nothing is asked.
    Never(&'static str),
}

/// A broken rule: what crdkit says of it, and what the server answers.
#[derive(Clone, Copy, Debug)]
pub struct Violation<'a> {
    /// The rule.
    pub rule: &'static Rule,
    /// What is wrong and what to write.
    pub message: Text<'a>,
    /// What the server answers; for a lint, nothing.
    pub server_error: Option<ServerError<'a>>,
}

/// What the server answers to a broken rule: one error of a field.
#[derive(Clone, Copy, Debug)]
pub struct ServerError<'a> {
    /// The field below the node or part that is judged, as the server writes it: `.type`, `.items.nullable`; often empty.
    pub field: Text<'a>,
    /// The kind of error.
    pub kind: ErrorType,
    /// The value that the server quotes, as the server writes it, if it quotes one.
    pub value: Option<Arg<'a>>,
    /// What stands behind the kind and the value.
    pub detail: Text<'a>,
}

/// The kind of an error of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// `Required value`.
    Required,
    /// `Invalid value`.
    Invalid,
    /// `Unsupported value`.
    NotSupported,
    /// `Forbidden`.
    Forbidden,
    /// `Duplicate value`.
    Duplicate,
    /// `Too long`.
    TooLong,
    /// `Too many`.
    TooMany,
    /// `Internal error`.
    Internal,
    /// A warning, whose detail is all of its text.
    Warning,
    /// An answer of another form, such as that of a failed decode, whose detail is all of its text.
    Other,
}

/// A sentence with up to six places, written `{}`, that arguments fill.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    template: &'a str,
    args: [Arg<'a>; Text::PLACEHOLDERS],
}

/// What fills a place of a [`Text`].
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// Nothing.
    None,
    /// A text, as it is.
    Text(&'a str),
    /// A text in double quotes, escaped as Go's `%q` does.
    Quoted(&'a str),
    /// A text in double quotes, escaped as JSON, as the server writes what may be missing.
    Json(&'a str),
    /// An integer.
    Integer(i64),
    /// A number, in the shortest form.
    Number(f64),
    /// The code of a character, with four hexadecimal digits or more.
    Hex(u32),
    /// Anything else, which only run time can write.
    Display(&'a dyn ArgDisplay),
}

/// What can be written and debugged.
pub trait ArgDisplay: fmt::Display + fmt::Debug {}

impl<T: fmt::Display + fmt::Debug> ArgDisplay for T {}

impl<'a> Text<'a> {
    const PLACEHOLDERS: usize = 6;

    /// Nothing.
    pub const EMPTY: Self = Self::literal("");

    /// A sentence without places.
    pub const fn literal(template: &'a str) -> Self {
        Self { template, args: [Arg::None; Self::PLACEHOLDERS] }
    }

    /// A sentence with places.
    pub const fn new(template: &'a str, args: &[Arg<'a>]) -> Self {
        let mut text = Self::literal(template);
        let mut at = 0;
        while at < args.len() {
            text.args[at] = args[at];
            at += 1;
        }
        text
    }

    /// A sentence whose places are filled with texts.
    pub const fn format<const N: usize>(template: &'a str, texts: [&'a str; N]) -> Self {
        let mut text = Self::literal(template);
        let mut at = 0;
        while at < N {
            text.args[at] = Arg::Text(texts[at]);
            at += 1;
        }
        text
    }

    /// Whether there is nothing to write.
    pub const fn is_empty(&self) -> bool {
        self.template.is_empty()
    }

    /// The sentence, put together in const evaluation. What only run time can write is left out.
    pub const fn message(&self) -> Message {
        let mut message = Message::new();
        let mut rest = self.template;
        let mut next = 0;
        while let Some((before, after)) = split_at_placeholder(rest) {
            message = message.then(before);
            message = match self.args[next] {
                Arg::None | Arg::Display(_) => message,
                Arg::Text(text) => message.then(text),
                Arg::Quoted(text) | Arg::Json(text) => message.then("\"").then(text).then("\""),
                Arg::Integer(value) => message.then_integer(value),
                Arg::Number(value) => message.then_number(value),
                Arg::Hex(value) => message.then_hex(value),
            };
            next += 1;
            rest = after;
        }
        message.then(rest)
    }
}

/// What stands before the first `{}`, and behind it.
const fn split_at_placeholder(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b'{' && bytes[at + 1] == b'}' {
            let (before, rest) = text.split_at(at);
            return Some((before, rest.split_at(2).1));
        }
        at += 1;
    }
    None
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.template;
        let mut args = self.args.iter();
        while let Some((before, after)) = split_at_placeholder(rest) {
            f.write_str(before)?;
            if let Some(arg) = args.next() {
                arg.fmt(f)?;
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

impl fmt::Display for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Quoted(text) => quoted::write(text, f),
            Self::Json(text) => go::write_text(text, f),
            Self::Integer(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Hex(value) => write!(f, "{value:04X}"),
            Self::Display(value) => value.fmt(f),
        }
    }
}

impl<'a> Violation<'a> {
    /// A broken rule of which the server says nothing.
    pub const fn new(rule: &'static Rule, message: Text<'a>) -> Self {
        Self { rule, message, server_error: None }
    }

    /// The violation, with what the server answers.
    #[must_use]
    pub const fn with_server_error(mut self, server_error: ServerError<'a>) -> Self {
        self.server_error = Some(server_error);
        self
    }

    /// The violation, with another value that the server quotes, if it quotes one.
    #[must_use]
    pub const fn with_value(mut self, value: Arg<'a>) -> Self {
        if let Some(server_error) = self.server_error {
            self.server_error = Some(server_error.with_value(value));
        }
        self
    }
}

impl<'a> ServerError<'a> {
    /// An error of a field below the part that is judged.
    pub const fn new(kind: ErrorType, field: &'a str, detail: &'a str) -> Self {
        Self { field: Text::literal(field), kind, value: None, detail: Text::literal(detail) }
    }

    /// The answer with the value that the server quotes.
    #[must_use]
    pub const fn with_value(mut self, value: Arg<'a>) -> Self {
        self.value = Some(value);
        self
    }
}

impl ErrorType {
    /// What the server writes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
            Self::Warning | Self::Other => "",
        }
    }
}

/// What the server writes behind the path of the field and `: `.
impl fmt::Display for ServerError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ErrorType::Warning | ErrorType::Other = self.kind {
            return self.detail.fmt(f);
        }
        f.write_str(self.kind.as_str())?;
        if let Some(value) = self.value {
            write!(f, ": {value}")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn texts_are_the_same_in_const_evaluation() {
        const TEXT: Text = Text::new("`{}` has {} of {}", &[Arg::Text("a"), Arg::Integer(-12), Arg::Number(0.5)]);
        const MESSAGE: Message = TEXT.message();
        assert_eq!(TEXT.to_string(), "`a` has -12 of 0.5");
        assert_eq!(MESSAGE.as_str(), TEXT.to_string());
    }

    #[test]
    fn answers() {
        let server_error =
            ServerError::new(ErrorType::Invalid, ".type", "must be object").with_value(Arg::Quoted("string"));
        assert_eq!(server_error.to_string(), "Invalid value: \"string\": must be object");
        let server_error = ServerError::new(ErrorType::Required, "", "");
        assert_eq!(server_error.to_string(), "Required value");
    }
}
