//! The first sentence of a description.

use std::iter;

use crate::crd::structural::{describe_variants, summary, variants};

/// Reduces a description to its first sentence. Descriptions of enum variants are reduced too, and deprecation notes
/// are kept.
pub(super) fn first_sentences(text: &str) -> String {
    let variants = variants(text).map(|(name, doc)| (name, with_deprecations(&doc)));
    describe_variants(Some(&with_deprecations(summary(text))), variants).unwrap_or_default()
}

/// Returns the first sentence of a text, and that of each deprecation note.
fn with_deprecations(text: &str) -> String {
    let text = text.trim();
    let notes = text.split("\n\n").skip(1).map(str::trim);
    let deprecations = notes.filter(|it| it.starts_with("Deprecated"));
    let all: Vec<_> = iter::once(text).chain(deprecations).map(first).collect();
    all.join("\n\n")
}

/// Returns the first sentence of a text, or its first paragraph if no sentence ends in it.
fn first(text: &str) -> &str {
    let paragraph = paragraph(text.trim());
    let end = end_of_sentence(paragraph).unwrap_or(paragraph.len());
    &paragraph[..end]
}

/// Returns the text up to a blank line or a list.
fn paragraph(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let is_over = line.trim().is_empty() || (end > 0 && is_item(line));
        if is_over {
            break;
        }
        end += line.len();
    }
    text[..end].trim_end()
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && [". ", ") "].iter().any(|it| digits.starts_with(it));
    is_numbered || ["- ", "* ", "+ "].iter().any(|it| line.starts_with(it))
}

/// Returns the end of the first sentence, including its punctuation.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut in_code = false;
    let mut brackets = 0_usize;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            '`' => in_code = !in_code,
            '(' => brackets += 1,
            ')' => brackets = brackets.saturating_sub(1),
            _ if in_code || brackets > 0 => {}
            '。' | '！' | '？' => return Some(end),
            '.' | '!' | '?' => {
                let closed = &text[end..];
                let rest = closed.trim_start_matches(['"', '\'', '*', '_', '”', '’']);
                let is_over = rest.starts_with(char::is_whitespace) && begins_a_sentence(rest);
                if is_over && !(c == '.' && is_abbreviation(&text[..at])) {
                    return Some(text.len() - rest.len());
                }
            }
            _ => {}
        }
    }
    None
}

fn begins_a_sentence(rest: &str) -> bool {
    !rest.trim_start().starts_with(char::is_lowercase)
}

/// Whether the last word of a text is an abbreviation if a period follows.
fn is_abbreviation(text: &str) -> bool {
    const SHORT: &[&str] = &[
        "e.g", "i.e", "eg", "ie", "etc", "cf", "vs", "approx", "incl", "resp", "esp", "ca", "no", "fig", "sec", "dr",
        "mr", "mrs", "ms", "st", "inc", "ltd", "viz",
    ];
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next();
    word.is_some_and(|word| SHORT.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::first_sentences;

    #[test]
    fn sentences() {
        for (text, expected) in [
            ("", ""),
            ("One", "One"),
            ("One.", "One."),
            ("One. Two.", "One."),
            ("  One!\nTwo.", "One!"),
            ("Is it? Yes.", "Is it?"),
            ("Version 1.2 of it. More.", "Version 1.2 of it."),
            ("See v1.37.1. More.", "See v1.37.1."),
            ("A list, e.g. Go's. More.", "A list, e.g. Go's."),
            ("Others (i.e. All of them. Or none). More.", "Others (i.e. All of them. Or none)."),
            ("Either a. or b. More.", "Either a. or b."),
            ("Run `a. B` now. More.", "Run `a. B` now."),
            ("It is \"so.\" More.", "It is \"so.\""),
            ("Two\nlines. More.", "Two\nlines."),
            ("No mark\n\nMore.", "No mark"),
            ("One of:\n- a: A.\n- b: B.", "One of:"),
            ("One of:\n 1. A.\n 2. B.", "One of:"),
            ("一。二。", "一。"),
            ("Möglich? Ja.", "Möglich?"),
        ] {
            assert_eq!(first_sentences(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_deprecated_stays_so() {
        let text = "The size. In bytes.\n\nMore of it.\n\nDeprecated: use `length`. It is longer.";
        assert_eq!(first_sentences(text), "The size.\n\nDeprecated: use `length`.");
    }

    #[test]
    fn variants_are_cut_too() {
        let text = "A mode. Choose.\n\n- `Fast`: As fast as it gets. Or so.\n  More.\n- `Slow`: Slow.";
        assert_eq!(first_sentences(text), "A mode.\n\n- `Fast`: As fast as it gets.\n- `Slow`: Slow.");
        assert_eq!(first_sentences("- `A`: One. Two.\n\n  Three."), "- `A`: One.");
        assert_eq!(first_sentences("- `A`: One\n  line. Two."), "- `A`: One\n  line.", "indented once");
        assert_eq!(first_sentences("- `A`: One. Two.\n\n  Deprecated."), "- `A`: One.\n\n  Deprecated.");
    }
}
