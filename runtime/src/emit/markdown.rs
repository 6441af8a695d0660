//! Texts in Markdown, in the dialect of GitHub, which may stand in cells of tables.

use super::phrase::{Phrase, Span};

/// Returns a phrase on one line, which may be a cell of a table.
pub fn line(phrase: &Phrase) -> String {
    let span = |span: &Span| match span {
        Span::Text(text) => prose(text),
        Span::Code(text) => code(text),
    };
    phrase.spans().iter().map(span).collect()
}

/// Returns a text that may have links and emphasis, but no HTML, no code and no cells of tables.
fn prose(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '<' => line.push_str("&lt;"),
            '`' => line.push_str("&#96;"),
            // A backslash before it would itself be escaped by another one.
            '|' if line.ends_with('\\') => line.push_str("&#124;"),
            '|' => line.push_str("\\|"),
            letter if letter.is_whitespace() || letter.is_control() => line.push(' '),
            letter => line.push(letter),
        }
    }
    line
}

/// Returns code, which may be in a cell of a table.
pub fn code(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_control() && letter != '`';
    // At the ends, Markdown removes spaces, and a backslash before `|` is ambiguous in tables.
    let is_verbatim =
        text.chars().all(is_plain) && !text.is_empty() && text.trim().len() == text.len() && !text.contains("\\|");
    if is_verbatim {
        return format!("`{}`", text.replace('|', "\\|"));
    }
    format!("<code>{}</code>", entities(text))
}

/// Returns a text in which nothing is Markdown or HTML.
pub fn entities(text: &str) -> String {
    let entity = |letter: char| match letter {
        ' ' => " ".to_owned(),
        letter if letter.is_alphanumeric() => letter.to_string(),
        letter => format!("&#{};", u32::from(letter)),
    };
    text.chars().map(entity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        for (text, expected) in [
            ("a | `b|c` <d>", "a \\| `b\\|c` &lt;d>"),
            ("a\nb", "a b"),
            ("a \\| b", "a \\&#124; b"),
            ("`` a`b ``", "<code>a&#96;b</code>"),
            ("`a\\|b`", "<code>a&#92;&#124;b</code>"),
            ("a ` b", "a &#96; b"),
        ] {
            assert_eq!(line(&Phrase::parse(text)), expected);
        }
    }
}
