//! Times and durations as tables show them.

use crdkit_core::literal::times;

/// Formats the time between two Unix times like apimachinery's `HumanDuration`.
pub(super) fn human_duration(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let with_rest = |whole: i64, unit: char, rest: i64, rest_unit: char| match rest {
        0 => format!("{whole}{unit}"),
        rest => format!("{whole}{unit}{rest}{rest_unit}"),
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => with_rest(minutes, 'm', seconds % 60, 's'),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => with_rest(hours, 'h', minutes % 60, 'm'),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => with_rest(days, 'd', hours % 24, 'h'),
        _ if days < 2 * 365 => format!("{days}d"),
        _ if days < 8 * 365 => with_rest(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}

/// Formats the age of an object or a value of a date column at the Unix time `now`.
pub(super) fn age(time: &str, now: i64) -> String {
    const ZERO: i64 = -62_135_596_800;
    match times::unix_time(time) {
        _ if matches!(time, "" | "null") => "<unknown>".to_owned(),
        None => "<invalid>".to_owned(),
        Some(ZERO) => "<unknown>".to_owned(),
        Some(time) => human_duration(now - time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        const HOUR: i64 = 3600;
        const DAY: i64 = 24 * HOUR;
        const YEAR: i64 = 365 * DAY;
        for (seconds, expected) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (9 * 60 + 59, "9m59s"),
            (600, "10m"),
            (179 * 60 + 59, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 60, "3h1m"),
            (8 * HOUR + 60, "8h"),
            (47 * HOUR, "47h"),
            (2 * DAY, "2d"),
            (7 * DAY + 23 * HOUR, "7d23h"),
            (8 * DAY + HOUR, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + DAY, "2y1d"),
            (8 * YEAR + DAY, "8y"),
        ] {
            assert_eq!(human_duration(seconds), expected);
        }
    }

    #[test]
    fn ages() {
        for (time, expected) in [
            ("1970-01-01T00:00:00Z", "10s"),
            ("1970-01-01T00:00:13Z", "<invalid>"),
            ("yesterday", "<invalid>"),
            ("", "<unknown>"),
            ("0001-01-01T00:00:00Z", "<unknown>"),
        ] {
            assert_eq!(age(time, 10), expected);
        }
    }
}
