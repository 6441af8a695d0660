//! Texts that types of Go read: bytes, times and quantities.

use k8s_openapi::jiff::{Timestamp, fmt::temporal::DateTimeParser};

/// The layouts of times in Go's messages.
const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROSECONDS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Returns the bytes that a text has in base64, with padding.
///
/// # Errors
///
/// If it is malformed, in the words of Go's `encoding/base64`.
pub(super) fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let corrupt = |at: usize| format!("illegal base64 data at input byte {at}");
    let digits: Vec<(usize, u8)> =
        text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n')).collect();
    let mut decoded = Vec::with_capacity(digits.len() / 4 * 3);
    let mut groups = digits.chunks(4).peekable();
    while let Some(group) = groups.next() {
        let mut sextets = [0_u8; 4];
        let mut padding = 0;
        for (index, (at, byte)) in group.iter().enumerate() {
            match sextet(*byte) {
                Some(value) if padding == 0 => sextets[index] = value,
                None if *byte == b'=' && index >= 2 => padding += 1,
                _ => return Err(corrupt(*at)),
            }
            // Go looks for the second of two padding characters itself.
            if index == 2 && padding == 1 && group.get(3).is_some_and(|(_, last)| *last != b'=') {
                return Err(corrupt(group[3].0));
            }
        }
        if group.len() < 4 {
            let end = if padding > 0 { text.len() } else { group[0].0 };
            return Err(corrupt(end));
        }
        if padding > 0
            && let Some(next) = groups.peek()
        {
            return Err(corrupt(next[0].0));
        }
        let [a, b, c, d] = sextets;
        let whole = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        decoded.extend_from_slice(&whole[..3 - padding]);
    }
    Ok(decoded)
}

const fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Returns a time in seconds as Go writes it; nothing for the zero time.
///
/// # Errors
///
/// If it is malformed, in the words of Go's `time`.
pub(super) fn time(text: &str) -> Result<Option<String>, String> {
    Ok(parsed(text, SECONDS)?.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()))
}

/// As [`time`], with six digits of the second.
pub(super) fn micro_time(text: &str) -> Result<Option<String>, String> {
    Ok(parsed(text, MICROSECONDS)?.map(|time| time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()))
}

fn parsed(text: &str, layout: &str) -> Result<Option<Timestamp>, String> {
    check(text, layout)?;
    static PARSER: DateTimeParser = DateTimeParser::new();
    let parsed = PARSER.parse_timestamp(text);
    let time = parsed.map_err(|_| format!("parsing time {text:?}: day out of range"))?;
    // The zero time of Go is the first second of year 1.
    Ok((text != "0001-01-01T00:00:00Z").then_some(time))
}

/// Checks the parts of a time in their order.
fn check(text: &str, layout: &str) -> Result<(), String> {
    let no_match =
        |rest: &str, part: &str| Err(format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}"));
    let mut rest = text;
    let parts = [
        ("2006", 4, "", 0, 9999),
        ("01", 2, "month", 1, 12),
        ("02", 2, "day", 1, 31),
        ("15", 2, "hour", 0, 23),
        ("04", 2, "minute", 0, 59),
        ("05", 2, "second", 0, 59),
    ];
    let separators = ["-", "-", "T", ":", ":"];
    for (index, (part, digits, name, least, most)) in parts.into_iter().enumerate() {
        if let Some(separator) = index.checked_sub(1).map(|before| separators[before]) {
            match rest.strip_prefix(separator) {
                Some(after) => rest = after,
                None => return no_match(rest, separator),
            }
        }
        let Some(value) = rest.get(..digits).filter(|value| value.bytes().all(|byte| byte.is_ascii_digit())) else {
            return no_match(rest, part);
        };
        rest = &rest[digits..];
        let number: u32 = value.parse().unwrap_or_default();
        if number < least || number > most {
            return Err(format!("parsing time {text:?}: {name} out of range"));
        }
    }
    let fraction = rest.strip_prefix(['.', ',']).map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    if layout == MICROSECONDS {
        let is_six = fraction.is_some_and(|after| rest.len() - after.len() == 7);
        if !is_six {
            return no_match(rest, ".000000");
        }
    }
    let zone = fraction.unwrap_or(rest);
    let is_offset = |zone: &str| {
        let bytes = zone.as_bytes();
        matches!(bytes, [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
    };
    match zone.strip_prefix('Z') {
        Some("") => Ok(()),
        Some(extra) => Err(format!("parsing time {text:?}: extra text: {extra:?}")),
        None if is_offset(zone) => Ok(()),
        None => no_match(zone, "Z07:00"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_by_go() {
        for (text, expected) in [
            ("", Ok(&b""[..])),
            ("YQ==", Ok(b"a")),
            ("YWI=", Ok(b"ab")),
            ("YW\nJj", Ok(b"abc")),
            ("%%%", Err("illegal base64 data at input byte 0")),
            ("YWJj%", Err("illegal base64 data at input byte 4")),
            ("YQ", Err("illegal base64 data at input byte 0")),
            ("a", Err("illegal base64 data at input byte 0")),
        ] {
            assert_eq!(bytes(text).as_deref(), expected.map_err(|it| it.to_owned()).as_ref().map(|it| *it), "{text}");
        }
    }

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(time("2026-01-02T03:04:05+01:00"), Ok(Some("2026-01-02T02:04:05Z".to_owned())));
        assert_eq!(time("2026-01-02T03:04:05.9Z"), Ok(Some("2026-01-02T03:04:05Z".to_owned())));
        assert_eq!(micro_time("2026-01-02T03:04:05.000006Z"), Ok(Some("2026-01-02T03:04:05.000006Z".to_owned())));
        let yesterday =
            r#"parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006""#;
        assert_eq!(time("yesterday"), Err(yesterday.to_owned()));
        assert_eq!(
            time("2026-13-02T03:04:05Z"),
            Err(r#"parsing time "2026-13-02T03:04:05Z": month out of range"#.into())
        );
    }
}
