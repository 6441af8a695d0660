//! Profiles of the processor.

use std::{collections::BTreeMap, thread, time::Duration};

use crdkit::controller::{Error, ServeOptions};
use pprof::{ProfilerGuardBuilder, protos::Message};

/// As in Go's `net/http/pprof`.
const NAME: &str = "pprof/profile";
const DEFAULT_SECONDS: u64 = 30;
/// Longer profiles are rather a mistake.
const MAX_SECONDS: u64 = 600;
/// Samples a second; not a divisor of common periods.
const FREQUENCY: i32 = 99;
/// A sample in one of these libraries could wait for what it has interrupted.
const BLOCKED: [&str; 4] = ["libc", "libgcc", "pthread", "vdso"];

/// Serves profiles at `/debug/pprof/profile?seconds=10`, of 30 s by default.
pub(crate) fn serve(options: ServeOptions) -> ServeOptions {
    options.debug_page(NAME, "application/octet-stream", measure)
}

/// Measures for the `seconds` of the query, and returns the profile as `go tool pprof` reads it.
fn measure(parameters: &BTreeMap<String, String>) -> Result<Vec<u8>, Error> {
    let seconds = seconds(parameters.get("seconds").map(String::as_str))?;
    let profiler = ProfilerGuardBuilder::default().frequency(FREQUENCY).blocklist(&BLOCKED).build()?;
    thread::sleep(Duration::from_secs(seconds));
    let profile = profiler.report().build()?.pprof()?;
    Ok(profile.encode_to_vec())
}

fn seconds(parameter: Option<&str>) -> Result<u64, Error> {
    let Some(parameter) = parameter else {
        return Ok(DEFAULT_SECONDS);
    };
    match parameter.parse() {
        Ok(seconds @ 1..=MAX_SECONDS) => Ok(seconds),
        _ => Err(format!("`seconds` is a number from 1 to {MAX_SECONDS}").into()),
    }
}
