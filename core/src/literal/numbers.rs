//! Ranges of numbers, and the numbers of each format.

use crate::text::equal;

/// 2^63, the exclusive end of the server's integers.
pub const I64_END: f64 = 9_223_372_036_854_775_808.0;

/// Whether the server treats a number with a fraction or an exponent as an integer, which it does up to 2^53.
pub const fn is_integer(value: f64) -> bool {
    value % 1.0 == 0.0 && value.abs() <= 9_007_199_254_740_991.0
}

/// Whether all values of one format are also values of the other one.
pub const fn is_within(format: &str, other: &str) -> bool {
    equal(format, "int32") && equal(other, "int64") || equal(format, "float") && equal(other, "double")
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub value: f64,
    /// Whether the number itself is excluded.
    pub exclusive: bool,
}

impl Bound {
    /// An inclusive bound.
    pub const fn inclusive(value: f64) -> Self {
        Self { value, exclusive: false }
    }

    /// An exclusive bound.
    pub const fn exclusive(value: f64) -> Self {
        Self { value, exclusive: true }
    }
}

/// Returns the greater of two lower bounds.
pub const fn stricter_minimum(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) if b.value > a.value || b.value == a.value && b.exclusive => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// Returns the smaller of two upper bounds.
pub const fn stricter_maximum(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) if b.value < a.value || b.value == a.value && b.exclusive => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// A range of numbers; an absent end is infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower end.
    pub low: Option<Bound>,
    /// The upper end.
    pub high: Option<Bound>,
}

impl Range {
    /// All numbers.
    pub const ALL: Self = Self { low: None, high: None };

    /// An inclusive range.
    pub const fn between(low: f64, high: f64) -> Self {
        Self { low: Some(Bound::inclusive(low)), high: Some(Bound::inclusive(high)) }
    }

    /// Returns the intersection of two ranges.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { low: stricter_minimum(self.low, other.low), high: stricter_maximum(self.high, other.high) }
    }

    /// Whether the number is in the range.
    pub const fn contains(&self, value: f64) -> bool {
        let is_above = match self.low {
            Some(low) => value > low.value || value == low.value && !low.exclusive,
            None => true,
        };
        let is_below = match self.high {
            Some(high) => value < high.value || value == high.value && !high.exclusive,
            None => true,
        };
        is_above && is_below
    }

    /// Returns both ends if the range has no number, or no whole number for `of_integers`.
    pub const fn conflict(&self, of_integers: bool) -> Option<(Bound, Bound)> {
        let (Some(low), Some(high)) = (self.low, self.high) else {
            return None;
        };
        let (least, most) = if of_integers { (least_integer(low), greatest_integer(high)) } else { (low, high) };
        let is_empty = least.value > most.value || least.value == most.value && (least.exclusive || most.exclusive);
        if is_empty { Some((low, high)) } else { None }
    }
}

const fn least_integer(low: Bound) -> Bound {
    let up = truncated(low.value) + if low.value > truncated(low.value) { 1.0 } else { 0.0 };
    if low.exclusive && up == low.value { Bound::inclusive(up + 1.0) } else { Bound::inclusive(up) }
}

const fn greatest_integer(high: Bound) -> Bound {
    let mirrored = least_integer(Bound { value: -high.value, ..high });
    Bound::inclusive(-mirrored.value)
}

/// Returns the number without its fraction.
const fn truncated(value: f64) -> f64 {
    value - value % 1.0
}

/// The numbers of a type and a format that the server accepts as values and as bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// The range.
    pub range: Range,
    /// Whether all numbers are integers.
    pub are_integers: bool,
}

impl Numbers {
    /// Returns the integers of a format.
    pub const fn integers(format: Option<&str>) -> Self {
        let range = match format {
            Some(format) if equal(format, "int32") => Range::between(i32::MIN as f64, i32::MAX as f64),
            _ => Range::between(-I64_END.next_down(), I64_END.next_down()),
        };
        Self { range, are_integers: true }
    }

    /// Returns the floats of a format.
    pub const fn floats(format: Option<&str>) -> Self {
        let range = match format {
            Some(format) if equal(format, "float") => Range::between(f32::MIN as f64, f32::MAX as f64),
            _ => Range::ALL,
        };
        Self { range, are_integers: false }
    }

    /// Returns the numbers of a `type` and a `format`; `None` for a type that is not numeric.
    pub const fn of(type_: &str, format: Option<&str>) -> Option<Self> {
        if equal(type_, "integer") {
            Some(Self::integers(format))
        } else if equal(type_, "number") {
            Some(Self::floats(format))
        } else {
            None
        }
    }

    /// Whether the number is included.
    pub const fn contains(&self, value: f64) -> bool {
        self.range.contains(value) && (!self.are_integers || value % 1.0 == 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_integers() {
        let range = |low, high| Range { low: Some(low), high: Some(high) };
        let (from, above) = (Bound::inclusive, Bound::exclusive);
        for (low, high, numbers, integers) in [
            (from(1.0), from(1.0), true, true),
            (above(1.0), from(1.0), false, false),
            (above(1.0), above(2.0), true, false),
            (above(1.0), from(2.0), true, true),
            (from(1.2), from(1.8), true, false),
            (from(-1.8), from(-1.2), true, false),
            (from(-1.8), above(-1.0), true, false),
            (from(-1.8), from(-1.0), true, true),
            (from(2.0), from(1.0), false, false),
        ] {
            let range = range(low, high);
            assert_eq!(range.conflict(false).is_none(), numbers, "{range:?}");
            assert_eq!(range.conflict(true).is_none(), integers, "{range:?}");
        }
        assert_eq!(Range::ALL.conflict(true), None);
    }

    #[test]
    fn formats() {
        let long = Numbers::integers(Some("int64"));
        assert!(long.contains(9_223_372_036_854_774_784.0));
        assert!(!long.contains(I64_END));
        assert!(!long.contains(-I64_END));
        assert!(!long.contains(0.5));
        let short = Numbers::of("integer", Some("int32")).unwrap();
        assert!(short.contains(-2_147_483_648.0));
        assert!(!short.contains(2_147_483_648.0));
        let float = Numbers::of("number", Some("float")).unwrap();
        assert!(float.contains(0.1));
        assert!(!float.contains(1e39));
        assert!(Numbers::of("number", None).unwrap().contains(1e39));
        assert_eq!(Numbers::of("string", None), None);
    }
}
