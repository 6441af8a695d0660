//! Quantities such as `500m` and `1Gi`: `resource.Quantity` of Kubernetes.
//!
//! As in Kubernetes, a number is either 64 bits with a decimal scale, or of any precision; the latter never is an integer.

use core::cmp::Ordering;

use super::decimal::{Decimal, power_of_ten};

mod canonical;

pub use canonical::canonical_quantity;

/// A quantity.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    /// Whether it is the result of a calculation.
    pub(in crate::cel::evaluate) is_calculated: bool,
}

#[derive(Clone, Debug)]
enum Amount {
    /// `value` times ten to the power of `scale`.
    Short {
        value: i64,
        scale: i32,
    },
    Decimal(Decimal),
}

/// The error of a malformed quantity.
const MALFORMED: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// The error of an unknown suffix.
const SUFFIX: &str = "unable to parse quantity's suffix";

/// The error of digits that are no number.
const NUMERIC: &str = "unable to parse numeric part of quantity";

/// The number of digits that fit into 64 bits: `maxInt64Factors`.
const SHORT_DIGITS: i32 = 18;

/// The smallest unit, as a power of ten.
const NANO: i32 = -9;

/// The exponents that are told apart: those beyond are infinite or the smallest unit as well.
const MAX_EXPONENT: i64 = 1_000;

/// A suffix: a power of two or ten.
enum Suffix {
    Binary(u32),
    Decimal(i32),
}

impl Quantity {
    /// Parses a quantity.
    ///
    /// # Errors
    ///
    /// If the text is none, with the server's message.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(MALFORMED);
        }
        let parts = Parts::of(text)?;
        let suffix = suffix(parts.suffix).ok_or(SUFFIX)?;
        let amount = match parts.short(&suffix)? {
            Some(amount) => amount,
            None => parts.decimal(&suffix)?,
        };
        Ok(Self { amount, is_calculated: false })
    }

    /// Returns an integer, with which the server calculates.
    pub(in crate::cel::evaluate) const fn of_int(value: i64) -> Self {
        Self { amount: Amount::Short { value, scale: 0 }, is_calculated: false }
    }

    /// Compares two quantities.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        self.amount.decimal().order(&other.amount.decimal())
    }

    /// Returns -1, 0 or 1.
    #[must_use]
    pub fn sign(&self) -> i64 {
        match &self.amount {
            Amount::Short { value, .. } => value.signum(),
            Amount::Decimal(decimal) => decimal.sign(),
        }
    }

    /// Returns the integer, if the quantity is stored as one.
    pub(in crate::cel::evaluate) fn as_int(&self) -> Option<i64> {
        match self.amount {
            Amount::Short { value, scale } => u32::try_from(scale).ok().and_then(|scale| scaled_up(value, scale)),
            Amount::Decimal(_) => None,
        }
    }

    #[allow(clippy::cast_precision_loss)] // approximate
    pub(in crate::cel::evaluate) fn as_float(&self) -> f64 {
        match &self.amount {
            Amount::Short { value, scale: 0 } => *value as f64,
            Amount::Short { value, scale } => *value as f64 * power_of_ten(*scale),
            Amount::Decimal(decimal) => decimal.as_float(),
        }
    }

    pub(in crate::cel::evaluate) fn plus(&self, other: &Self) -> Self {
        self.calculated(other, i64::checked_add, |one, other| one.plus(&other))
    }

    pub(in crate::cel::evaluate) fn minus(&self, other: &Self) -> Self {
        self.calculated(other, i64::checked_sub, |one, other| one.plus(&other.negated()))
    }

    fn calculated(
        &self,
        other: &Self,
        of_short: fn(i64, i64) -> Option<i64>,
        of_decimal: fn(Decimal, Decimal) -> Decimal,
    ) -> Self {
        let amount = short_result(&self.amount, &other.amount, of_short)
            .unwrap_or_else(|| Amount::Decimal(of_decimal(self.amount.decimal(), other.amount.decimal())));
        Self { amount, is_calculated: true }
    }
}

/// Calculates with 64 bits; `None` if that overflows.
fn short_result(one: &Amount, other: &Amount, of: fn(i64, i64) -> Option<i64>) -> Option<Amount> {
    let (&Amount::Short { value: one, scale }, &Amount::Short { value: two, scale: other }) = (one, other) else {
        return None;
    };
    if two == 0 {
        return Some(Amount::Short { value: one, scale });
    }
    if one == 0 {
        return Some(Amount::Short { value: of(0, two)?, scale: other });
    }
    let least = scale.min(other);
    let one = scaled_up(one, u32::try_from(scale - least).ok()?)?;
    let two = scaled_up(two, u32::try_from(other - least).ok()?)?;
    Some(Amount::Short { value: of(one, two)?, scale: least })
}

fn scaled_up(value: i64, scale: u32) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    value.checked_mul(10_i64.checked_pow(scale)?)
}

impl Amount {
    fn decimal(&self) -> Decimal {
        match self {
            Self::Decimal(decimal) => decimal.clone(),
            Self::Short { value, scale } => Decimal::of_int(*value, -scale),
        }
    }
}

/// The parts of a quantity.
struct Parts<'a> {
    is_negative: bool,
    /// The digits before the point, without leading zeros.
    whole: &'a str,
    fraction: &'a str,
    /// Whether the number has a point.
    suffix: &'a str,
    /// All of it before the suffix.
    number: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, &'static str> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_negative = text.starts_with('-');
        let rest = unsigned.trim_start_matches('0');
        let (whole, rest) = split_digits(rest);
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None => ("", rest),
        };
        let number = &text[..text.len() - rest.len()];
        let letters = rest.trim_start_matches(|letter: char| "eEinumkKMGTP".contains(letter));
        let exponent = letters.strip_prefix(['-', '+']).unwrap_or(letters);
        if !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(MALFORMED);
        }
        let whole = if whole.is_empty() { "0" } else { whole };
        Ok(Self { is_negative, whole, fraction, suffix: rest, number })
    }

    /// Returns the amount in 64 bits, if the server stores it so.
    fn short(&self, suffix: &Suffix) -> Result<Option<Amount>, &'static str> {
        let digits = i32::try_from(self.whole.len() + self.fraction.len()).unwrap_or(i32::MAX);
        let (precision, scale, factor) = match suffix {
            Suffix::Decimal(exponent) => (SHORT_DIGITS.saturating_sub(digits), *exponent, 1),
            Suffix::Binary(exponent) if self.fraction.is_empty() => {
                let whole = i32::try_from(self.whole.len()).unwrap_or(i32::MAX);
                let used = i32::try_from(exponent * 3 / 10).unwrap_or(0) + 1;
                (15_i32.saturating_sub(whole).saturating_sub(used), 0, 1_i64 << exponent)
            }
            Suffix::Binary(_) => return Ok(None),
        };
        let scale = scale.saturating_sub(i32::try_from(self.fraction.len()).unwrap_or(i32::MAX));
        if precision < 0 || scale < NANO {
            return Ok(None);
        }
        let value: i64 = alloc::format!("{}{}", self.whole, self.fraction).parse().map_err(|_| NUMERIC)?;
        let Some(value) = value.checked_mul(factor) else { return Ok(None) };
        Ok(Some(Amount::Short { value: if self.is_negative { -value } else { value }, scale }))
    }

    /// Returns the amount as a decimal number, rounded up to the smallest unit.
    fn decimal(&self, suffix: &Suffix) -> Result<Amount, &'static str> {
        if !self.number.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(NUMERIC);
        }
        let digits = self.whole.bytes().chain(self.fraction.bytes());
        let fraction = i32::try_from(self.fraction.len()).unwrap_or(i32::MAX);
        let decimal = match suffix {
            Suffix::Decimal(exponent) => Decimal::of_digits(false, digits, fraction.saturating_sub(*exponent)),
            Suffix::Binary(exponent) => Decimal::of_digits(false, digits, fraction).times_power_of_two(*exponent),
        };
        let rounded = if decimal.sign() == 0 { decimal } else { decimal.rounded_up(-NANO) };
        let most = Decimal::of_int(i64::MAX, 0);
        let is_too_large = matches!(suffix, Suffix::Binary(_)) && rounded.order(&most).is_gt();
        let size = if is_too_large { most } else { rounded };
        Ok(Amount::Decimal(if self.is_negative { size.negated() } else { size }))
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn suffix(text: &str) -> Option<Suffix> {
    Some(match text {
        "n" => Suffix::Decimal(-9),
        "u" => Suffix::Decimal(-6),
        "m" => Suffix::Decimal(-3),
        "" => Suffix::Decimal(0),
        "k" => Suffix::Decimal(3),
        "M" => Suffix::Decimal(6),
        "G" => Suffix::Decimal(9),
        "T" => Suffix::Decimal(12),
        "P" => Suffix::Decimal(15),
        "E" => Suffix::Decimal(18),
        "Ki" => Suffix::Binary(10),
        "Mi" => Suffix::Binary(20),
        "Gi" => Suffix::Binary(30),
        "Ti" => Suffix::Binary(40),
        "Pi" => Suffix::Binary(50),
        "Ei" => Suffix::Binary(60),
        text => {
            let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
            Suffix::Decimal(i32::try_from(exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT)).unwrap_or(0))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Quantity {
        Quantity::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn units() {
        for (one, other, order) in [
            ("1", "1000m", Ordering::Equal),
            ("1Ki", "1024", Ordering::Equal),
            ("1.5Gi", "1536Mi", Ordering::Equal),
            ("1e3", "1k", Ordering::Equal),
            ("-1", "0", Ordering::Less),
            ("0.0000000001", "1n", Ordering::Equal),
            ("1E", "1P", Ordering::Greater),
            ("99999999999999999999", "1Ei", Ordering::Greater),
            ("+1.", "1", Ordering::Equal),
        ] {
            assert_eq!(parsed(one).order(&parsed(other)), order, "{one} {other}");
        }
        for text in ["", "1Kib", "x", "1 Gi", "1.2.3", "1e", "."] {
            assert!(Quantity::parse(text).is_err() || text == ".", "{text}");
        }
    }

    #[test]
    fn integers_and_floats() {
        for (text, int, float) in [
            ("2k", Some(2000), 2000.0),
            ("1500m", None, 1.5),
            ("1Mi", Some(1 << 20), 1_048_576.0),
            ("1.5Gi", None, 1_610_612_736.0),
        ] {
            assert_eq!(parsed(text).as_int(), int, "{text}");
            assert_eq!(parsed(text).as_float().to_bits(), f64::to_bits(float), "{text}");
        }
        let sum = parsed("1500m").plus(&parsed("500m"));
        assert_eq!((sum.order(&parsed("2")), sum.as_int()), (Ordering::Equal, None));
        assert_eq!(parsed("1Gi").minus(&Quantity::of_int(1 << 30)).sign(), 0);
    }
}
