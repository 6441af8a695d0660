//! How many random cases and objects tests have, and with which seeds.

use std::{env, fmt::Debug, ops::Range};

/// A test has one of this number of the cases of a whole run.
const SHARE: u64 = 5;

/// Returns the number of random cases of a test, or of its objects: that in the variable, or else that of a whole run, of which
/// `cargo test` runs a fifth unless `CRDKIT_ALL_CASES=1`.
///
/// # Panics
///
/// If a variable has another value than a number, or too large a number.
pub fn case_count<T: TryFrom<u64, Error: Debug>>(variable: &str, whole_run: u64) -> T {
    let count = number(variable).unwrap_or_else(|| match number("CRDKIT_ALL_CASES") {
        Some(1) => whole_run,
        None | Some(0) => whole_run.div_ceil(SHARE),
        Some(other) => panic!("CRDKIT_ALL_CASES={other} is neither 0 nor 1"),
    });
    T::try_from(count).unwrap_or_else(|error| panic!("{variable}={count}: {error:?}"))
}

/// Returns the seeds of a number of schedules: 1 and those after it, or only that in the variable.
///
/// # Panics
///
/// If the variable has another value than a number.
pub fn seeds(variable: &str, schedules: u64) -> Range<u64> {
    number(variable).map_or(1..schedules + 1, |seed| seed..seed + 1)
}

/// Returns the number in a variable of the environment, such as a seed; `None` if it is not set.
///
/// # Panics
///
/// If the variable has another value.
pub fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}
