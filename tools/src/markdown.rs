//! Texts in Markdown that only references have.

use crdkit::__internal::emit::markdown::entities;

/// Returns a text that is shown as it is.
pub(crate) fn literal(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || " ().,:/-".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { entities(text) }
}

/// Returns lines between fences that do not occur in them.
pub(crate) fn fenced(language: &str, lines: &str) -> String {
    let runs = lines.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let end = if lines.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{lines}{end}{fence}\n")
}
