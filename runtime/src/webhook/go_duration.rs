//! Durations as Go writes them.

use std::time::Duration;

/// Parses a duration such as `10s` or `1m30.5s`; `None` if it is malformed, negative or too long.
pub(super) fn parse(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() || text.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, unit) = rest.split_at(digits);
        let end = unit.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(unit.len());
        let seconds = match &unit[..end] {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        total = total.checked_add(part)?;
        rest = &unit[end..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("10s", Some(Duration::from_secs(10))),
            ("1m30.5s", Some(Duration::from_millis(90_500))),
            ("1.5h", Some(Duration::from_secs(5400))),
            ("250ms", Some(Duration::from_millis(250))),
            ("0", Some(Duration::ZERO)),
            ("", None),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("1.2.3s", None),
            ("1x", None),
            ("99999999999999999999h", None),
            ("1é", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
