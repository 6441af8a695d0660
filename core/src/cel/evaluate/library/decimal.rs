//! Decimal numbers of any size: `inf.Dec` of Go.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

/// A number: its digits divided by ten to the power of `scale`.
///
/// The scale is a part of the number, since a float is made from the digits and the scale, and so rounded twice.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    is_negative: bool,
    /// From the first to the last, without zeros at the start.
    digits: Vec<u8>,
    scale: i32,
}

impl Decimal {
    /// Returns the number with the digits of a text.
    pub(super) fn of_digits(is_negative: bool, text: impl Iterator<Item = u8>, scale: i32) -> Self {
        let digits = text.map(|digit| digit - b'0').skip_while(|digit| *digit == 0).collect();
        Self { is_negative, digits, scale }
    }

    pub(super) fn of_int(value: i64, scale: i32) -> Self {
        let digits = alloc::format!("{}", value.unsigned_abs());
        Self::of_digits(value < 0, digits.bytes(), scale)
    }

    pub(super) fn sign(&self) -> i64 {
        match (self.digits.is_empty(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(super) fn digits(&self) -> &[u8] {
        &self.digits
    }

    pub(super) const fn scale(&self) -> i32 {
        self.scale
    }

    pub(super) fn negated(self) -> Self {
        Self { is_negative: !self.is_negative, ..self }
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        let [one, two] = self.aligned(other);
        let of_signs = self.sign().cmp(&other.sign());
        match self.sign() {
            _ if of_signs.is_ne() => of_signs,
            -1 => order_of_digits(&two, &one),
            _ => order_of_digits(&one, &two),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let [one, two] = self.aligned(other);
        let scale = self.scale.max(other.scale);
        if self.is_negative == other.is_negative {
            return Self { is_negative: self.is_negative, digits: sum(&one, &two), scale };
        }
        if order_of_digits(&one, &two).is_ge() {
            return Self { is_negative: self.is_negative, digits: difference(&one, &two), scale };
        }
        Self { is_negative: other.is_negative, digits: difference(&two, &one), scale }
    }

    pub(super) fn times_power_of_two(self, exponent: u32) -> Self {
        let doubled = |digits: Vec<u8>, _| sum(&digits, &digits);
        Self { digits: (0..exponent).fold(self.digits, doubled), ..self }
    }

    /// Returns the number with this many digits after the point, rounded away from zero.
    pub(super) fn rounded_up(mut self, scale: i32) -> Self {
        let dropped = usize::try_from(self.scale - scale).unwrap_or(0);
        if dropped == 0 {
            return Self { digits: self.with_scale(scale), scale, ..self };
        }
        let rest = self.digits.split_off(self.digits.len().saturating_sub(dropped));
        if rest.iter().any(|digit| *digit > 0) {
            self.digits = sum(&self.digits, &[1]);
        }
        Self { scale, ..self }
    }

    pub(super) fn as_float(&self) -> f64 {
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let unscaled = digits.parse().unwrap_or(0.0) * if self.sign() < 0 { -1.0 } else { 1.0 };
        if self.scale == 0 { unscaled } else { unscaled * power_of_ten(-self.scale) }
    }

    /// Returns the digits of two numbers with the larger scale.
    fn aligned(&self, other: &Self) -> [Vec<u8>; 2] {
        let scale = self.scale.max(other.scale);
        [self.with_scale(scale), other.with_scale(scale)]
    }

    /// Returns the digits with a scale that is not smaller.
    fn with_scale(&self, scale: i32) -> Vec<u8> {
        let mut digits = self.digits.clone();
        if !digits.is_empty() {
            digits.resize(digits.len() + usize::try_from(scale - self.scale).unwrap_or(0), 0);
        }
        digits
    }
}

/// Returns a power of ten, as Go's `math.Pow10`.
pub(super) fn power_of_ten(exponent: i32) -> f64 {
    alloc::format!("1e{exponent}").parse().unwrap_or(0.0)
}

fn order_of_digits(one: &[u8], two: &[u8]) -> Ordering {
    one.len().cmp(&two.len()).then_with(|| one.cmp(two))
}

/// Adds two numbers.
fn sum(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(one.len().max(two.len()) + 1);
    let (mut one, mut two, mut carry) = (one.iter().rev(), two.iter().rev(), 0);
    loop {
        let pair = (one.next(), two.next());
        if pair == (None, None) {
            break;
        }
        let total = pair.0.unwrap_or(&0) + pair.1.unwrap_or(&0) + carry;
        digits.push(total % 10);
        carry = total / 10;
    }
    if carry > 0 {
        digits.push(carry);
    }
    digits.reverse();
    digits
}

/// Subtracts a number from one that is not smaller.
fn difference(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut digits = Vec::with_capacity(one.len());
    let (mut two, mut borrow) = (two.iter().rev(), 0);
    for digit in one.iter().rev() {
        let less = two.next().unwrap_or(&0) + borrow;
        borrow = u8::from(*digit < less);
        digits.push(digit + borrow * 10 - less);
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size() {
        let of = |value, scale| Decimal::of_int(value, scale);
        let large = of(1, -400).plus(&of(-1, 0));
        assert_eq!((large.digits.len(), large.sign(), large.as_float()), (400, 1, f64::INFINITY));
        assert_eq!(large.order(&of(1, -400)), Ordering::Less);
        assert_eq!(large.plus(&of(1, 0)).order(&of(1, -400)), Ordering::Equal);
        assert_eq!(large.negated().order(&of(-1, 0)), Ordering::Less);
        assert_eq!(of(0, -4000).order(&of(1, 0)), Ordering::Less);
        assert_eq!(of(15, 1).times_power_of_two(30).as_float(), 1_610_612_736.0);
        assert_eq!(of(-5, 1).plus(&of(25, 2)).as_float(), -0.25);
        assert_eq!(of(5, 1).plus(&of(-50, 2)).sign(), 0);
    }

    #[test]
    fn numbers_are_rounded_away_from_zero() {
        for (value, scale, rounded) in [(1, 12, 1), (1001, 12, 2), (1000, 12, 1), (-1, 12, -1), (3, 8, 30), (0, 12, 0)]
        {
            let found = Decimal::of_int(value, scale).rounded_up(9);
            assert_eq!(found.order(&Decimal::of_int(rounded, 9)), Ordering::Equal, "{value} {scale}");
            assert_eq!(found.scale, 9);
        }
    }
}
