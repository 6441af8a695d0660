//! Which texts a field may be.

use super::found::Found;
use crate::{
    check::{text::equal, walk::peel},
    schema::{Alternative, EnumValue, Keyword, Role, Schema, Shape, Variant, any_keyword},
};

/// The texts that a field may be, as far as they are known.
#[derive(Clone, Copy)]
pub(super) enum Names {
    Unknown,
    /// Any text.
    Any,
    Variants(&'static [Variant]),
    Tags(&'static [Alternative]),
    Values(&'static [EnumValue]),
}

/// A text that a field may be.
#[derive(Clone, Copy)]
pub(super) enum Text {
    Any,
    Name(&'static str),
}

impl Names {
    pub(super) const fn of(found: &Found) -> Self {
        if let Some(variants) = found.tag_of {
            return Self::of_tag(variants);
        }
        match (found.value.keywords, peel(found.value.schema).shape) {
            _ if narrows_in(found.value.schema) => Self::Unknown,
            ([Keyword::Enum(values)], Shape::String) => Self::Values(values),
            (keywords, _) if narrows(keywords) => Self::Unknown,
            (_, Shape::String) => Self::Any,
            (_, Shape::Enum(variants)) => Self::Variants(variants),
            _ => Self::Unknown,
        }
    }

    const fn of_tag(variants: &'static [Alternative]) -> Self {
        let mut at = 0;
        while at < variants.len() {
            if !matches!(variants[at].role, Role::Named) {
                return Self::Unknown;
            }
            at += 1;
        }
        Self::Tags(variants)
    }

    /// A text that is certainly among these alone, or any text.
    pub(super) const fn beyond(self, others: Self) -> Option<Text> {
        match (self, others) {
            (Self::Unknown, _) | (_, Self::Unknown | Self::Any) => return None,
            (Self::Any, _) => return Some(Text::Any),
            _ => {}
        }
        let mut at = 0;
        while let Some(name) = self.get(at) {
            if !others.have(name) {
                return Some(Text::Name(name));
            }
            at += 1;
        }
        None
    }

    const fn have(self, name: &str) -> bool {
        let mut at = 0;
        while let Some(known) = self.get(at) {
            if equal(known, name) {
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

const fn narrows_in(schema: &Schema) -> bool {
    match schema.shape {
        _ if narrows(schema.keywords) => true,
        Shape::Newtype(inner) => narrows_in(inner),
        _ => false,
    }
}

/// Whether fewer texts are left.
const fn narrows(keywords: &[Keyword]) -> bool {
    any_keyword!(keywords, Keyword::Enum(_))
}
