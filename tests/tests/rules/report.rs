//! Readable reports of disagreements.

use std::fmt::Write as _;

use crdkit::validate::Violation;
use crdkit_tests::Verdict;

/// How many characters of a line are shown.
const WIDTH: usize = 400;

/// The verdict of the server, a line for each cause.
pub(crate) fn server(verdict: &Verdict) -> String {
    let mut text = String::new();
    match (verdict.accepted, verdict.causes.is_empty()) {
        (true, _) => text.push_str("    server: accepted\n"),
        (false, true) => line(&mut text, "    server: ", &verdict.message),
        (false, false) => {
            for cause in &verdict.causes {
                let shown = format!("{}: {}", cause.field, cause.message);
                line(&mut text, "    server: ", &shown);
            }
        }
    }
    for warning in &verdict.warnings {
        line(&mut text, "    server warns: ", warning);
    }
    text
}

/// The report of crdkit, a line for each violation.
pub(crate) fn ours(violations: &[Violation]) -> String {
    let mut text = String::new();
    if violations.is_empty() {
        text.push_str("    crdkit: accepted\n");
    }
    for it in violations {
        let before = format!("    crdkit: {:?} {} ", it.severity, it.rule);
        line(&mut text, &before, &format!("{}: {}", it.field, it.server_error));
        if it.server_error.is_empty() {
            line(&mut text, "        ", &it.message);
        }
    }
    text
}

/// Writes one line, cut short.
pub(crate) fn line(text: &mut String, before: &str, rest: &str) {
    let rest: String = rest.chars().take(WIDTH).collect();
    writeln!(text, "{before}{}", rest.replace('\n', "⏎")).expect("a string takes any text");
}
