//! How many random cases tests run, and with which seeds.

use std::env;

/// One of this number of cases runs by default.
const SHARE: u64 = 5;

/// Returns the number of random cases of a test, such as sequences of requests: that in the variable, or else that of a whole run, of
/// which `cargo test` runs a fifth unless `CRDKIT_ALL_CASES=1`.
///
/// # Panics
///
/// If the variable has another value than a number.
pub fn case_count(variable: &str, whole_run: u64) -> u64 {
    let runs_all = env::var("CRDKIT_ALL_CASES").is_ok_and(|value| value == "1");
    number(variable).unwrap_or(if runs_all { whole_run } else { whole_run.div_ceil(SHARE) })
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
