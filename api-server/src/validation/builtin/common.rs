//! Rules that several kinds have: names, labels, ports, numbers with a percent sign.

use crdkit_core::literal::dns::{self, LABEL_VALUE, SUBDOMAIN};
use serde_json::{Value, json};

use super::items;
use crate::{
    selector::labels::LabelSelector,
    validation::report::{Place, Report},
    value::text,
};

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// `ValidateDNS1123Label`.
pub(super) fn label(report: &mut Report, place: &Place<'_>, value: &str) {
    report.messages(place, value, dns::label_1123_messages(value));
}

/// `IsDNS1123Subdomain`.
pub(super) fn subdomain(report: &mut Report, place: &Place<'_>, value: &str) {
    if let Err(error) = dns::subdomain(value) {
        report.messages(place, value, SUBDOMAIN.messages(error));
    }
}

/// `ValidateLabelName`.
pub(super) fn label_name(report: &mut Report, place: &Place<'_>, value: &str) {
    if let Err(error) = dns::qualified_name(value) {
        report.messages(place, value, error.messages());
    }
}

/// `IsValidLabelValue`.
pub(super) fn label_value(report: &mut Report, place: &Place<'_>, value: &str) {
    if let Err(error) = dns::label_value(value) {
        report.messages(place, value, LABEL_VALUE.messages(error));
    }
}

/// `ValidateLabels`.
pub(super) fn labels(report: &mut Report, place: &Place<'_>, labels: &Value) {
    for (name, value) in labels.as_object().into_iter().flatten() {
        label_name(report, place, name);
        label_value(report, place, value.as_str().unwrap_or_default());
    }
}

/// `ValidateAnnotations`, without their size.
pub(super) fn annotations(report: &mut Report, place: &Place<'_>, annotations: &Value) {
    for name in annotations.as_object().into_iter().flatten().map(|(name, _)| name) {
        if let Err(error) = dns::annotation_key(name) {
            report.messages(place, name, error.messages());
        }
    }
}

/// `ValidateLabelSelector`.
pub(super) fn label_selector(report: &mut Report, place: &Place<'_>, selector: &Value) {
    labels(report, &place.field("matchLabels"), &selector["matchLabels"]);
    for (index, expression) in items(&selector["matchExpressions"]).iter().enumerate() {
        let (list, values) = (place.field("matchExpressions"), items(&expression["values"]));
        let place = list.index(index);
        let values_place = place.field("values");
        match text(expression, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                report.required(&values_place, "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                report.forbidden(&values_place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => report.invalid_text(&place.field("operator"), other, "not a valid selector operator"),
        }
        label_name(report, &place.field("key"), text(expression, "key"));
        for (index, value) in values.iter().enumerate() {
            label_value(report, &values_place.index(index), value.as_str().unwrap_or_default());
        }
    }
}

/// Whether a selector has no requirements.
pub(super) fn is_empty_selector(selector: &Value) -> bool {
    let has_labels = selector["matchLabels"].as_object().is_some_and(|labels| !labels.is_empty());
    !has_labels && items(&selector["matchExpressions"]).is_empty()
}

/// Whether `LabelSelectorAsSelector` has no error.
pub(super) fn is_usable_selector(selector: &Value) -> bool {
    let mut report = Report::default();
    label_selector(&mut report, &Place::Root, selector);
    report.len() == 0
}

/// The labels of a template must match the selector of a spec. One that is absent matches nothing.
pub(super) fn matching_template(report: &mut Report, place: &Place<'_>, spec: &Value, template: &Value) {
    let (place, selector) = (place.field("template"), &spec["selector"]);
    if selector.is_null() {
        mismatched_labels(report, &place, template);
    } else {
        matching_labels(report, &place, selector, template);
    }
}

/// The labels of a template must match a selector.
pub(super) fn matching_labels(report: &mut Report, place: &Place<'_>, selector: &Value, template: &Value) {
    if !is_empty_selector(selector) && !LabelSelector::of_object(selector).matches(template) {
        mismatched_labels(report, place, template);
    }
}

fn mismatched_labels(report: &mut Report, place: &Place<'_>, template: &Value) {
    let (place, labels) = (place.field("metadata"), &template["metadata"]["labels"]);
    report.invalid(&place.field("labels"), labels, "`selector` does not match template `labels`");
}

/// `IsValidPortNum`.
pub(super) fn port_number(report: &mut Report, place: &Place<'_>, port: &Value) {
    let number = port.as_i64().unwrap_or_default();
    if !(1..=65_535).contains(&number) {
        report.invalid(place, &json!(number), "must be between 1 and 65535, inclusive");
    }
}

/// `IsValidPortName`.
pub(super) fn port_name_messages(name: &str) -> Vec<&'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let rules = [
        (name.len() > 15, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.bytes().all(is_allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!name.bytes().any(|byte| byte.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    rules.into_iter().filter(|(is_broken, _)| *is_broken).map(|(_, message)| message).collect()
}

/// `ValidatePortNumOrName`.
pub(super) fn port_number_or_name(report: &mut Report, place: &Place<'_>, port: &Value) {
    match port {
        Value::String(name) => report.messages(place, name, port_name_messages(name)),
        number => port_number(report, place, number),
    }
}

/// The protocol of a port.
pub(super) fn protocol(report: &mut Report, place: &Place<'_>, protocol: &Value) {
    report.required_one_of(place, protocol, &PROTOCOLS);
}

/// `ValidatePositiveIntOrPercent`.
pub(super) fn int_or_percent(report: &mut Report, place: &Place<'_>, value: &Value) {
    match value {
        Value::String(text) if percent(text).is_none() => report.invalid_text(
            place,
            text,
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for \
             validation is '[0-9]+%')",
        ),
        Value::String(_) => {}
        number => report.non_negative(place, number),
    }
}

/// `IsNotMoreThan100Percent`.
pub(super) fn at_most_all(report: &mut Report, place: &Place<'_>, value: &Value) {
    if value.as_str().and_then(percent).is_some_and(|percent| percent > 100) {
        report.invalid(place, value, "must not be greater than 100%");
    }
}

/// Returns the number of a percentage.
pub(super) fn percent(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Whether a value is zero, or zero percent.
pub(super) fn is_zero_or_none(value: &Value) -> bool {
    match value {
        Value::String(text) => percent(text) == Some(0),
        number => number.as_i64().unwrap_or_default() == 0,
    }
}

/// `IsConfigMapKey`.
pub(super) fn config_key(report: &mut Report, place: &Place<'_>, key: &str) {
    const MALFORMED: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    if key.len() > 253 {
        report.invalid_text(place, key, "must be no more than 253 characters");
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if key.is_empty() || !key.bytes().all(is_allowed) {
        report.invalid_text(place, key, MALFORMED);
    }
    match key {
        "." => report.invalid_text(place, key, "must not be '.'"),
        ".." => report.invalid_text(place, key, "must not be '..'"),
        _ if key.starts_with("..") => report.invalid_text(place, key, "must not start with '..'"),
        _ => {}
    }
}

/// `IsPathSegmentName`.
pub(super) fn path_segment(report: &mut Report, place: &Place<'_>, name: &str) {
    if matches!(name, "." | "..") {
        report.invalid_text(place, name, format!("may not be '{name}'"));
    }
    for part in ["/", "%"] {
        if name.contains(part) {
            report.invalid_text(place, name, format!("may not contain '{part}'"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports() {
        assert!(port_name_messages("http-2").is_empty());
        assert_eq!(port_name_messages("80").len(), 1);
        assert_eq!(port_name_messages("-A--").len(), 4);
    }

    #[test]
    fn percentages() {
        assert_eq!(percent("25%"), Some(25));
        assert_eq!([percent("25"), percent("%"), percent("-1%")], [None, None, None]);
    }
}
