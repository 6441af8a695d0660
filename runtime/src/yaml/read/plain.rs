//! Values of plain scalars: `resolve` of go.yaml.in/yaml/v2, which sigs.k8s.io/yaml uses.

/// A value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    /// Beyond the signed integers.
    Unsigned(u64),
    /// It may be infinite or no number, which JSON does not have.
    Float(f64),
    Text(String),
}

/// Returns what the text of a scalar without quotes and without a tag stands for; `None` if that is the text.
pub(super) fn resolve(text: &str) -> Option<Scalar> {
    match text.bytes().next() {
        Some(b'.') => word(text).or_else(|| float(&between_digits(text))),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            word(text).or_else(|| integer(&digits)).or_else(|| float(&digits))
        }
        _ => word(text),
    }
}

/// Removes underscores that are between two digits, where Go's `ParseFloat` allows one.
fn between_digits(text: &str) -> String {
    let parts: Vec<&str> = text.split('_').collect();
    let ends_in_digit = |part: &&str| part.ends_with(|it: char| it.is_ascii_digit());
    let starts_with_digit = |part: &&str| part.starts_with(|it: char| it.is_ascii_digit());
    let is_allowed = parts.windows(2).all(|pair| ends_in_digit(&pair[0]) && starts_with_digit(&pair[1]));
    if is_allowed { parts.concat() } else { text.to_owned() }
}

fn word(text: &str) -> Option<Scalar> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// Reads an integer as Go's `ParseInt` with the base 0, and then `ParseUint`.
fn integer(text: &str) -> Option<Scalar> {
    let (sign, magnitude) = match text.as_bytes().first()? {
        sign @ (b'+' | b'-') => (Some(*sign), &text[1..]),
        _ => (None, text),
    };
    let prefix = magnitude.get(..2).unwrap_or_default().to_ascii_lowercase();
    let (base, digits) = match prefix.as_str() {
        "0x" => (16, &magnitude[2..]),
        "0o" => (8, &magnitude[2..]),
        "0b" => (2, &magnitude[2..]),
        _ if magnitude.len() > 1 && magnitude.starts_with('0') => (8, &magnitude[1..]),
        _ => (10, magnitude),
    };
    // Rust's function allows one more sign.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from(u64::from_str_radix(digits, base).ok()?);
    let value = if sign == Some(b'-') { -value } else { value };
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => Some(Scalar::Integer(value)),
        (Err(_), Ok(value)) if sign.is_none() => Some(Scalar::Unsigned(value)),
        _ => None,
    }
}

/// Reads decimal digits with an optional point and exponent. A number beyond the floats is a text.
fn float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts = unsigned.strip_prefix('.').unwrap_or(unsigned).starts_with(|it: char| it.is_ascii_digit());
    let is_decimal = unsigned.bytes().all(|it| it.is_ascii_digit() || b".eE+-".contains(&it));
    // Rust's function refuses all other texts of these characters, as Go's does.
    let value: f64 = text.parse().ok().filter(|_| starts && is_decimal)?;
    value.is_finite().then_some(Scalar::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars() {
        for (text, expected) in [
            ("yes", Some(Scalar::Bool(true))),
            ("yEs", None),
            ("nULL", None),
            ("1__0", Some(Scalar::Integer(10))),
            ("1_", Some(Scalar::Integer(1))),
            ("_1", None),
            ("-0x1_F", Some(Scalar::Integer(-31))),
            ("0777", Some(Scalar::Integer(511))),
            ("08", Some(Scalar::Float(8.0))),
            ("18446744073709551615", Some(Scalar::Unsigned(u64::MAX))),
            ("+18446744073709551615", Some(Scalar::Float(18_446_744_073_709_551_615.0))),
            ("-9223372036854775808", Some(Scalar::Integer(i64::MIN))),
            ("1e400", None),
            ("1_0.5e+1", Some(Scalar::Float(105.0))),
            ("1.", Some(Scalar::Float(1.0))),
            ("+.5", Some(Scalar::Float(0.5))),
            ("+-5", None),
            ("0x+5", None),
            ("1e", None),
            ("1.2.3", None),
            (".", None),
            (".5_0", Some(Scalar::Float(0.5))),
            (".5__0", None),
            ("._5", None),
            (".inf", Some(Scalar::Float(f64::INFINITY))),
            ("inf", None),
            ("12:30", None),
        ] {
            assert_eq!(resolve(text), expected, "{text}");
        }
    }
}
