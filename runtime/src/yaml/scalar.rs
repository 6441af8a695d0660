//! Numbers and strings in a form that every YAML parser reads back unchanged.

use std::fmt::Write;

use serde_json::Number;

/// Words that YAML 1.1 does not read as strings, case-insensitively.
const RESERVED_WORDS: &[&str] =
    &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".nan", ".inf", "+.inf", "-.inf", "<<", "="];

/// Characters with a special meaning at the start of a scalar.
const INDICATORS: &[char] =
    &['-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`'];

/// Formats a number in plain digits: without an exponent, and without the fraction of an integer.
pub(super) fn number(number: &Number) -> String {
    /// The end of the 64-bit integers. Above it, the trailing digits of a float are printed as zeros.
    const EXACT: f64 = 18_446_744_073_709_551_616.0;
    match number.as_f64() {
        _ if number.is_i64() || number.is_u64() => number.to_string(),
        Some(whole) if whole.fract() == 0.0 && whole.abs() <= EXACT => {
            format!("{}", whole as i128)
        }
        // Rust formats the shortest digits that parse to the same number, without an exponent.
        Some(float) => float.to_string(),
        None => number.to_string(),
    }
}

/// Formats a string on one line.
pub(super) fn line(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.contains(['"', '\\']) && text.chars().all(is_printable) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

/// Whether YAML 1.1 and 1.2 parsers read the unquoted string as a string.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(is_printable)
        && !text.starts_with(INDICATORS)
        && !text.starts_with(' ')
        // At the start of a line it ends the document.
        && !text.starts_with("...")
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !RESERVED_WORDS.contains(&text.to_lowercase().as_str())
        && !may_be_number(text)
}

/// Whether a parser may read a number, a date, a time or a sexagesimal number.
fn may_be_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-', '.']);
    let in_numbers = |c: char| c.is_ascii_hexdigit() || "xXoO_+-.:tTzZ ".contains(c);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(in_numbers)
}

/// Whether a YAML 1.1 parser accepts the character unescaped and does not treat it as a line break.
fn is_printable(c: char) -> bool {
    match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => !c.is_control(),
    }
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_printable(c) => quoted.push(c),
            _ => write!(quoted, "\\u{:04x}", u32::from(c)).expect("a String takes everything"),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the header and the lines of a literal block if the string is suitable for one.
///
/// A string with trailing spaces on a line is quoted instead: they are invisible, and tools strip them.
pub(super) fn block(text: &str) -> Option<(&'static str, Vec<&str>)> {
    let (header, content) = match text.strip_suffix('\n') {
        Some(content) => ("|", content),
        None => ("|-", text),
    };
    let in_block = |line: &str| !line.ends_with([' ', '\t']) && line.chars().all(|c| c == '\t' || is_printable(c));
    let lines: Vec<_> = content.split('\n').collect();
    let starts = |line: &str| !line.is_empty() && !line.starts_with([' ', '\t']);
    let several = text.contains('\n') && starts(lines[0]) && !content.ends_with('\n');
    (several && lines.iter().all(|line| in_block(line))).then_some((header, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_text_to_others_is_quoted() {
        let others = [
            "",
            "yes",
            "No",
            "on",
            "y",
            "null",
            "~",
            "1",
            "1e3",
            "0x1",
            "0o7",
            "1_000",
            "1:30",
            "-1",
            "+.5",
            ".inf",
            "2020-01-01",
            "2020-01-01T00:00:00Z",
            "<<",
            "=",
            " a",
            "a ",
            "a: b",
            "a:",
            "a #b",
            "- a",
            "#a",
            "[a",
            "{a",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "? a",
            "|",
            ">",
            "'a",
            "-",
            "---",
            "...",
            "... a",
        ];
        for text in others {
            assert_eq!(line(text), format!("\"{text}\""));
        }
    }

    #[test]
    fn text_is_not_quoted() {
        let texts = [
            "a",
            "Yes, please",
            ".spec.replicas",
            "10.0.0.0/8",
            "1Gi",
            "100m",
            "a:b",
            "a#b",
            "v1",
            "self.min <= self.max",
            "^[a-z]+$",
            "$ref",
            "it's",
            "5 disks",
            "größer",
            "😀",
        ];
        for text in texts {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn quotes_are_those_that_need_no_escapes() {
        assert_eq!(line("\"a\""), "'\"a\"'");
        assert_eq!(line("[\\d]'"), "'[\\d]'''");
        assert_eq!(line("'a"), "\"'a\"");
        assert_eq!(line("a\tb"), "\"a\\tb\"");
        assert_eq!(line("\u{1}\u{85}\u{feff}"), "\"\\u0001\\u0085\\ufeff\"");
    }

    #[test]
    fn numbers_are_plain_digits() {
        let digits = |text: &str| number(&serde_json::from_str(text).unwrap());
        assert_eq!(digits("255.0"), "255");
        assert_eq!(digits("-0.0"), "0");
        assert_eq!(digits("1e21"), "1000000000000000000000");
        assert_eq!(digits("1.5e-7"), "0.00000015");
        assert_eq!(digits("9223372036854775807"), "9223372036854775807");
        assert_eq!(digits("18446744073709551615"), "18446744073709551615");
        assert_eq!(digits("9223372036854774784.0"), "9223372036854774784");
    }

    #[test]
    fn lines_become_a_block() {
        assert_eq!(block("a\n\n  b"), Some(("|-", vec!["a", "", "  b"])));
        assert_eq!(block("a\nb\n"), Some(("|", vec!["a", "b"])));
        for text in ["a", " a\nb", "\na", "a \nb", "a\n \nb", "a\n\n", "\n", "a\r\nb"] {
            assert_eq!(block(text), None, "{text:?}");
        }
    }
}
