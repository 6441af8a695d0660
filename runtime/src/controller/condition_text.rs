//! Texts of conditions that the API server accepts.

use super::events::truncated;

/// The longest message, by the schema of conditions in apimachinery.
const MAX_MESSAGE: usize = 32_768;
/// The longest reason.
const MAX_REASON: usize = 1024;

/// Returns a message that is cut where it is too long.
pub(super) fn message(text: &str) -> String {
    truncated(text, MAX_MESSAGE)
}

/// Whether a text can be the reason of a condition: letters, digits, `_`, `,` and `:`, with a letter first and no `,` or `:` last.
pub(super) fn is_reason(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_,:".contains(&byte);
    text.len() <= MAX_REASON
        && text.bytes().all(is_inner)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && !text.ends_with([',', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_of_the_schema() {
        for reason in ["A", "LessReady", "a_b", "A,b:c_1"] {
            assert!(is_reason(reason), "{reason}");
        }
        for text in ["", "1a", "_a", "a b", "a-b", "a,", "a:", "ä", &"a".repeat(MAX_REASON + 1)] {
            assert!(!is_reason(text), "{text}");
        }
        assert_eq!(message(&"ä".repeat(MAX_MESSAGE)).len(), MAX_MESSAGE);
    }
}
