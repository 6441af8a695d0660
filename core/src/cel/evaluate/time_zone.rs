//! Time zones of the IANA database, in the format of RFC 9636.

use alloc::vec::Vec;

use crate::literal::times::{civil, days};

/// A time zone.
#[derive(Clone, Debug)]
pub(super) struct TimeZone<'d> {
    /// The Unix times from which an offset holds, sorted.
    transitions: Vec<(i64, i32)>,
    /// The offset before the first transition.
    first: i32,
    /// The rule for the times after the last transition.
    rule: Option<&'d str>,
}

/// The length of a header.
const HEADER: usize = 44;

/// The counts of a header.
struct Counts {
    is_utc: usize,
    is_standard: usize,
    leaps: usize,
    times: usize,
    types: usize,
    letters: usize,
}

impl Counts {
    fn of(data: &[u8]) -> Option<Self> {
        let count = |at: usize| {
            let bytes = data.get(at..at + 4)?;
            usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
        };
        if !data.starts_with(b"TZif") {
            return None;
        }
        Some(Self {
            is_utc: count(20)?,
            is_standard: count(24)?,
            leaps: count(28)?,
            times: count(32)?,
            types: count(36)?,
            letters: count(40)?,
        })
    }

    /// Returns the length of the data after the header, with times of this width.
    fn length(&self, width: usize) -> Option<usize> {
        let times = self.times.checked_mul(width + 1)?;
        let leaps = self.leaps.checked_mul(width + 4)?;
        let types = self.types.checked_mul(6)?;
        let rest = self.letters.checked_add(self.is_standard)?.checked_add(self.is_utc)?;
        times.checked_add(leaps)?.checked_add(types)?.checked_add(rest)
    }
}

impl<'d> TimeZone<'d> {
    /// Parses the data of a zone; `None` if it is malformed, or has only 32-bit times.
    pub(super) fn parse(data: &'d [u8]) -> Option<Self> {
        if *data.get(4)? < b'2' {
            return None;
        }
        let data = data.get(HEADER + Counts::of(data)?.length(4)?..)?;
        let counts = Counts::of(data)?;
        let body = data.get(HEADER..HEADER + counts.length(8)?)?;
        let (times, rest) = body.split_at_checked(counts.times * 8)?;
        let (indexes, rest) = rest.split_at_checked(counts.times)?;
        let (types, _) = rest.split_at_checked(counts.types * 6)?;
        let offset = |index: usize| {
            let bytes = types.get(index * 6..index * 6 + 4)?;
            Some(i32::from_be_bytes(bytes.try_into().ok()?))
        };
        let is_standard = |index: &usize| types.get(index * 6 + 4) == Some(&0);
        let mut transitions = Vec::with_capacity(counts.times);
        for (time, index) in times.chunks_exact(8).zip(indexes) {
            transitions.push((i64::from_be_bytes(time.try_into().ok()?), offset(usize::from(*index))?));
        }
        let footer = data.get(HEADER + counts.length(8)?..)?;
        let rule =
            core::str::from_utf8(footer).ok().map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty());
        let first = (0..counts.types).find(is_standard).unwrap_or(0);
        Some(Self { transitions, first: offset(first)?, rule })
    }

    /// Returns the seconds that the zone is ahead of UTC at a Unix time.
    pub(super) fn offset(&self, time: i64) -> i32 {
        let after = self.transitions.partition_point(|(start, _)| *start <= time);
        let known = match after.checked_sub(1) {
            Some(at) => self.transitions[at].1,
            None => self.first,
        };
        let is_last = after == self.transitions.len();
        self.rule.filter(|_| is_last).and_then(|rule| by_rule(rule, time)).unwrap_or(known)
    }
}

/// Returns the offset of a rule as in the variable `TZ` of POSIX, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn by_rule(rule: &str, time: i64) -> Option<i32> {
    let (standard, rest) = offset(after_name(rule)?)?;
    let standard = -standard;
    if rest.is_empty() {
        return Some(standard);
    }
    let rest = after_name(rest)?;
    let (summer, rest) = if rest.starts_with(',') {
        (standard + 3600, rest)
    } else {
        let (offset, rest) = offset(rest)?;
        (-offset, rest)
    };
    let (start, end) = rest.strip_prefix(',')?.split_once(',')?;
    let year = civil(time.checked_add(i64::from(standard))?).year;
    let start = instant(start, year)? - i64::from(standard);
    let end = instant(end, year)? - i64::from(summer);
    // South of the equator, summer is at the turn of the year.
    let is_summer = if start < end { (start..end).contains(&time) } else { !(end..start).contains(&time) };
    Some(if is_summer { summer } else { standard })
}

fn after_name(text: &str) -> Option<&str> {
    match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>').map(|(_, rest)| rest),
        None => Some(text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic())),
    }
}

/// Parses `[+-]hh[:mm[:ss]]` to seconds. Returns the rest.
fn offset(text: &str) -> Option<(i32, &str)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = unsigned.find(|letter: char| !(letter.is_ascii_digit() || letter == ':')).unwrap_or(unsigned.len());
    let (digits, rest) = unsigned.split_at(end);
    let mut seconds = 0_i32;
    for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
        seconds = seconds.checked_add(part.parse::<i32>().ok()?.checked_mul(unit)?)?;
    }
    Some((if text.starts_with('-') { -seconds } else { seconds }, rest))
}

/// Returns the time of a change in a year, in seconds on the clock before it.
fn instant(text: &str, year: i64) -> Option<i64> {
    let (date, time) = text.split_once('/').unwrap_or((text, "2"));
    let (time, _) = offset(time)?;
    let january = days(year, 1, 1);
    let is_leap = days(year + 1, 1, 1) - january == 366;
    let day = match date.as_bytes().first()? {
        b'M' => by_week(date.get(1..)?, year)?,
        b'J' => {
            let day: i64 = date.get(1..)?.parse().ok()?;
            january + day - i64::from(!(is_leap && day >= 60))
        }
        _ => january + date.parse::<i64>().ok()?,
    };
    day.checked_mul(86_400)?.checked_add(i64::from(time))
}

/// Returns the day of `month.week.weekday`, where the fifth week is the last.
fn by_week(text: &str, year: i64) -> Option<i64> {
    let mut parts = text.split('.').map(|part| part.parse::<i64>().ok());
    let [month, week, weekday] = [parts.next()??, parts.next()??, parts.next()??];
    let first = days(year, month, 1);
    let next = if month == 12 { days(year + 1, 1, 1) } else { days(year, month + 1, 1) };
    // 1970-01-01 was a Thursday.
    let first_weekday = (first + 4).rem_euclid(7);
    let mut day = first + (weekday - first_weekday).rem_euclid(7) + (week - 1) * 7;
    while day >= next {
        day -= 7;
    }
    Some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::times::unix_time;

    fn at(text: &str) -> i64 {
        unix_time(text).unwrap()
    }

    #[test]
    fn rules() {
        const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
        const SYDNEY: &str = "AEST-10AEDT,M10.1.0,M4.1.0/3";
        for (rule, time, hours) in [
            (BERLIN, "2024-03-31T00:59:59Z", 1),
            (BERLIN, "2024-03-31T01:00:00Z", 2),
            (BERLIN, "2024-10-27T00:59:59Z", 2),
            (BERLIN, "2024-10-27T01:00:00Z", 1),
            (SYDNEY, "2024-01-01T00:00:00Z", 11),
            (SYDNEY, "2024-07-01T00:00:00Z", 10),
            ("EST5EDT,M3.2.0,M11.1.0", "2024-07-01T00:00:00Z", -4),
            ("<+03>-3", "2024-07-01T00:00:00Z", 3),
        ] {
            assert_eq!(by_rule(rule, at(time)), Some(hours * 3600), "{rule} {time}");
        }
        assert_eq!(by_rule("<+0530>-5:30", 0), Some(19_800));
    }

    #[test]
    fn data() {
        // One transition from standard time to summer time, and no rule.
        let header = |times: u8, types: u8| {
            let mut header = b"TZif2".to_vec();
            header.extend([0; 15]);
            for count in [0, 0, 0, times, types, 4] {
                header.extend([0, 0, 0, count]);
            }
            header
        };
        let mut data = header(0, 1);
        data.extend([0; 6]);
        data.extend(b"UTC\0");
        data.extend(header(1, 2));
        data.extend(1000_i64.to_be_bytes());
        data.push(1);
        for (offset, is_summer) in [(3600_i32, 0), (7200, 1)] {
            data.extend(offset.to_be_bytes());
            data.extend([is_summer, 0]);
        }
        data.extend(b"CET\0\n\n");
        let zone = TimeZone::parse(&data).unwrap();
        assert_eq!([zone.offset(999), zone.offset(1000)], [3600, 7200]);
        assert!(TimeZone::parse(b"TZif1").is_none() && TimeZone::parse(&data[..60]).is_none());
    }
}
