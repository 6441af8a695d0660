//! How Kubernetes writes quantities: `Quantity.String` of `k8s.io/apimachinery/pkg/api/resource`.

use alloc::{borrow::ToOwned, format, string::String};

use super::{Amount, MALFORMED, NANO, Parts, SUFFIX, Suffix, suffix};

/// The digits that are calculated with. Quantities with more are written as they are.
const MAX_DIGITS: usize = 30;

/// The scale of the amounts in lists of resources, which `SetDefaults_ResourceList` rounds up.
const MILLI: i32 = -3;

const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL_SUFFIXES: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Binary,
    Decimal,
    Exponent,
}

/// Returns a quantity as the server writes it. Those in lists of resources are rounded up to thousandths.
///
/// # Errors
///
/// If the text is no quantity, with the message of the server.
pub fn canonical_quantity(text: &str, is_in_resource_list: bool) -> Result<String, &'static str> {
    if text.is_empty() {
        return Err(MALFORMED);
    }
    let parts = Parts::of(text)?;
    let unit = suffix(parts.suffix).ok_or(SUFFIX)?;
    let (amount, is_short) = match parts.short(&unit)? {
        Some(amount) => (amount, true),
        None => (parts.decimal(&unit)?, false),
    };
    let format = match (&unit, parts.suffix) {
        (Suffix::Binary(_), _) => Format::Binary,
        (Suffix::Decimal(_), text) if text.len() > 1 && text.starts_with(['e', 'E']) => Format::Exponent,
        (Suffix::Decimal(_), _) => Format::Decimal,
    };
    let lowest = if is_in_resource_list { MILLI } else { NANO };
    if is_short && is_reused(&parts, &unit, lowest) {
        return Ok(text.to_owned());
    }
    let Some((value, scale)) = number(&amount) else { return Ok(text.to_owned()) };
    let (value, scale) = rounded_up(value, scale, lowest);
    Ok(written(value, scale, format))
}

/// Whether the server keeps the text, because it takes it for canonical.
fn is_reused(parts: &Parts<'_>, unit: &Suffix, lowest: i32) -> bool {
    let digits = format!("{}{}", parts.whole, parts.fraction);
    match unit {
        Suffix::Binary(_) => digits.parse::<i64>().is_ok_and(|value| value & 0x07 != 0),
        Suffix::Decimal(exponent) => {
            let scale = exponent.saturating_sub(i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX));
            scale % 3 == 0 && scale >= lowest && !digits.ends_with("000") && !digits.starts_with('0')
        }
    }
}

/// Returns the digits and the power of ten that they are multiplied by.
fn number(amount: &Amount) -> Option<(i128, i32)> {
    match amount {
        Amount::Short { value, scale } => Some((i128::from(*value), *scale)),
        Amount::Decimal(decimal) => {
            let digits = decimal.digits();
            if digits.len() > MAX_DIGITS {
                return None;
            }
            let value = digits.iter().fold(0_i128, |value, digit| value * 10 + i128::from(*digit));
            Some((if decimal.sign() < 0 { -value } else { value }, -decimal.scale()))
        }
    }
}

/// Rounds away from zero to multiples of a power of ten.
fn rounded_up(value: i128, scale: i32, lowest: i32) -> (i128, i32) {
    let Ok(dropped) = u32::try_from(lowest - scale) else { return (value, scale) };
    let Some(divisor) = 10_i128.checked_pow(dropped) else { return (value.signum(), lowest) };
    let rest = i128::from(value % divisor != 0) * value.signum();
    (value / divisor + rest, lowest)
}

fn written(value: i128, scale: i32, format: Format) -> String {
    if value == 0 {
        return "0".to_owned();
    }
    if format == Format::Binary
        && let Some(whole) = whole(value, scale)
        && whole.unsigned_abs() >= 1024
    {
        let (value, times) = without_factors(whole, 1024);
        return format!("{value}{}", BINARY_SUFFIXES.get(times).copied().unwrap_or_default());
    }
    let (mut value, times) = without_factors(value, 10);
    let mut exponent = scale.saturating_add(i32::try_from(times).unwrap_or(i32::MAX));
    while exponent % 3 != 0 {
        value *= 10;
        exponent -= 1;
    }
    match format {
        Format::Exponent if exponent == 0 => format!("{value}"),
        Format::Exponent => format!("{value}e{exponent}"),
        _ => {
            let index = usize::try_from((exponent - NANO) / 3).ok();
            format!("{value}{}", index.and_then(|index| DECIMAL_SUFFIXES.get(index)).copied().unwrap_or_default())
        }
    }
}

/// Returns the integer, if the number is one.
fn whole(value: i128, scale: i32) -> Option<i128> {
    match u32::try_from(scale) {
        Ok(scale) => value.checked_mul(10_i128.checked_pow(scale)?),
        Err(_) => {
            let divisor = 10_i128.checked_pow(scale.unsigned_abs())?;
            (value % divisor == 0).then(|| value / divisor)
        }
    }
}

fn without_factors(mut value: i128, factor: i128) -> (i128, usize) {
    let mut times = 0;
    while value.unsigned_abs() >= factor.unsigned_abs() && value % factor == 0 {
        value /= factor;
        times += 1;
    }
    (value, times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_as_by_the_server() {
        for (text, expected) in [
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("1024Mi", "1Gi"),
            ("1028Mi", "1028Mi"),
            ("8Gi", "8Gi"),
            ("0.5", "500m"),
            ("0.5Gi", "512Mi"),
            ("1.5Gi", "1536Mi"),
            ("0", "0"),
            ("0Gi", "0"),
            ("1024", "1024"),
            ("100000", "100k"),
            ("1000Ki", "1000Ki"),
            ("1e3", "1e3"),
            ("1000e3", "1e6"),
            ("512", "512"),
            ("1.5m", "2m"),
            ("-1000m", "-1"),
        ] {
            assert_eq!(canonical_quantity(text, true).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(canonical_quantity("1.5m", false).as_deref(), Ok("1500u"));
        for text in ["", "lots", "1Kib", "1 Gi"] {
            assert!(canonical_quantity(text, true).is_err(), "{text}");
        }
    }
}
