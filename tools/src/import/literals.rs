//! Rust literals and doc comments.

use serde_json::{Number, Value};

/// Returns a string literal on one line, raw if that is readable.
pub(super) fn text(text: &str) -> String {
    if text.chars().any(is_unprintable) {
        return format!("{text:?}");
    }
    if !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    if text.contains("\"#") {
        format!("{text:?}")
    } else if text.contains('"') {
        format!("r#\"{text}\"#")
    } else {
        format!("r\"{text}\"")
    }
}

/// Whether Rust code cannot have a character as it is: rustc refuses those that change the direction of the text.
pub(super) fn is_unprintable(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Returns a number, with a point for floating-point numbers.
pub(super) fn number(value: f64, is_integer: bool) -> String {
    if is_integer && value.fract() == 0.0 && value.abs() < 9e18 {
        format!("{}", value as i64)
    } else {
        format!("{value:?}")
    }
}

/// Returns an expression that serde writes as this value.
pub(super) fn expression(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        value => format!("serde_json::json!({})", json(value)),
    }
}

/// Returns a default: a literal, a list of literals, `{}`, or an expression.
pub(super) fn default(value: &Value) -> String {
    match value {
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object() && !item.is_null()) => {
            format!("[{}]", items.iter().map(expression).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        value => expression(value),
    }
}

/// Returns a value as JSON with Rust's literals.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, value)| format!("{}: {}", text(name), json(value))).collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
        Value::Number(number) => of_any_type(number),
        value => value.to_string(),
    }
}

/// Returns an expression of any type that serde writes as this value.
pub(super) fn example(value: &Value) -> String {
    match value {
        Value::Number(number) => of_any_type(number),
        value => expression(value),
    }
}

/// Returns a number with the type that it has where none is expected: that of integers is `i32`.
fn of_any_type(number: &Number) -> String {
    match number.as_i64() {
        Some(whole) if i32::try_from(whole).is_err() => format!("{whole}_i64"),
        None if number.is_u64() => format!("{number}_u64"),
        _ => number.to_string(),
    }
}

/// Returns a doc comment with this description; `None` if a doc comment cannot have it, or rustdoc would run a part of it.
pub(super) fn doc_comment(description: &str) -> Option<String> {
    let is_trimmed = description == description.trim_matches(|it: char| it.is_ascii_whitespace());
    let is_unprintable = |letter: char| letter != '\n' && is_unprintable(letter);
    if !is_trimmed
        || description.is_empty()
        || description.starts_with('#')
        || description.contains(is_unprintable)
        || has_code_block(description)
    {
        return None;
    }
    let line = |line: &str| if line.is_empty() { "///\n".to_owned() } else { format!("/// {line}\n") };
    Some(description.split('\n').map(line).collect())
}

/// Whether rustdoc may read a part of a description as a block of code, which it compiles and runs: one between fences, or
/// one that is indented by four spaces, also in a list or a quotation.
fn has_code_block(description: &str) -> bool {
    ["```", "~~~", "    "].iter().any(|mark| description.contains(mark))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals() {
        assert_eq!(text("a"), "\"a\"");
        assert_eq!(text(r"^\d$"), r#"r"^\d$""#);
        assert_eq!(text("a\"b"), "r#\"a\"b\"#");
        assert_eq!(text("a\nb"), r#""a\nb""#);
        assert_eq!([number(1.0, true), number(1.0, false), number(1.5, true)], ["1", "1.0", "1.5"]);
        assert_eq!(default(&json!(["a", 1])), "[\"a\", 1]");
        assert_eq!(default(&json!({})), "{}");
        assert_eq!(default(&json!({ "a": [null] })), "serde_json::json!({ \"a\": [null] })");
        for (number, expected) in [
            (json!(1), "1"),
            (json!(-3_000_000_000_i64), "-3000000000_i64"),
            (json!(u64::MAX), "18446744073709551615_u64"),
        ] {
            assert_eq!([super::json(&number), example(&number)], [expected; 2]);
        }
        assert_eq!(doc_comment("a\n\n b").as_deref(), Some("/// a\n///\n///  b\n"));
        let never =
            ["# a", "a\n```\nb\n```", "a\n~~~\nb", "a\n\n    b", "a\n\tb", "- a\n\n      b", "a\u{202E}b", "a\rb"];
        for text in never {
            assert_eq!(doc_comment(text), None, "{text:?}");
        }
        assert_eq!(text("a\u{202E}b"), "\"a\\u{202e}b\"");
    }
}
