//! Padded base64 of the alphabet for URLs, which the server decodes for rules, although it validates `format: byte` by the standard
//! alphabet: `encoding/base64.URLEncoding` in `strfmt.Base64.UnmarshalText`.

use alloc::vec::Vec;

const PADDING: u8 = b'=';

/// Returns the bytes of base64. Line breaks are ignored, as by Go.
///
/// # Errors
///
/// If it is malformed: the position that Go names.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    while at < text.len() {
        at = decode_group(text, at, &mut bytes)?;
    }
    Ok(bytes)
}

/// Decodes up to four characters, and returns the position behind them.
fn decode_group(text: &[u8], mut at: usize, bytes: &mut Vec<u8>) -> Result<usize, usize> {
    let (mut bits, mut count) = (0_u32, 0);
    while count < 4 {
        let Some(letter) = text.get(at).copied() else {
            return if count == 0 { Ok(at) } else { Err(at - count) };
        };
        at += 1;
        match value(letter) {
            Some(value) => {
                bits = bits << 6 | u32::from(value);
                count += 1;
            }
            None if is_line_break(letter) => {}
            None if letter == PADDING && count >= 2 => {
                let end = after_padding(text, at, count)?;
                let [_, first, second, _] = (bits << (6 * (4 - count))).to_be_bytes();
                bytes.extend_from_slice(&[first, second][..count - 1]);
                return Ok(end);
            }
            None => return Err(at - 1),
        }
    }
    bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
    Ok(at)
}

/// Returns the end of a text whose padding has begun after this many characters of the last group.
fn after_padding(text: &[u8], mut at: usize, count: usize) -> Result<usize, usize> {
    let skip = |mut at: usize| {
        while text.get(at).is_some_and(|letter| is_line_break(*letter)) {
            at += 1;
        }
        at
    };
    if count == 2 {
        at = skip(at);
        match text.get(at) {
            None => return Err(at),
            Some(&PADDING) => at += 1,
            Some(_) => return Err(at - 1),
        }
    }
    at = skip(at);
    if at < text.len() { Err(at) } else { Ok(at) }
}

const fn is_line_break(letter: u8) -> bool {
    matches!(letter, b'\r' | b'\n')
}

fn value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn bytes() {
        for (text, bytes) in [
            ("", Ok(&b""[..])),
            ("YQ==", Ok(b"a")),
            ("YWI=", Ok(b"ab")),
            ("YW\nJj", Ok(b"abc")),
            ("YQ=\n=\n", Ok(b"a")),
            ("_-__", Ok(b"\xff\xef\xff")),
            ("/+//", Err(0)),
            ("77+9", Err(2)),
            ("YWJjYQ", Err(4)),
            ("YQ=", Err(3)),
            ("YQ==YQ==", Err(4)),
            ("Y", Err(0)),
            ("=", Err(0)),
            ("YQ=a", Err(2)),
        ] {
            assert_eq!(decode(text), bytes.map(<[u8]>::to_vec), "{text}");
        }
    }
}
