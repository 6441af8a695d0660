//! Schedules of CronJobs, in the form and with the errors of the library `robfig/cron`.

/// The fields of a schedule: the least and the highest value, and the names of values from the least one.
const FIELDS: [(u64, u64, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

const DESCRIPTORS: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Checks a schedule.
///
/// # Errors
///
/// If it is malformed.
pub(super) fn parse(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    if ["TZ=", "CRON_TZ="].iter().any(|prefix| schedule.starts_with(prefix)) {
        rest = schedule.split_once(' ').map_or("", |(_, rest)| rest.trim());
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<_> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    fields.iter().zip(FIELDS).try_for_each(|(text, (least, most, names))| {
        text.split(',').filter(|range| !range.is_empty()).try_for_each(|range| check_range(range, least, most, names))
    })
}

fn descriptor(text: &str) -> Result<(), String> {
    match text.strip_prefix("@every ") {
        Some(duration) if is_duration(duration) => Ok(()),
        Some(duration) => {
            Err(format!("failed to parse duration {text}: time: invalid duration {}", crdkit_core::go::quote(duration)))
        }
        None if DESCRIPTORS.contains(&text) => Ok(()),
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

/// Whether a text is a duration of Go, such as `1h30m`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let units = ["ns", "us", "µs", "ms", "s", "m", "h"];
    let is_number = |number: &str| number.parse::<f64>().is_ok();
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit() && c != '.') {
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        if !is_number(number) || !units.contains(&unit) {
            return false;
        }
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    false
}

fn check_range(range: &str, least: u64, most: u64, names: &[&str]) -> Result<(), String> {
    let with_step: Vec<_> = range.split('/').collect();
    let bounds: Vec<_> = with_step[0].split('-').collect();
    let number = |text: &str| {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        named.map_or_else(|| integer(text), |index| Ok(least + index as u64))
    };
    let (start, mut end) = if matches!(bounds[0], "*" | "?") {
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
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn integer(text: &str) -> Result<u64, String> {
    let quoted = crdkit_core::go::quote(text);
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {quoted}: invalid syntax")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules() {
        for valid in ["* * * * *", "*/5 0-6,12 1 jan-DEC ?", "@daily", "@every 1h30m", "5/2 * * * 6"] {
            assert_eq!(parse(valid), Ok(()), "{valid}");
        }
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
}
