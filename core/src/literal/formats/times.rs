//! Dates, times and durations.

/// A calendar date, `2006-01-02`.
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_right = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    if bytes.len() != 10 || !bytes.iter().enumerate().all(is_right) {
        return false;
    }
    let [year, month, day] = [&bytes[..4], &bytes[5..7], &bytes[8..]].map(number);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'))
}

/// A date, `T` and a time with its zone. Text after another `T` is ignored.
pub(super) fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let date = parts.next().unwrap_or_default();
    parts.next().is_some_and(|time| is_date(date) && is_time(time))
}

fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else {
        return false;
    };
    let bytes = clock.as_bytes();
    let is_right = |(at, byte): (usize, &u8)| match at {
        2 | 5 => *byte == b':',
        _ => byte.is_ascii_digit(),
    };
    bytes.iter().enumerate().all(is_right)
        && &clock[..2] <= "23"
        && &clock[3..5] <= "59"
        && &clock[6..] <= "59"
        && (is_zone(rest) || fraction(rest).is_some_and(is_zone))
}

/// Returns the rest after a separator and digits.
fn fraction(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    chars.next().filter(|first| *first != '\n')?;
    let rest = chars.as_str();
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| &rest[end..])
}

fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'z' | b'Z'] => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// A Go duration such as `1h30m`, or a string that contains a number and a unit, such as `PT1H` or `1 day`.
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || lenient_duration(text).is_some()
}

/// The exclusive end of Go's durations in nanoseconds, 2^63.
const NANOSECONDS_END: u64 = 1 << 63;

pub(crate) fn is_go_duration(text: &str) -> bool {
    go_duration(text).is_some()
}

/// Returns the nanoseconds of a Go duration.
pub(crate) fn go_duration(text: &str) -> Option<i64> {
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (part, after) = duration_part(rest)?;
        total = total.checked_add(part).filter(|total| *total <= NANOSECONDS_END)?;
        rest = after;
    }
    if is_negative { 0_i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() }
}

/// Returns the nanoseconds of a leading number and unit, and the rest.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // nanoseconds of a fraction, which Go counts as floats
fn duration_part(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, mut rest) = text.split_at(end);
    let mut whole: u64 = 0;
    for digit in digits.bytes() {
        whole = whole.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        if whole > NANOSECONDS_END {
            return None;
        }
    }
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.bytes().take_while(u8::is_ascii_digit).count();
        (fraction, rest) = after.split_at(end);
    }
    if digits.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let unit = nanoseconds(&rest[..end])?;
    if whole > NANOSECONDS_END / unit {
        return None;
    }
    let (value, scale) = scaled(fraction);
    let mut total = whole * unit;
    if value > 0 {
        total += (value as f64 * (unit as f64 / scale)) as u64;
    }
    (total <= NANOSECONDS_END).then(|| (total, &rest[end..]))
}

/// Returns the digits of a fraction, as far as they fit into 64 bits, and their divisor.
fn scaled(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        if value > (NANOSECONDS_END - 1) / 10 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > NANOSECONDS_END {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{B5}s" | "\u{3BC}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Returns the nanoseconds of all numbers with units in a string, such as `PT1H` or `1 day`; `None` if there is none, or if a number
/// before a word is too large.
pub(crate) fn lenient_duration(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = None;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = &rest[start..];
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(end);
        let after = after.trim_start_matches(['\t', '\n', '\u{C}', '\r', ' ']);
        let end = after.find(|c: char| !(c.is_ascii_alphabetic() || c == '\u{B5}')).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        rest = after;
        if word.is_empty() {
            continue;
        }
        let number: i64 = digits.parse().ok()?;
        if let Some(unit) = lenient_unit(word) {
            // As in Go, the numbers wrap around.
            total = Some(number.wrapping_mul(unit).wrapping_add(total.unwrap_or(0)));
        }
    }
    total
}

/// Returns the nanoseconds of a word that is a unit, or starts with the full name of one.
fn lenient_unit(word: &str) -> Option<i64> {
    const UNITS: [(&[&str], &str, i64); 8] = [
        (&["ns"], "nano", 1),
        (&["us", "\u{B5}s"], "micro", 1_000),
        (&["ms"], "milli", 1_000_000),
        (&["s"], "sec", 1_000_000_000),
        (&["m"], "min", 60_000_000_000),
        (&["h", "hr"], "hour", 3_600_000_000_000),
        (&["d"], "day", 86_400_000_000_000),
        (&["w", "wk"], "week", 604_800_000_000_000),
    ];
    let starts = |long: &str| word.get(..long.len()).is_some_and(|start| start.eq_ignore_ascii_case(long));
    let is = |short: &&str| word.eq_ignore_ascii_case(short);
    let unit = UNITS.iter().find(|(short, long, _)| short.iter().any(is) || starts(long))?;
    Some(unit.2)
}
