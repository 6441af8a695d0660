//! The parts of timestamps and durations.

use alloc::{format, string::String};

use super::{Function, no_overload};
use crate::{
    cel::evaluate::{
        Run,
        error::{Evaluated, Stop},
        program::Call,
        time::Timestamp,
        time_zone::TimeZone,
        value::Value,
    },
    go::quote,
    literal::times::Civil,
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "getFullYear" => |run, args, call| of_time(run, args, call, |it| it.year),
        "getMonth" => |run, args, call| of_time(run, args, call, |it| it.month - 1),
        "getDate" => |run, args, call| of_time(run, args, call, |it| it.day),
        "getDayOfMonth" => |run, args, call| of_time(run, args, call, |it| it.day - 1),
        "getDayOfWeek" => |run, args, call| of_time(run, args, call, |it| it.day_of_week),
        "getDayOfYear" => |run, args, call| of_time(run, args, call, |it| it.day_of_year),
        "getHours" => |run, args, call| of_both(run, args, call, 3_600_000_000_000, |it| it.hour),
        "getMinutes" => |run, args, call| of_both(run, args, call, 60_000_000_000, |it| it.minute),
        "getSeconds" => |run, args, call| of_both(run, args, call, 1_000_000_000, |it| it.second),
        "getMilliseconds" => |run, args, call| match args {
            [Value::Duration(nanos)] => Ok(Value::Int(*nanos / 1_000_000)),
            [Value::Timestamp(time)] => Ok(milliseconds(time)),
            [Value::Timestamp(time), Value::Text(zone)] => {
                offset(run, time, zone)?;
                Ok(milliseconds(time))
            }
            args => no_overload(call, args),
        },
        _ => return None,
    })
}

fn milliseconds<'v>(time: &Timestamp) -> Value<'v> {
    Value::Int(i64::from(time.nanos / 1_000_000))
}

/// Returns a part of a timestamp, or a duration in units of these nanoseconds.
fn of_both<'v>(
    run: &mut Run<'v, '_>,
    args: &mut [Value<'v>],
    call: &Call,
    unit: i64,
    part: fn(&Civil) -> i64,
) -> Evaluated<'v> {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(*nanos / unit)),
        args => of_time(run, args, call, part),
    }
}

/// Returns a part of a timestamp in UTC, or in a time zone.
fn of_time<'v>(run: &Run<'v, '_>, args: &[Value<'v>], call: &Call, part: fn(&Civil) -> i64) -> Evaluated<'v> {
    let (time, offset) = match args {
        [Value::Timestamp(time)] => (time, 0),
        [Value::Timestamp(time), Value::Text(zone)] => (time, offset(run, time, zone)?),
        args => return no_overload(call, args),
    };
    Ok(Value::Int(part(&time.civil(offset))))
}

/// Returns the seconds that a time zone is ahead of UTC at a time. The zone is a name, or hours and minutes.
fn offset(run: &Run<'_, '_>, time: &Timestamp, zone: &str) -> Result<i32, Stop> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return named_offset(run, time, zone);
    };
    let [hours, minutes] = [number(hours)?, number(minutes)?];
    let minutes = if zone.starts_with('-') { -minutes } else { minutes };
    let seconds = hours.saturating_mul(60).saturating_add(minutes).saturating_mul(60);
    Ok(i32::try_from(seconds).unwrap_or(if seconds < 0 { i32::MIN } else { i32::MAX }))
}

/// Parses a number, with the error of Go's `strconv.Atoi`.
fn number(text: &str) -> Result<i64, Stop> {
    text.parse().map_err(|_| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let why = if is_number { "value out of range" } else { "invalid syntax" };
        Stop::from(format!("strconv.Atoi: parsing {}: {why}", quote(text)))
    })
}

fn named_offset(run: &Run<'_, '_>, time: &Timestamp, name: &str) -> Result<i32, Stop> {
    if matches!(name, "" | "UTC" | "Local") {
        return Ok(0);
    }
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".into());
    }
    let data = run.zones.and_then(|zones| zones(name));
    let zone = data.as_deref().and_then(TimeZone::parse);
    let unknown = || Stop::from(String::from("unknown time zone ") + name);
    zone.map(|zone| zone.offset(time.seconds)).ok_or_else(unknown)
}
