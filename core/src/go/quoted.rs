//! Strings in double quotes, as formatted by Go's `%q`.

use core::fmt::{self, Write as _};

use super::printable::{Printable, first_unprintable};

/// Writes a string in double quotes.
///
/// # Errors
///
/// If the formatter returns an error.
pub fn write(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let table = first_unprintable(text).map(|_| Printable::new());
    let is_printable = |c| table.as_ref().is_none_or(|table| table.contains(c));
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if is_printable(c) => f.write_char(c)?,
            '\u{7}' => f.write_str("\\a")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{b}' => f.write_str("\\v")?,
            c if c < ' ' || c == '\u{7f}' => write!(f, "\\x{:02x}", u32::from(c))?,
            c if c < '\u{10000}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "\\U{:08x}", u32::from(c))?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::Arg;

    #[test]
    fn as_go_does() {
        let quoted = |text| Arg::Quoted(text).to_string();
        assert_eq!(quoted("a'ä \"b\\"), r#""a'ä \"b\\""#);
        assert_eq!(quoted("\0\u{7}\n\u{7f}\u{a0}\u{301}"), "\"\\x00\\a\\n\\x7f\\u00a0\u{301}\"");
        assert_eq!(quoted("\u{10ffff}"), r#""\U0010ffff""#);
    }
}
