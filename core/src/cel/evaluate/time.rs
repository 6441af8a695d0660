//! Timestamps and time zones.

use alloc::{format, string::String};

use crate::literal::times::{Civil, civil, unix_time_with_zone};

const SECOND: i64 = 1_000_000_000;

/// A point in time, in the time zone in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cel) struct Timestamp {
    /// Unix time.
    pub(super) seconds: i64,
    pub(super) nanos: u32,
    /// The seconds that the time zone is ahead of UTC.
    pub(super) offset: i32,
}

impl Timestamp {
    pub(super) const fn of_unix(seconds: i64) -> Self {
        Self { seconds, nanos: 0, offset: 0 }
    }

    /// Parses an RFC 3339 time.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (seconds, nanos, offset) = unix_time_with_zone(text)?;
        Some(Self { seconds, nanos, offset })
    }

    /// Whether this is Go's zero time.
    pub(super) const fn is_zero(&self) -> bool {
        self.seconds == -62_135_596_800 && self.nanos == 0
    }

    /// Compares points in time, regardless of their time zones.
    pub(super) fn order(&self, other: &Self) -> core::cmp::Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }

    /// Adds nanoseconds. The error is the server's.
    pub(super) fn plus(self, nanos: i64) -> Result<Self, &'static str> {
        let total = i64::from(self.nanos) + nanos % SECOND;
        let carried = total.div_euclid(SECOND);
        let seconds = self.seconds.checked_add(nanos / SECOND).and_then(|it| it.checked_add(carried));
        let seconds = seconds.ok_or("integer overflow")?;
        if !crate::literal::times::is_in_range(seconds) {
            return Err("timestamp overflow");
        }
        let nanos = u32::try_from(total.rem_euclid(SECOND)).unwrap_or_default();
        Ok(Self { seconds, nanos, ..self })
    }

    /// Returns the nanoseconds since another time; `None` if they exceed the range.
    pub(super) fn since(&self, other: &Self) -> Option<i64> {
        let seconds = self.seconds.checked_sub(other.seconds)?.checked_mul(SECOND)?;
        seconds.checked_add(i64::from(self.nanos) - i64::from(other.nanos))
    }

    /// Returns the date and the time on the clocks of a time zone, which is that many seconds ahead of UTC.
    pub(super) const fn civil(&self, offset: i32) -> Civil {
        civil(self.seconds.saturating_add(offset as i64))
    }

    /// Formats the time as RFC 3339 with nanoseconds.
    pub(super) fn format(&self, offset: i32) -> String {
        let it = self.civil(offset);
        let (year, month, day, hour, minute, second) = (it.year, it.month, it.day, it.hour, it.minute, it.second);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanos > 0 {
            let fraction = format!(".{:09}", self.nanos);
            text.push_str(fraction.trim_end_matches('0'));
        }
        if offset == 0 {
            text.push('Z');
        } else {
            let minutes = offset.abs() / 60;
            let sign = if offset < 0 { '-' } else { '+' };
            text.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_of_a_time_is_kept() {
        for text in ["2024-02-29T01:02:03.5+01:30", "2024-02-29T01:02:03Z", "1969-12-31T23:59:59.999999999-08:00"] {
            let time = Timestamp::parse(text).unwrap();
            assert_eq!(time.format(time.offset), text);
        }
        let time = Timestamp::parse("2024-02-29T00:30:00+01:00").unwrap();
        assert_eq!((time.civil(0).hour, time.civil(0).day, time.civil(0).month), (23, 28, 2));
    }

    #[test]
    fn durations_are_added() {
        let time = Timestamp::of_unix(0);
        let earlier = time.plus(-1).unwrap();
        assert_eq!((earlier.seconds, earlier.nanos), (-1, 999_999_999));
        assert_eq!(time.since(&earlier), Some(1));
        assert_eq!(Timestamp::of_unix(253_402_300_799).plus(SECOND), Err("timestamp overflow"));
        assert_eq!(Timestamp::of_unix(253_402_300_799).since(&Timestamp::of_unix(-62_135_596_800)), None);
    }
}
