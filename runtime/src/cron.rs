//! Schedules as those of CronJobs: times at which something is due, in a time zone.
//!
//! ```
//! use crdkit::{cron::Schedule, k8s_openapi::jiff::Timestamp};
//!
//! let schedule = Schedule::parse("30 3 * * mon-fri")?.in_zone("Europe/Berlin")?;
//! let friday: Timestamp = "2030-02-01T12:00:00Z".parse()?;
//! assert_eq!(schedule.next_after(friday).unwrap().to_string(), "2030-02-04T02:30:00Z");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A schedule is what `spec.schedule` of a CronJob accepts:
//!
//! | field | values | |
//! |---|---|---|
//! | minute | 0 to 59 | |
//! | hour | 0 to 23 | |
//! | day of the month | 1 to 31 | |
//! | month | 1 to 12 | or `jan` to `dec` |
//! | day of the week | 0 to 6, from Sunday | or `sun` to `sat` |
//!
//! Each field is a list of values, ranges such as `1-5`, and steps such as `*/15` or `8-18/2`; `*` and `?` stand for all values. If the days
//! of the month and of the week are both restricted, one of them is enough. `@yearly`, `@monthly`, `@weekly`, `@daily` and `@hourly` stand
//! for schedules, and `@every 90m` for an interval, which has no fixed times.
//!
//! As for CronJobs, a time that the clock skips in spring is not due on that day, and one that it has twice in autumn is due twice. Choose
//! UTC, or another hour, for what must run once a day. The rules of the zones are those of the system, or else those that the program was
//! built with.
//!
//! The page `controller::schedules` has a controller that runs Jobs, and its tests.

mod fields;

use std::{fmt, str::FromStr};

use crdkit_core::literal::cron::{self, CronTimes};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use self::fields::Fields;

/// The most times that CronJobs count as missed without a warning.
const MANY: u32 = 100;
/// The shortest interval, as in the library that Kubernetes uses.
const SHORTEST: SignedDuration = SignedDuration::from_secs(1);
/// From here on, the search for the last time before another one goes back twice as far each time.
const FIRST_STEP: SignedDuration = SignedDuration::from_secs(120);

/// Times at which something is due, by an expression as that of a CronJob, in a time zone.
///
/// It displays as the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias("cron", "crontab", "CronJob"))]
pub struct Schedule {
    expression: String,
    times: Times,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Times {
    Fields(Fields, TimeZone),
    Every(SignedDuration),
}

/// Why there is no such schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The expression is malformed.
    #[error("`{expression}` is not a schedule: {reason}")]
    #[non_exhaustive]
    Malformed {
        /// The expression.
        expression: String,
        /// Why, in the words of the API server.
        reason: String,
    },
    /// There is no time zone with this name.
    #[error("`{name}` is not the name of a time zone, such as `Europe/Berlin`")]
    #[non_exhaustive]
    TimeZone {
        /// The name.
        name: String,
    },
}

/// The times that were due in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissedTimes {
    /// The number of times, at most 101.
    pub count: u32,
    /// The last one; `None` if there was none.
    pub latest: Option<Timestamp>,
}

impl MissedTimes {
    /// Whether there were more than 100, for which CronJobs have a warning: the clock of a machine may be wrong, or the controller did not
    /// run for long.
    pub fn are_too_many(&self) -> bool {
        self.count > MANY
    }
}

impl Schedule {
    /// Parses an expression such as `0 3 * * *` or `@hourly`, for times in UTC.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Malformed`] if a CronJob would be rejected, with the reason of the API server. So is an expression with a time
    /// zone in front of it.
    pub fn parse(expression: &str) -> Result<Self, ScheduleError> {
        let malformed = |reason: String| ScheduleError::Malformed { expression: expression.to_owned(), reason };
        if expression.contains("TZ") {
            return Err(malformed("it has a time zone, which `in_zone` sets".to_owned()));
        }
        let times = match cron::parse(expression).map_err(malformed)? {
            CronTimes::Every(nanos) => {
                // Whole seconds, as in the library that Kubernetes uses.
                Times::Every(SignedDuration::from_secs(nanos / 1_000_000_000).max(SHORTEST))
            }
            CronTimes::Fields(fields) if fields.iter().any(|field| field.is_empty()) => {
                return Err(malformed("one of its fields has no values".to_owned()));
            }
            CronTimes::Fields([minutes, hours, days, months, weekdays]) => {
                Times::Fields(Fields { minutes, hours, days, months, weekdays }, TimeZone::UTC)
            }
        };
        Ok(Self { expression: expression.to_owned(), times })
    }

    /// Returns the same schedule for times in a zone of the IANA database, such as `Europe/Berlin`.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::TimeZone`] if there is no such zone.
    pub fn in_zone(self, name: &str) -> Result<Self, ScheduleError> {
        let unknown = || ScheduleError::TimeZone { name: name.to_owned() };
        cron::check_time_zone(name).map_err(|_| unknown())?;
        let zone = TimeZone::get(name).map_err(|_| unknown())?;
        let times = match self.times {
            Times::Fields(fields, _) => Times::Fields(fields, zone),
            // An interval is the same in all zones.
            Times::Every(interval) => Times::Every(interval),
        };
        Ok(Self { times, ..self })
    }

    /// Returns the first time after another one; `None` if there is none within eight years, as for the 30th of February.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        match &self.times {
            Times::Fields(fields, zone) => fields.next_after(time, zone),
            Times::Every(interval) => Timestamp::from_second(time.as_second()).ok()?.checked_add(*interval).ok(),
        }
    }

    /// Returns the times after `after` until `until`, including that.
    ///
    /// `after` is the last time for which something ran, or else the time when the object was created. What is older than a deadline, as the
    /// `startingDeadlineSeconds` of a CronJob, is left out with the later one of both: `last.max(now - deadline)`.
    ///
    /// ```
    /// # use crdkit::cron::Schedule;
    /// let hourly = Schedule::parse("@hourly")?;
    /// let missed = hourly.missed_between("2030-01-31T07:30:00Z".parse()?, "2030-01-31T10:00:00Z".parse()?);
    /// assert_eq!((missed.count, missed.latest), (3, Some("2030-01-31T10:00:00Z".parse()?)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn missed_between(&self, after: Timestamp, until: Timestamp) -> MissedTimes {
        let mut missed = MissedTimes { count: 0, latest: None };
        let mut time = after;
        while let Some(next) = self.next_after(time).filter(|next| *next <= until) {
            missed = MissedTimes { count: missed.count + 1, latest: Some(next) };
            if missed.are_too_many() {
                missed.latest = self.last_until(after, until);
                break;
            }
            time = next;
        }
        missed
    }

    /// Returns the last time after `after` until `until`, of which there is one.
    fn last_until(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        if let Times::Every(interval) = &self.times {
            let seconds = (until.as_second() - after.as_second()) / interval.as_secs() * interval.as_secs();
            return Timestamp::from_second(after.as_second() + seconds).ok();
        }
        let is_due = |time: &Timestamp| *time <= until;
        let mut step = FIRST_STEP;
        let mut start = until;
        while start > after && self.next_after(start).is_none_or(|time| time > until) {
            start = until.checked_sub(step).map_or(after, |earlier| earlier.max(after));
            step = step.saturating_mul(2);
        }
        std::iter::successors(self.next_after(start).filter(is_due), |time| self.next_after(*time).filter(is_due))
            .last()
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(expression: &str) -> Result<Self, ScheduleError> {
        Self::parse(expression)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expression)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn schedule(expression: &str, zone: &str) -> Schedule {
        Schedule::parse(expression).unwrap().in_zone(zone).unwrap()
    }

    /// Checks the times that follow, as texts of the zone's offset.
    #[track_caller]
    fn assert_times(expression: &str, zone: &str, times: &[&str]) {
        let schedule = schedule(expression, zone);
        for pair in times.windows(2) {
            assert_eq!(schedule.next_after(time(pair[0])), Some(time(pair[1])), "{expression} after {}", pair[0]);
        }
    }

    /// The cases of `spec_test.go` of `robfig/cron`, which Kubernetes uses.
    #[test]
    fn times_that_a_clock_skips_are_not_due() {
        let zone = "America/New_York";
        let hourly = ["2012-03-11T00:00:00-05:00", "2012-03-11T01:00:00-05:00", "2012-03-11T03:00:00-04:00"];
        assert_times("0 * * * *", zone, &hourly);
        assert_times(
            "0 1 * * *",
            zone,
            &["2012-03-11T00:00:00-05:00", "2012-03-11T01:00:00-05:00", "2012-03-12T01:00:00-04:00"],
        );
        assert_times("0 2 * * *", zone, &["2012-03-11T00:00:00-05:00", "2012-03-12T02:00:00-04:00"]);
        assert_times("30 2 11 mar ?", zone, &["2012-03-11T00:00:00-05:00", "2013-03-11T02:30:00-04:00"]);
        assert_times("0 3 * * *", zone, &["2012-03-11T00:00:00-05:00", "2012-03-11T03:00:00-04:00"]);
    }

    #[test]
    fn times_that_a_clock_has_twice_are_due_twice() {
        let zone = "America/New_York";
        let hourly = [
            "2012-11-04T00:00:00-04:00",
            "2012-11-04T01:00:00-04:00",
            "2012-11-04T01:00:00-05:00",
            "2012-11-04T02:00:00-05:00",
        ];
        assert_times("0 * * * *", zone, &hourly);
        let twice = [
            "2012-11-04T00:00:00-04:00",
            "2012-11-04T01:00:00-04:00",
            "2012-11-04T01:00:00-05:00",
            "2012-11-05T01:00:00-05:00",
        ];
        assert_times("0 1 * * *", zone, &twice);
        assert_times("0 2 * * *", zone, &["2012-11-04T00:00:00-04:00", "2012-11-04T02:00:00-05:00"]);
        let autumn = ["2030-10-27T00:00:00+02:00", "2030-10-27T02:30:00+02:00", "2030-10-27T02:30:00+01:00"];
        assert_times("30 2 * * *", "Europe/Berlin", &autumn);
    }

    /// The clocks of Lord Howe Island change by half an hour, those of Troll by two hours.
    #[test]
    fn clocks_change_by_other_steps() {
        let spring = ["2030-10-06T00:00:00+10:30", "2030-10-06T02:45:00+11:00", "2030-10-07T02:45:00+11:00"];
        assert_times("45 2 * * *", "Australia/Lord_Howe", &spring);
        assert_times("15 2 * * *", "Australia/Lord_Howe", &["2030-10-06T00:00:00+10:30", "2030-10-07T02:15:00+11:00"]);
        let autumn = [
            "2030-04-07T00:00:00+11:00",
            "2030-04-07T01:45:00+11:00",
            "2030-04-07T01:45:00+10:30",
            "2030-04-08T01:45:00+10:30",
        ];
        assert_times("45 1 * * *", "Australia/Lord_Howe", &autumn);
        assert_times("0 2 * * *", "Australia/Lord_Howe", &["2030-04-07T00:00:00+11:00", "2030-04-07T02:00:00+10:30"]);
        assert_times("30 1 * * *", "Antarctica/Troll", &["2030-03-30T12:00:00Z", "2030-04-01T01:30:00+02:00"]);
        // A day that begins at one o'clock.
        assert_times("0 0 * * *", "Africa/Cairo", &["2030-04-25T12:00:00+02:00", "2030-04-27T00:00:00+03:00"]);
        assert_times("0 1 * * *", "Africa/Cairo", &["2030-04-25T12:00:00+02:00", "2030-04-26T01:00:00+03:00"]);
    }

    #[test]
    fn one_of_two_restricted_days_is_enough() {
        // The 13th of December 2030 is a Friday.
        let either = ["2030-12-07T12:00:00Z", "2030-12-08T00:00:00Z", "2030-12-13T00:00:00Z", "2030-12-15T00:00:00Z"];
        assert_times("0 0 13 * sun", "UTC", &either);
        // A step restricts the days as well, other than in Vixie's cron.
        let either = ["2030-12-07T12:00:00Z", "2030-12-08T00:00:00Z", "2030-12-11T00:00:00Z", "2030-12-15T00:00:00Z"];
        assert_times("0 0 */10 * sun", "UTC", &either);
        assert_times("0 0 ? * sun", "UTC", &["2030-12-08T00:00:00Z", "2030-12-15T00:00:00Z"]);
    }

    #[test]
    fn leap_days_and_days_that_never_come() {
        assert_times("0 0 29 2 *", "UTC", &["2028-03-01T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"]);
        assert_times("0 0 29 2 *", "UTC", &["2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"]);
        assert_eq!(schedule("0 0 30 2 *", "UTC").next_after(time("2030-01-01T00:00:00Z")), None);
    }

    #[test]
    fn intervals_have_whole_seconds() {
        assert_times("@every 90m", "UTC", &["2030-01-01T00:00:00.7Z", "2030-01-01T01:30:00Z", "2030-01-01T03:00:00Z"]);
        assert_times("@every 10ms", "UTC", &["2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z"]);
        let missed =
            schedule("@every 7s", "UTC").missed_between(time("2030-01-01T00:00:00Z"), time("2031-01-01T00:00:00Z"));
        assert_eq!((missed.count, missed.latest), (101, Some(time("2030-12-31T23:59:54Z"))));
    }

    #[test]
    fn schedules_are_equal_if_their_times_are_written_the_same() {
        let schedule = || Schedule::parse("0 3 * * *").unwrap();
        assert_eq!(schedule(), schedule());
        assert_ne!(schedule(), schedule().in_zone("Europe/Berlin").unwrap());
        assert_eq!(schedule().to_string(), "0 3 * * *");
    }

    #[test]
    fn missed_times_are_counted() {
        let working_hours = schedule("30 6-16/4 * * 1-5", "UTC");
        // From Friday evening until Tuesday.
        let missed = working_hours.missed_between(time("2030-02-01T14:30:00Z"), time("2030-02-05T08:00:00Z"));
        assert_eq!((missed.count, missed.latest), (4, Some(time("2030-02-05T06:30:00Z"))));
        let none = working_hours.missed_between(time("2030-02-01T14:30:00Z"), time("2030-02-04T06:29:59Z"));
        assert_eq!(none, MissedTimes { count: 0, latest: None });
        // The clock was set back.
        let back = working_hours.missed_between(time("2030-02-05T00:00:00Z"), time("2030-02-01T00:00:00Z"));
        assert_eq!(back.count, 0);
    }

    #[test]
    fn many_missed_times_take_no_time() {
        for (expression, count, latest) in [
            ("* * * * *", 101, "2030-06-15T12:00:00Z"),
            ("*/7 * 1 * *", 101, "2030-06-01T23:56:00Z"),
            ("0 0 29 2 *", 32, "2028-02-29T00:00:00Z"),
            ("@yearly", 101, "2030-01-01T00:00:00Z"),
        ] {
            let (start, end) = (time("1900-01-01T00:00:00Z"), time("2030-06-15T12:00:00Z"));
            let missed = schedule(expression, "UTC").missed_between(start, end);
            assert_eq!((missed.count, missed.latest), (count, Some(time(latest))), "{expression}");
            assert_eq!(missed.are_too_many(), count == 101);
        }
    }

    #[test]
    fn what_a_cron_job_rejects_is_malformed() {
        for (expression, reason) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("0 0 * * 7", "end of range (7) above maximum (6): 7"),
            ("TZ=UTC 0 0 * * *", "it has a time zone, which `in_zone` sets"),
            (", * * * *", "one of its fields has no values"),
            ("0 0 L * *", "failed to parse int from L: strconv.Atoi: parsing \"L\": invalid syntax"),
        ] {
            let error = expression.parse::<Schedule>().unwrap_err();
            assert_eq!(error.to_string(), format!("`{expression}` is not a schedule: {reason}"));
        }
        for name in ["", "Local", "Mars/Olympus", "../UTC"] {
            let error = Schedule::parse("@daily").unwrap().in_zone(name).unwrap_err();
            assert_eq!(error.to_string(), format!("`{name}` is not the name of a time zone, such as `Europe/Berlin`"));
        }
        assert!(Schedule::parse("@every 1h").unwrap().in_zone("Mars/Olympus").is_err());
    }
}
