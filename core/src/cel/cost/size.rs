//! Sizes of values.

/// The minimum and maximum number of characters, bytes, items or entries of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

/// The sizes of the elements of a list or a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub(super) is_list: bool,
    pub(super) key: Size,
    pub(super) value: Size,
}

impl Size {
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    pub(super) const fn of(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// Returns the union of no sizes.
    pub(super) const fn none(is_final: bool) -> Self {
        Self { min: if is_final { 0 } else { u64::MAX }, max: 0 }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) const fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Returns the maximum cost if each element has this cost.
    pub(super) fn cost(self, each: f64) -> u64 {
        scaled(self.max, each)
    }
}

impl Entries {
    pub(super) const fn list(items: Size) -> Self {
        Self { is_list: true, key: Size::of(1), value: items }
    }

    pub(super) const fn map(key: Size, value: Size) -> Self {
        Self { is_list: false, key, value }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { is_list: self.is_list, key: self.key.union(other.key), value: self.value.union(other.value) }
    }
}

/// Scales a number and rounds it up.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the server calculates with floats, and casts saturate
pub(in crate::cel) fn scaled(value: u64, factor: f64) -> u64 {
    let scaled = value as f64 * factor;
    let whole = scaled as u64;
    if (whole as f64) < scaled { whole.saturating_add(1) } else { whole }
}

/// Divides two numbers and rounds up.
#[allow(clippy::cast_precision_loss)] // as the server calculates
pub(super) fn quotient(value: u64, by: u64) -> u64 {
    scaled(1, value as f64 / by as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding() {
        assert_eq!(scaled(3_145_726, 0.1), 314_573);
        assert_eq!(scaled(10, 0.1), 1);
        assert_eq!(scaled(u64::MAX, 2.0), u64::MAX);
        assert_eq!(quotient(10, 3), 4);
    }
}
