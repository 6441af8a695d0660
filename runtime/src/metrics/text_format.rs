//! Prometheus' older text format, for scrapers that do not accept OpenMetrics.

use std::collections::HashSet;

/// Converts metrics in OpenMetrics to the text format 0.0.4.
///
/// There, the name of a counter has its suffix in the description too, and there are no units and no end marker.
pub(crate) fn from_openmetrics(text: &str) -> String {
    let counters: HashSet<&str> = text.lines().filter_map(counter_of).collect();
    let mut converted = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT ")) {
        match described(line).filter(|(_, name, _)| counters.contains(name)) {
            Some((keyword, name, rest)) => converted.extend(["# ", keyword, " ", name, "_total ", rest]),
            None => converted.push_str(line),
        }
        converted.push('\n');
    }
    converted
}

/// Returns the name of the counter that a line describes.
fn counter_of(line: &str) -> Option<&str> {
    let (keyword, name, type_) = described(line)?;
    (keyword == "TYPE" && type_ == "counter").then_some(name)
}

/// Splits a line with a description or a type.
fn described(line: &str) -> Option<(&str, &str, &str)> {
    let (keyword, rest) = line.strip_prefix("# ")?.split_once(' ')?;
    let (name, rest) = rest.split_once(' ')?;
    matches!(keyword, "HELP" | "TYPE").then_some((keyword, name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_described_with_their_suffix() {
        let openmetrics = "# HELP adds All adds\n# TYPE adds counter\nadds_total{name=\"a\"} 2\n\
            # HELP age_seconds Ages\n# TYPE age_seconds gauge\n# UNIT age_seconds seconds\nage_seconds 1.5\n# EOF\n";
        let expected = "# HELP adds_total All adds\n# TYPE adds_total counter\nadds_total{name=\"a\"} 2\n\
            # HELP age_seconds Ages\n# TYPE age_seconds gauge\nage_seconds 1.5\n";
        assert_eq!(from_openmetrics(openmetrics), expected);
    }
}
