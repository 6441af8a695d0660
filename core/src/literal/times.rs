//! Times, as parsed and formatted by Go.

use alloc::{format, string::String};

use super::formats::is_date;

/// Whether a Unix time is in the years 1 to 9999.
pub const fn is_in_range(seconds: i64) -> bool {
    seconds >= -62_135_596_800 && seconds <= 253_402_300_799
}

/// Parses an RFC 3339 time to a Unix time. Like Go, this accepts more than the RFC: hours of one digit, a comma before the
/// fraction, and a zone of up to 24 hours and 60 minutes.
pub fn unix_time(text: &str) -> Option<i64> {
    unix_time_with_zone(text).map(|(seconds, ..)| seconds)
}

/// Parses an RFC 3339 time to a Unix time, nanoseconds and the seconds that the zone is ahead of UTC, as [`unix_time`].
pub(crate) fn unix_time_with_zone(text: &str) -> Option<(i64, u32, i32)> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix('T').filter(|_| is_date(date))?;
    let (hour, rest) = rest.split_once(':')?;
    let (minute, rest) = rest.split_once(':')?;
    let (second, rest) = rest.split_at_checked(2)?;
    let hour = number(hour, 1..=2, 23)?;
    let minute = number(minute, 2..=2, 59)?;
    let second = number(second, 2..=2, 59)?;
    let (nanos, rest) = match rest.strip_prefix(['.', ',']) {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (nanoseconds(&fraction[..fraction.len() - rest.len()]), rest)
        }
        _ => (0, rest),
    };
    let zone = match rest {
        "Z" => 0,
        rest => {
            let (sign, rest) = rest.split_at_checked(1)?;
            let (hours, minutes) = rest.split_once(':')?;
            let offset = number(hours, 2..=2, 24)? * 3600 + number(minutes, 2..=2, 60)? * 60;
            match sign {
                "+" => offset,
                "-" => -offset,
                _ => return None,
            }
        }
    };
    let part = |from, to| number(&date[from..to], 1..=4, 9999);
    let days = days(part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - zone;
    Some((seconds, nanos, i32::try_from(zone).ok()?))
}

/// Returns the nanoseconds of the digits of a fraction, without those after the ninth.
fn nanoseconds(digits: &str) -> u32 {
    let digits = digits.bytes().chain(core::iter::repeat(b'0')).take(9);
    digits.fold(0, |value, digit| value * 10 + u32::from(digit - b'0'))
}

fn number(text: &str, digits: core::ops::RangeInclusive<usize>, most: i64) -> Option<i64> {
    let is_number = digits.contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    let value = text.parse().ok().filter(|_| is_number)?;
    (value <= most).then_some(value)
}

/// Returns the days since 1970-01-01.
pub(crate) const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that a leap day is the last day of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A date and the time of the day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// From one.
    pub(crate) month: i64,
    /// From one.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    /// From zero, which is the first of January.
    pub(crate) day_of_year: i64,
    /// From zero, which is a Sunday.
    pub(crate) day_of_week: i64,
}

/// Returns the date and the time of the day of a Unix time.
pub(crate) const fn civil(seconds: i64) -> Civil {
    let (since_1970, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(since_1970);
    Civil {
        year,
        month,
        day,
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
        day_of_year: since_1970 - days(year, 1, 1),
        // 1970-01-01 was a Thursday.
        day_of_week: (since_1970 + 4).rem_euclid(7),
    }
}

/// Formats a Unix time as RFC 3339 in UTC.
pub fn format_unix_time(seconds: i64) -> String {
    let Civil { year, month, day, hour, minute, second, .. } = civil(seconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the year, month and day of a number of days since 1970-01-01.
const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(unix_time("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_time("2024-02-29T1:02:03,5+01:00"), Some(1_709_164_923));
        for (text, is_right) in [
            ("2024-02-30T00:00:00Z", false),
            ("2024-01-01", false),
            ("2024-01-01T24:00:00Z", false),
            ("2024-01-01T00:00:00", false),
            ("2024-01-01t00:00:00Z", false),
            ("2024-01-01T00:00:00.123456789+24:60", true),
            ("0000-01-01T00:00:00Z", false),
            ("0001-01-01T00:00:00Z", true),
            ("9999-12-31T23:59:59-00:01", false),
        ] {
            assert_eq!(unix_time(text).is_some_and(is_in_range), is_right, "{text}");
        }
    }

    #[test]
    fn texts() {
        for text in [
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2024-02-29T01:02:03Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(unix_time(text).map(format_unix_time).as_deref(), Some(text));
        }
    }
}
