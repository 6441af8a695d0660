//! Schedules of CronJobs, in the form and with the errors of the library `robfig/cron`, which Kubernetes uses.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::formats::go_duration;
use crate::go;

/// The fields of a schedule: the least and the highest value, and the names of values from the least one.
const FIELDS: [(u8, u8, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// What stands for a whole schedule, and the schedule.
const DESCRIPTORS: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// When a schedule is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CronTimes {
    /// At the times whose minute, hour, day of the month, month and day of the week, from Sunday, are in these fields.
    ///
    /// If both fields of days are [restricted](CronField::is_any), one of them is enough.
    Fields([CronField; 5]),
    /// After each of these durations in nanoseconds, which may be negative.
    Every(i64),
}

/// The values of one field of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CronField {
    /// Bit `n` stands for the value `n`.
    values: u64,
    /// Whether it has `*` or `?`. With a step, as in `*/2`, it is restricted.
    pub is_any: bool,
}

impl CronField {
    /// Whether it has no values, as `,`.
    pub fn is_empty(self) -> bool {
        self.values == 0
    }

    /// Whether it has a value.
    pub fn has(self, value: u8) -> bool {
        value < 64 && self.values >> value & 1 == 1
    }

    fn and(self, other: Self) -> Self {
        Self { values: self.values | other.values, is_any: self.is_any || other.is_any }
    }
}

/// Parses a schedule. A time zone before it, as in `TZ=UTC 0 3 * * *`, is skipped.
///
/// # Errors
///
/// If it is malformed, with the error of `robfig/cron`.
pub fn parse(schedule: &str) -> Result<CronTimes, String> {
    let mut rest = schedule;
    if ["TZ=", "CRON_TZ="].iter().any(|prefix| schedule.starts_with(prefix)) {
        rest = schedule.split_once(' ').map_or("", |(_, rest)| rest.trim());
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let texts: Vec<_> = rest.split_whitespace().collect();
    if texts.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", texts.len(), texts.join(" ")));
    }
    let mut fields = [CronField::default(); 5];
    for ((field, text), allowed) in fields.iter_mut().zip(texts).zip(FIELDS) {
        *field = parse_field(text, allowed)?;
    }
    Ok(CronTimes::Fields(fields))
}

fn descriptor(text: &str) -> Result<CronTimes, String> {
    if let Some(duration) = text.strip_prefix("@every ") {
        let malformed = || format!("failed to parse duration {text}: time: invalid duration {}", go::quote(duration));
        return go_duration(duration).map(CronTimes::Every).ok_or_else(malformed);
    }
    match DESCRIPTORS.iter().find(|(name, _)| *name == text) {
        Some((_, schedule)) => parse(schedule),
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

fn parse_field(text: &str, allowed: (u8, u8, &[&str])) -> Result<CronField, String> {
    let ranges = text.split(',').filter(|range| !range.is_empty());
    ranges.map(|range| parse_range(range, allowed)).try_fold(CronField::default(), |all, range| Ok(all.and(range?)))
}

fn parse_range(range: &str, (least, most, names): (u8, u8, &[&str])) -> Result<CronField, String> {
    let (least, most) = (u64::from(least), u64::from(most));
    let with_step: Vec<_> = range.split('/').collect();
    let bounds: Vec<_> = with_step[0].split('-').collect();
    let number = |text: &str| {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        named.map_or_else(|| integer(text), |index| Ok(least + index as u64))
    };
    let is_star = matches!(bounds[0], "*" | "?");
    let (start, mut end) = if is_star {
        (least, most)
    } else {
        let start = number(bounds[0])?;
        match bounds[..] {
            [_] => (start, start),
            [_, end] => (start, number(end)?),
            _ => return Err(format!("too many hyphens: {range}")),
        }
    };
    let step = match with_step[..] {
        [_] => 1,
        [_, step] => {
            let step = integer(step)?;
            if bounds.len() == 1 {
                end = most;
            }
            step
        }
        _ => return Err(format!("too many slashes: {range}")),
    };
    if start < least {
        return Err(format!("beginning of range ({start}) below minimum ({least}): {range}"));
    }
    if end > most {
        return Err(format!("end of range ({end}) above maximum ({most}): {range}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    let step_by = usize::try_from(step).unwrap_or(usize::MAX);
    if step_by == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    let values = (start..=end).step_by(step_by).fold(0, |values, value| values | 1 << value);
    Ok(CronField { values, is_any: is_star && step_by == 1 })
}

fn integer(text: &str) -> Result<u64, String> {
    let quoted = go::quote(text);
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {quoted}: invalid syntax")),
    }
}

/// Checks the name of a time zone as CronJobs do, as far as names tell: whether there is such a zone is another question.
///
/// # Errors
///
/// With the error of the API server.
pub fn check_time_zone(name: &str) -> Result<(), String> {
    let is_allowed = |part: &str| {
        !matches!(part, "" | "." | "..")
            && !part.starts_with('-')
            && part.len() <= 14
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.'))
    };
    if name.is_empty() {
        return Err("timeZone must be nil or non-empty string".to_owned());
    }
    if !name.split('/').all(is_allowed) {
        return Err(format!("unknown time zone {name}"));
    }
    if name.eq_ignore_ascii_case("local") {
        return Err("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(schedule: &str) -> [(Vec<u8>, bool); 5] {
        match parse(schedule).unwrap() {
            CronTimes::Fields(fields) => {
                fields.map(|field| ((0..64).filter(|value| field.has(*value)).collect(), field.is_any))
            }
            CronTimes::Every(_) => panic!("{schedule}"),
        }
    }

    #[test]
    fn schedules_have_five_fields() {
        let [minutes, hours, days, months, weekdays] = fields("*/20 0-6/3,12 1 jan-MAR,5 ?");
        assert_eq!((minutes, hours), ((Vec::from([0, 20, 40]), false), (Vec::from([0, 3, 6, 12]), false)));
        assert_eq!((days, months), ((Vec::from([1]), false), (Vec::from([1, 2, 3, 5]), false)));
        assert_eq!(weekdays, ((0..7).collect(), true));
        // One star is enough, and a step takes it back.
        let [_, _, days, _, weekdays] = fields("0 0 10,* * 5/1");
        assert_eq!((days.1, weekdays), (true, (Vec::from([5, 6]), false)));
        assert_eq!(fields("@weekly"), fields("0 0 * * sun"));
    }

    #[test]
    fn intervals_are_durations_of_go() {
        assert_eq!(parse("@every 1h30m"), Ok(CronTimes::Every(5_400_000_000_000)));
        assert_eq!(parse("@every -1s"), Ok(CronTimes::Every(-1_000_000_000)));
        let malformed = "failed to parse duration @every 1x: time: invalid duration \"1x\"";
        assert_eq!(parse("@every 1x"), Err(malformed.to_owned()));
    }

    #[test]
    fn malformed_schedules_have_the_errors_of_the_library() {
        for (schedule, error) in [
            ("* * *", "expected exactly 5 fields, found 3: [* * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("@never", "unrecognized descriptor: @never"),
        ] {
            assert_eq!(parse(schedule), Err(error.to_owned()), "{schedule}");
        }
    }

    #[test]
    fn time_zones_have_names_of_the_database() {
        assert_eq!(check_time_zone("America/Argentina/Buenos_Aires"), Ok(()));
        for name in ["", "Europe//Berlin", "../etc/passwd", "LOCAL", "Europe/Ber lin"] {
            assert!(check_time_zone(name).is_err(), "{name}");
        }
    }
}
