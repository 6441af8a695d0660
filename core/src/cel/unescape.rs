//! Unescaping of string and bytes literals.

use alloc::{borrow::Cow, string::String, vec::Vec};

const WRONG: &str = "unable to unescape string";

/// Unescapes a string literal.
pub(super) fn string(literal: &str) -> Result<String, &'static str> {
    let bytes = unescape(literal, false)?;
    String::from_utf8(bytes).map_err(|_| WRONG)
}

/// Unescapes a bytes literal without its `b`.
pub(super) fn bytes(literal: &str) -> Result<Vec<u8>, &'static str> {
    unescape(literal, true)
}

fn unescape(literal: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let literal = if literal.contains('\r') {
        Cow::Owned(literal.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(literal)
    };
    let raw = literal.strip_prefix(['r', 'R']);
    let quoted = raw.unwrap_or(&literal);
    let is_long = quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\""));
    let quotes = if is_long { 3 } else { 1 };
    let inner = &quoted[quotes..quoted.len() - quotes];
    if raw.is_some() {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut found = Vec::new();
    let mut rest = inner;
    while let Some((before, escape)) = rest.split_once('\\') {
        found.extend(before.as_bytes());
        rest = escaped(escape, is_bytes, &mut found)?;
    }
    found.extend(rest.as_bytes());
    Ok(found)
}

/// Unescapes the text after a backslash. Returns the rest.
fn escaped<'a>(text: &'a str, is_bytes: bool, found: &mut Vec<u8>) -> Result<&'a str, &'static str> {
    let letter = text.chars().next().ok_or(WRONG)?;
    let rest = &text[letter.len_utf8()..];
    let (digits, radix) = match letter {
        'x' | 'X' => (&rest[..2], 16),
        'u' | 'U' if is_bytes => return Err(WRONG),
        'u' => (&rest[..4], 16),
        'U' => (&rest[..8], 16),
        '0'..='3' => (&text[..3], 8),
        letter => {
            found.push(match letter {
                'a' => 0x07,
                'b' => 0x08,
                'f' => 0x0c,
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                'v' => 0x0b,
                other => u8::try_from(other).map_err(|_| WRONG)?,
            });
            return Ok(rest);
        }
    };
    let value = u32::from_str_radix(digits, radix).map_err(|_| WRONG)?;
    if is_bytes {
        found.push(u8::try_from(value & 0xff).map_err(|_| WRONG)?);
    } else {
        let letter = char::from_u32(value).ok_or("invalid unicode code point")?;
        found.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(&text[digits.len() + usize::from(radix == 16)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        for (literal, expected) in [
            (r#""a\n\x41\u00e9\101\U0001F600\"""#, "a\nAéA😀\""),
            (r"r'\d'", r"\d"),
            ("'''a'b'''", "a'b"),
            ("''", ""),
            ("'''a\r\nb'''", "a\nb"),
        ] {
            assert_eq!(string(literal).unwrap(), expected, "{literal}");
        }
        assert_eq!(string(r"'\ud800'"), Err("invalid unicode code point"));
        assert_eq!(bytes(r"'\xff\377é'").unwrap(), b"\xff\xff\xc3\xa9");
        assert_eq!(bytes(r"'\u0041'"), Err(WRONG));
    }
}
