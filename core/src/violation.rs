//! The result of a broken rule.

use core::fmt;

use crate::{
    Message,
    go::{self, quoted},
};

/// A rule for CustomResourceDefinitions, or for the objects that configure admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A letter for the family and a number, such as `L6`.
    pub id: &'static str,
    /// The rule, as one sentence.
    pub statement: &'static str,
    /// The consequence of breaking it.
    pub severity: Severity,
    /// When the rule is checked.
    pub stages: &'static [Stage],
}

/// The consequence of breaking a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The server rejects the definition.
    Error,
    /// The server accepts the definition, but it does not work: no value passes, or data is lost silently.
    Defect,
    /// The server accepts the definition with a warning.
    Warning,
    /// The server accepts the definition, but it is probably a mistake.
    Lint,
}

impl Rule {
    /// Whether the rule is for objects that configure admission, and not for definitions.
    pub fn is_of_registration(&self) -> bool {
        self.stages.contains(&Stage::Registration)
    }
}

impl Severity {
    /// Whether a definition that violates such a rule is unusable.
    pub const fn is_fatal(self) -> bool {
        matches!(self, Self::Error | Self::Defect)
    }
}

/// When a rule is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// While a derive expands, on a literal.
    Derive,
    /// In const evaluation, on a type.
    Const,
    /// On a finished definition.
    Validate,
    /// On a webhook configuration, an admission policy or its binding.
    Registration,
    /// Never, for this reason: nothing that crdkit reads or writes can break it, or another rule covers it.
    Never(&'static str),
}

/// A broken rule, with crdkit's message and the server's error.
#[derive(Clone, Copy, Debug)]
pub struct Violation<'a> {
    /// The rule.
    pub rule: &'static Rule,
    /// What is wrong and what to write.
    pub message: Text<'a>,
    /// The server's error or warning; `None` if the server reports nothing.
    pub server_error: Option<ServerError<'a>>,
}

/// The server's report of a broken rule: one field error, as in apimachinery's `field.Error`.
#[derive(Clone, Copy, Debug)]
pub struct ServerError<'a> {
    /// The field, relative to the checked node or part, as the server writes it: `.type`, `.items.nullable`; often empty.
    pub field: Text<'a>,
    /// The type of error.
    pub kind: ErrorType,
    /// The value that the server quotes, if any, as the server writes it.
    pub value: Option<Arg<'a>>,
    /// The text after the type of error and the value.
    pub detail: Text<'a>,
}

/// The type of a field error, as in apimachinery's `field.ErrorType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// `Required value`.
    Required,
    /// `Invalid value`.
    Invalid,
    /// `Invalid value`, because the value has another type.
    TypeInvalid,
    /// `Unsupported value`.
    NotSupported,
    /// `Forbidden`.
    Forbidden,
    /// `Duplicate value`.
    Duplicate,
    /// `Not found`.
    NotFound,
    /// `Too long`.
    TooLong,
    /// `Too many`.
    TooMany,
    /// `Internal error`.
    Internal,
    /// A warning; the detail is its whole text.
    Warning,
    /// An error in another format, such as that of a failed decode; the detail is its whole text.
    Other,
}

/// A text with up to six placeholders, written `{}`, and their arguments.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    template: &'a str,
    args: [Arg<'a>; Text::PLACEHOLDERS],
}

/// An argument of a [`Text`].
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// No argument.
    None,
    /// A string, unchanged.
    Text(&'a str),
    /// A string in double quotes, escaped as by Go's `%q`.
    Quoted(&'a str),
    /// A string in double quotes, escaped as JSON; the server writes optional strings so.
    Json(&'a str),
    /// An integer.
    Integer(i64),
    /// A number, in its shortest form.
    Number(f64),
    /// A code point, with at least four hexadecimal digits.
    Hex(u32),
    /// Any other value, which can be formatted only at run time.
    Display(&'a dyn ArgDisplay),
}

/// A value with [`fmt::Display`] and [`fmt::Debug`].
pub trait ArgDisplay: fmt::Display + fmt::Debug {}

impl<T: fmt::Display + fmt::Debug> ArgDisplay for T {}

impl<'a> Text<'a> {
    /// The maximum number: const evaluation has no allocator.
    const PLACEHOLDERS: usize = 6;

    /// The empty text.
    pub const EMPTY: Self = Self::literal("");

    /// A text without placeholders.
    pub const fn literal(template: &'a str) -> Self {
        Self { template, args: [Arg::None; Self::PLACEHOLDERS] }
    }

    /// A text with placeholders.
    pub const fn new(template: &'a str, args: &[Arg<'a>]) -> Self {
        let mut text = Self::literal(template);
        let mut at = 0;
        while at < args.len() {
            text.args[at] = args[at];
            at += 1;
        }
        text
    }

    /// A text whose placeholders are replaced with strings.
    pub const fn format<const N: usize>(template: &'a str, texts: [&'a str; N]) -> Self {
        let mut text = Self::literal(template);
        let mut at = 0;
        while at < N {
            text.args[at] = Arg::Text(texts[at]);
            at += 1;
        }
        text
    }

    /// Whether the text is empty.
    pub const fn is_empty(&self) -> bool {
        self.template.is_empty()
    }

    /// Formats the text in const evaluation. Arguments that can be formatted only at run time are omitted.
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

/// Splits the text at the first `{}`.
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
    /// A broken rule that the server does not report.
    pub const fn new(rule: &'static Rule, message: Text<'a>) -> Self {
        Self { rule, message, server_error: None }
    }

    /// Adds the server's error.
    #[must_use]
    pub const fn with_server_error(mut self, server_error: ServerError<'a>) -> Self {
        self.server_error = Some(server_error);
        self
    }

    /// Replaces the value in the server's error, if there is an error.
    #[must_use]
    pub const fn with_value(mut self, value: Arg<'a>) -> Self {
        if let Some(server_error) = self.server_error {
            self.server_error = Some(server_error.with_value(value));
        }
        self
    }
}

impl<'a> ServerError<'a> {
    /// An error of a field, relative to the checked part.
    pub const fn new(kind: ErrorType, field: &'a str, detail: &'a str) -> Self {
        Self { field: Text::literal(field), kind, value: None, detail: Text::literal(detail) }
    }

    /// Adds the value that the server quotes.
    #[must_use]
    pub const fn with_value(mut self, value: Arg<'a>) -> Self {
        self.value = Some(value);
        self
    }
}

impl ErrorType {
    /// Returns the server's text for the type of error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::NotFound => "Not found",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
            Self::Warning | Self::Other => "",
        }
    }

    /// Returns the reason of a cause in the details of the server's response, such as `FieldValueRequired`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid | Self::Other | Self::Warning => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }
}

/// The server's text after the path of the field and `: `.
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
