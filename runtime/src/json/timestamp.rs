//! Times as the API server formats them.

use k8s_openapi::jiff::Timestamp;

/// Parses a time.
pub(crate) fn timestamp(text: &str) -> Option<Timestamp> {
    whole_seconds(text.as_bytes()).or_else(|| text.parse().ok())
}

/// Parses `2026-01-02T03:04:05Z`, the form of nearly all times, ten times as fast as the general parser.
fn whole_seconds(text: &[u8]) -> Option<Timestamp> {
    let text: &[u8; 20] = text.try_into().ok()?;
    let separators = [4, 7, 10, 13, 16, 19].map(|at| text[at]);
    (separators == *b"--T::Z").then_some(())?;
    let two = |at: usize| Some(10 * digit(text[at])? + digit(text[at + 1])?);
    let year = 100 * two(0)? + two(2)?;
    let (month, day) = (two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    let fits = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    fits.then_some(())?;
    let seconds = 60 * (60 * (24 * days(year, month, day) + hour) + minute) + second;
    Timestamp::from_second(seconds).ok()
}

fn digit(byte: u8) -> Option<i64> {
    byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970. Years start in March, so that a leap day is the last day of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month < 3);
    let of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let of_months = (153 * ((month + 9) % 12) + 2) / 5;
    // From March 1 of the year 0 to 1970-01-01, and one, since the days of a month start at one.
    const UNTIL_1970: i64 = 719_469;
    of_years + of_months + day - UNTIL_1970
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn all_days_are_parsed(seconds in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second()) {
            let time = Timestamp::from_second(seconds).unwrap();
            let text = time.to_string();
            if text.len() == 20 {
                prop_assert_eq!(whole_seconds(text.as_bytes()), Some(time));
            }
        }

        #[test]
        fn invalid_days_are_rejected(
            year in prop_oneof![Just(0), Just(1900), Just(2000), Just(2024), 0..10_000],
            month in 0..14,
            day in prop_oneof![0..33, 27..33],
            (hour, minute, second) in (0..26, 0..62, 0..62),
        ) {
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
            if let Some(time) = whole_seconds(text.as_bytes()) {
                prop_assert_eq!(text.parse::<Timestamp>().unwrap(), time);
            }
        }
    }
}
