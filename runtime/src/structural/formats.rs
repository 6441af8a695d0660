//! Formats: those that the server knows, and the bounds that the others stand for.

use std::ops::RangeInclusive;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::bounds::{Bound, LIMIT, lower_maximum, maximum, minimum, raise_minimum};
use super::bounds::{set_maximum, set_minimum};

/// The formats of strings that the server knows; it does not look at the hyphens.
const STRINGS: [&str; 26] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Drops a format that the server would warn of, and writes what it says about the range as bounds.
pub(super) fn settle(props: &mut JSONSchemaProps) {
    let Some(format) = props.format.take() else {
        return;
    };
    let type_ = props.type_.as_deref();
    if is_known(type_, &format) {
        props.format = Some(format);
    } else if matches!(type_, None | Some("integer")) {
        let (low, high) = range(&format);
        raise_minimum(props, low.map(Bound::inclusive));
        lower_maximum(props, high.map(Bound::inclusive));
    }
}

/// Drops bounds beyond all integers of the server, which say nothing, and which it lets none pass.
pub(crate) fn drop_idle_bounds(props: &mut JSONSchemaProps) {
    let integers = integers(props);
    set_minimum(
        props,
        minimum(props).filter(|bound| bound.value >= *integers.start()),
    );
    set_maximum(
        props,
        maximum(props).filter(|bound| bound.value <= *integers.end()),
    );
}

/// The bounds that the server can hold an integer to.
pub(crate) fn integers(props: &JSONSchemaProps) -> RangeInclusive<f64> {
    match props.format.as_deref() {
        Some("int32") => i32::MIN.into()..=i32::MAX.into(),
        _ => -LIMIT.next_down()..=LIMIT.next_down(),
    }
}

fn is_known(type_: Option<&str>, format: &str) -> bool {
    match type_ {
        Some("integer") => matches!(format, "int32" | "int64"),
        Some("number") => matches!(format, "float" | "double"),
        None | Some("string") => STRINGS.contains(&format.replace('-', "").as_str()),
        _ => false,
    }
}

fn range(format: &str) -> (Option<f64>, Option<f64>) {
    match format {
        "int8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "int16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "uint8" => (Some(0.0), Some(u8::MAX.into())),
        "uint16" => (Some(0.0), Some(u16::MAX.into())),
        "uint32" => (Some(0.0), Some(u32::MAX.into())),
        "uint" | "uint64" | "uint128" => (Some(0.0), None),
        _ => (None, None),
    }
}
