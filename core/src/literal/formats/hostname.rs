//! Host names, and names of Kubernetes objects.

use crate::go::unicode;

/// A host name of at most 255 bytes with labels of at most 63. It can have letters and symbols of any script.
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && (is_single(text) || is_qualified(text))
}

fn is_inner(c: char) -> bool {
    c.is_ascii_alphanumeric() || unicode::is_symbol(c) || unicode::is_letter(c)
}

/// Letters with at most one hyphen, which is not at the start.
fn is_single(text: &str) -> bool {
    let mut chars = text.chars();
    if !chars.next().is_some_and(is_inner) {
        return false;
    }
    let behind = chars.as_str();
    let rest = behind.strip_prefix('-').unwrap_or(behind);
    rest.chars().count() <= 62 && rest.chars().all(is_inner)
}

/// Labels that are separated by dots; the last one consists of letters.
fn is_qualified(text: &str) -> bool {
    let Some((labels, last)) = text.rsplit_once('.') else {
        return false;
    };
    let is_letter = |c: char| c.is_ascii_alphabetic() || unicode::is_letter(c);
    (2..=63).contains(&last.chars().count()) && last.chars().all(is_letter) && labels.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(is_inner);
    label.chars().count() <= 63
        && is_edge(label.chars().next())
        && is_edge(label.chars().next_back())
        && label.chars().all(|c| c == '-' || is_inner(c))
}

/// At most 63 lower-case letters, digits and hyphens, without hyphens at the ends.
pub(super) fn is_short_name(text: &str) -> bool {
    text.len() <= 63 && is_name(text)
}

/// Short names of any length, separated by dots, at most 253 characters.
pub(super) fn is_long_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_name)
}

fn is_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && !text.starts_with('-') && !text.ends_with('-') && text.bytes().all(is_inner)
}
