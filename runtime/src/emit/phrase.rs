//! Texts in which parts are code, for Markdown, HTML and comments.

use std::fmt;

/// A text in which parts are code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase(Vec<Span>);

/// A part of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Prose.
    Text(String),
    /// Any characters, which are shown as they are.
    Code(String),
}

impl Phrase {
    /// Creates a phrase that starts with a text.
    pub fn of(text: impl Into<String>) -> Self {
        Self::default().text(text)
    }

    /// Adds a text.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.0.last_mut() {
            Some(Span::Text(before)) => before.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.0.push(Span::Text(text)),
        }
        self
    }

    /// Adds code.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.0.push(Span::Code(code.into()));
        self
    }

    /// Adds code with a separator between each two.
    pub fn codes<T: Into<String>>(self, codes: impl IntoIterator<Item = T>, separator: &str) -> Self {
        codes.into_iter().enumerate().fold(self, |phrase, (at, code)| match at {
            0 => phrase.code(code),
            _ => phrase.text(separator).code(code),
        })
    }

    /// Adds another phrase.
    pub fn then(self, other: Self) -> Self {
        other.0.into_iter().fold(self, |phrase, span| match span {
            Span::Text(text) => phrase.text(text),
            Span::Code(code) => phrase.code(code),
        })
    }

    /// Reads a description, in which code is between the same number of backticks, as in Markdown.
    pub fn parse(description: &str) -> Self {
        let mut phrase = Self::default();
        let mut rest = description;
        while let Some(start) = rest.find('`') {
            let (before, from) = rest.split_at(start);
            let fence = &from[..from.len() - from.trim_start_matches('`').len()];
            let after = &from[fence.len()..];
            phrase = phrase.text(before);
            match code_end(after, fence.len()) {
                Some(end) => {
                    phrase = phrase.code(unpadded(&after[..end]));
                    rest = &after[end + fence.len()..];
                }
                None => {
                    phrase = phrase.text(fence);
                    rest = after;
                }
            }
        }
        phrase.text(rest)
    }

    /// Returns the parts.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Returns the phrase with a capital first letter, and a full stop unless it ends in another mark.
    pub fn sentence(mut self) -> Self {
        if let Some(Span::Text(first)) = self.0.first_mut() {
            let mut letters = first.chars();
            let capital: String = letters.next().map(|it| it.to_uppercase().collect()).unwrap_or_default();
            *first = format!("{capital}{}", letters.as_str());
        }
        let is_ended = match self.0.last() {
            Some(Span::Text(text)) => text.trim_end().ends_with(['.', '!', '?', ':']),
            Some(Span::Code(_)) => false,
            None => true,
        };
        self.text(if is_ended { "" } else { "." })
    }
}

/// Returns where a run of this number of backticks begins.
fn code_end(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`') {
        let run = text[at + start..].len() - text[at + start..].trim_start_matches('`').len();
        if run == fence {
            return Some(at + start);
        }
        at += start + run;
    }
    None
}

/// Returns code without the space that separates backticks at its ends from the fence.
fn unpadded(code: &str) -> &str {
    let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(code)
}

/// Backticks around code.
impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| match span {
            Span::Text(text) => f.write_str(text),
            Span::Code(code) => write!(f, "`{code}`"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_between_equal_fences() {
        for (text, expected) in [
            ("a `b` c", Phrase::of("a ").code("b").text(" c")),
            ("`` a`b `` `c", Phrase::default().code("a`b").text(" `c")),
            ("a ``` b", Phrase::of("a ``` b")),
            ("`a``b`", Phrase::default().code("a``b")),
        ] {
            assert_eq!(Phrase::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn sentences_end() {
        for (phrase, expected) in [
            (Phrase::of("matches ").code("^a$"), "Matches `^a$`."),
            (Phrase::of("is it?"), "Is it?"),
            (Phrase::default().code("a.").text(" and b"), "`a.` and b."),
            (Phrase::default(), ""),
        ] {
            assert_eq!(phrase.sentence().to_string(), expected);
        }
    }
}
