//! The times that the fields of an expression describe. The tests are those of schedules.

use crdkit_core::literal::cron::CronField;
use jiff::{SignedDuration, Timestamp, civil::Date, tz::TimeZone};

const MINUTE: SignedDuration = SignedDuration::from_secs(60);
/// How far the next time may be. Around the year 2100, there are eight years between two leap days.
const LONGEST: SignedDuration = SignedDuration::from_hours(8 * 366 * 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) minutes: CronField,
    pub(super) hours: CronField,
    pub(super) days: CronField,
    pub(super) months: CronField,
    /// From Sunday.
    pub(super) weekdays: CronField,
}

impl Fields {
    /// Returns the first time after another one, in a zone.
    pub(super) fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let end = after.checked_add(LONGEST).ok()?;
        let mut time = Timestamp::from_second(after.as_second().div_euclid(60) * 60).ok()?.checked_add(MINUTE).ok()?;
        while time <= end {
            let local = zone.to_datetime(time);
            time = if !self.has_day(local.date()) {
                start_of_next_day(local.date(), time, zone)?
            } else if !has(self.hours, local.hour()) {
                start_of_next_hour(local.minute(), time, zone)?
            } else if !has(self.minutes, local.minute()) {
                time.checked_add(MINUTE).ok()?
            } else {
                return Some(time);
            };
        }
        None
    }

    fn has_day(&self, date: Date) -> bool {
        let (day, weekday) = (has(self.days, date.day()), has(self.weekdays, date.weekday().to_sunday_zero_offset()));
        let both = self.days.is_any || self.weekdays.is_any;
        has(self.months, date.month()) && if both { day && weekday } else { day || weekday }
    }
}

fn has(field: CronField, value: i8) -> bool {
    u8::try_from(value).is_ok_and(|value| field.has(value))
}

fn start_of_next_day(date: Date, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let start = date.tomorrow().ok()?.to_zoned(zone.clone()).ok()?.timestamp();
    // Clocks that are set back at midnight may have that twice.
    Some(start.max(time.checked_add(MINUTE).ok()?))
}

fn start_of_next_hour(minute: i8, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let next = time.checked_add(MINUTE * i32::from(60 - minute)).ok()?;
    // A clock that is changed in the meantime shows another hour earlier, and not all changes are at full hours.
    if zone.to_offset(time) == zone.to_offset(next) { Some(next) } else { time.checked_add(MINUTE).ok() }
}
