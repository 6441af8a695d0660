//! The allowed values of string fields.

use crdkit_core::{
    join::{Difference, Side},
    text::equal,
};

use crate::schema::{
    EnumValue, Keyword, Shape, UnitVariant, Variant, VariantKind,
    walk::{Member, Value, strip_newtypes},
};

/// The allowed values of a string field.
#[derive(Clone, Copy)]
enum AllowedValues {
    Any,
    Variants(&'static [UnitVariant]),
    Tags(&'static [Variant]),
    Values(&'static [EnumValue]),
}

/// Returns a string that provably only one of two fields allows.
pub(super) const fn difference(a: &Member, b: &Member) -> Option<Difference<'static>> {
    let (Some(a), Some(b)) = (AllowedValues::of(a), AllowedValues::of(b)) else {
        return None;
    };
    match (a.beyond(b), b.beyond(a)) {
        (Some(text), _) => Some(Difference::Text(text, Side::First)),
        (None, Some(text)) => Some(Difference::Text(text, Side::Second)),
        (None, None) => None,
    }
}

impl AllowedValues {
    /// Returns the allowed values of a field, if they are known.
    const fn of(member: &Member) -> Option<Self> {
        let value = &member.value;
        match (member.tag_of, enums(value), strip_newtypes(value.schema).shape) {
            (Some(variants), ..) if have_names(variants) => Some(Self::Tags(variants)),
            (Some(_), ..) => None,
            (_, (1, values), Shape::String) => Some(Self::Values(values)),
            (_, (0, _), Shape::String) => Some(Self::Any),
            (_, (0, _), Shape::Enum(variants)) => Some(Self::Variants(variants)),
            _ => None,
        }
    }

    /// Returns a string that only `self` allows; `Some(None)` is any string.
    const fn beyond(self, others: Self) -> Option<Option<&'static str>> {
        match (self, others) {
            (_, Self::Any) => return None,
            (Self::Any, _) => return Some(None),
            _ => {}
        }
        let mut at = 0;
        while let Some(text) = self.get(at) {
            if !others.contain(text) {
                return Some(Some(text));
            }
            at += 1;
        }
        None
    }

    const fn contain(self, text: &str) -> bool {
        let mut at = 0;
        while let Some(known) = self.get(at) {
            if equal(known, text) {
                return true;
            }
            at += 1;
        }
        false
    }

    const fn get(self, at: usize) -> Option<&'static str> {
        match self {
            Self::Variants(all) if at < all.len() => Some(all[at].name),
            Self::Tags(all) if at < all.len() => Some(all[at].name),
            Self::Values(all) if at < all.len() => match all[at] {
                EnumValue::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns the number of `enum` keywords of a value, and the last one.
const fn enums(value: &Value) -> (usize, &'static [EnumValue]) {
    let mut enums: (usize, &'static [EnumValue]) = (0, &[]);
    let mut at = 0;
    while let Some(keyword) = value.keyword(at) {
        if let Keyword::Enum(values) = keyword {
            enums = (enums.0 + 1, *values);
        }
        at += 1;
    }
    enums
}

/// Whether each variant is identified by its name.
const fn have_names(variants: &[Variant]) -> bool {
    let mut at = 0;
    while at < variants.len() && matches!(variants[at].role, VariantKind::Named) {
        at += 1;
    }
    at == variants.len()
}
