//! Formats: those that the server supports, and the bounds that others imply.

use crdkit_core::literal::{
    formats::is_known,
    numbers::{Bound, Numbers},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use crate::crd::structural::bounds::{lower_maximum, maximum, minimum, raise_minimum, set_maximum, set_minimum};

/// Removes a format that the server would warn about, and adds the bounds that it implies.
pub(super) fn normalize(props: &mut JSONSchemaProps) {
    let Some(format) = props.format.take() else {
        return;
    };
    let type_ = props.type_.as_deref();
    if is_known(type_.unwrap_or_default(), &format) {
        props.format = Some(format);
    } else if matches!(type_, None | Some("integer")) {
        let (low, high) = range(&format);
        raise_minimum(props, low.map(Bound::inclusive));
        lower_maximum(props, high.map(Bound::inclusive));
    }
}

/// Removes bounds outside the range of the server's integers: they are redundant, and the server would reject all
/// values. Numbers with a fraction can be greater.
pub(crate) fn drop_redundant_bounds(props: &mut JSONSchemaProps) {
    if props.type_.as_deref() == Some("number") {
        return;
    }
    let all = Numbers::integers(props.format.as_deref()).range;
    let (low, high) = (all.low, all.high);
    let is_above = |bound: &Bound| low.is_none_or(|low| bound.value >= low.value);
    let is_below = |bound: &Bound| high.is_none_or(|high| bound.value <= high.value);
    set_minimum(props, minimum(props).filter(is_above));
    set_maximum(props, maximum(props).filter(is_below));
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
