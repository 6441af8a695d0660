//! Texts, held against patterns and formats.

use super::{formats::format, pattern::Pattern};

/// Why the server refuses a text, as far as the pattern and the format are understood.
pub(crate) fn fits(
    text: &str,
    pattern: Option<&str>,
    format_name: Option<&str>,
) -> Result<(), String> {
    if let Some(source) = pattern
        && Pattern::parse(source).is_some_and(|pattern| !pattern.is_match(text))
    {
        return Err(format!("{text:?} does not match `{source}`"));
    }
    let check = format_name.and_then(format).and_then(|format| format.check);
    match (check, format_name) {
        (Some(check), Some(name)) if !check(text) => Err(format!("{text:?} is no {name}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn texts() {
        assert!(fits("a1", Some("^[a-z][0-9]$"), None).is_ok());
        assert!(fits("1a", Some("^[a-z][0-9]$"), None).is_err());
        assert!(
            fits("1a", Some("(?i)^a$"), None).is_ok(),
            "it is not understood"
        );
        assert!(fits("2020-01-01", None, Some("date")).is_ok());
        assert!(fits("2020-13-01", None, Some("date")).is_err());
        assert!(fits("anything", None, Some("hostname")).is_ok());
    }
}
