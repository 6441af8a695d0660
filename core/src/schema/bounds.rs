//! Keywords that bound a value, and the values that they apply to.

use crate::{schema::Kind, text::equal};

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The lower end.
    Min,
    /// The upper end.
    Max,
    /// Neither end, as for `multipleOf`.
    Neither,
}

impl Side {
    /// Whether both sides are equal; usable in const evaluation.
    pub const fn is(self, other: Self) -> bool {
        self as u8 == other as u8
    }
}

/// The values that a keyword applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    /// Numbers.
    Numbers,
    /// Integers.
    Integers,
    /// Numbers that may have a fraction.
    Fractions,
    /// Strings.
    Text,
    /// Lists.
    Lists,
    /// Maps and objects.
    Objects,
    /// Lists, for a keyword that applies to their items.
    EachItem,
    /// Maps, for a keyword that applies to their values.
    EachValue,
    /// Nullable values.
    Null,
    /// Embedded resources.
    Resource,
}

impl AppliesTo {
    /// Whether values of a kind are included. An opaque kind always is.
    pub const fn includes(self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (_, Kind::Opaque)
                | (Self::Null, _)
                | (Self::Numbers, Kind::Integer | Kind::Number | Kind::IntOrString)
                | (Self::Integers, Kind::Integer)
                | (Self::Fractions, Kind::Number)
                | (Self::Text, Kind::String | Kind::IntOrString)
                | (Self::Lists | Self::EachItem, Kind::List)
                | (Self::Objects, Kind::Map | Kind::Object)
                | (Self::EachValue, Kind::Map)
                | (Self::Resource, Kind::Object)
        )
    }

    /// Returns the noun for the values in messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Integers => "integers",
            Self::Fractions => "numbers that may have a fraction",
            Self::Text => "text",
            Self::Lists | Self::EachItem => "lists",
            Self::Objects => "maps and objects",
            Self::EachValue => "maps",
            Self::Null => "null",
            Self::Resource => "objects with `apiVersion` and `kind`, or any value",
        }
    }
}

/// Declares an enum of bounds.
macro_rules! bounds {
    ($(#[$attribute:meta])* $type:ident: $($field:ident $name:literal $variant:ident $applies_to:ident $side:ident;)+) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "`.")] $variant,)+
        }

        impl $type {
            /// All bounds.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the keyword.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the name of the variant, for generated code.
            pub const fn variant_name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)+
                }
            }

            /// Returns the key of the attribute.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($field),)+
                }
            }

            /// Returns the values that the bound applies to.
            pub const fn applies_to(self) -> AppliesTo {
                match self {
                    $(Self::$variant => AppliesTo::$applies_to,)+
                }
            }

            /// Returns the end of the range.
            pub const fn side(self) -> Side {
                match self {
                    $(Self::$variant => Side::$side,)+
                }
            }

            /// Returns the bound with this attribute key.
            pub const fn from_key(key: &str) -> Option<Self> {
                let mut at = 0;
                while at < Self::ALL.len() {
                    if equal(Self::ALL[at].key(), key) {
                        return Some(Self::ALL[at]);
                    }
                    at += 1;
                }
                None
            }

            /// Returns the first bound of this end that applies to values of a kind.
            pub const fn at(side: Side, kind: Kind) -> Option<Self> {
                let mut at = 0;
                while at < Self::ALL.len() {
                    let bound = Self::ALL[at];
                    if bound.side().is(side) && bound.applies_to().includes(kind) {
                        return Some(bound);
                    }
                    at += 1;
                }
                None
            }
        }
    };
}

macro_rules! declare {
    (
        $keywords:ident $keyword_lines:tt
        numbers { $($number_field:ident $number_name:literal $number:ident $end:ident $number_doc:literal;)+ }
        counts { $($field:ident $name:literal $count:ident $counted:ident $side:ident $doc:literal;)+ }
        others { $($other:literal $about:ident;)+ }
    ) => {
        bounds! {
            /// A bound on a number.
            NumberBound: $($number_field $number_name $number Numbers $end;)+
        }
        bounds! {
            /// A bound on the number of characters, items or entries.
            CountBound: $($field $name $count $counted $side;)+
        }

        /// Returns the values that a keyword bounds, if it does. Flags such as `exclusiveMinimum` do not.
        pub(super) fn applies_to(keyword: &str) -> Option<AppliesTo> {
            let number = NumberBound::ALL.iter().find(|bound| bound.name() == keyword && !bound.is_exclusive());
            let count = || CountBound::ALL.iter().find(|bound| bound.name() == keyword).map(|bound| bound.applies_to());
            let other = || match keyword {
                $($other => Some(AppliesTo::$about),)+
                _ => None,
            };
            number.map(|bound| bound.applies_to()).or_else(count).or_else(other)
        }
    };
}
crate::for_each_keyword!(declare);

impl CountBound {
    /// Returns the bounds that apply to these values.
    pub fn applying_to(values: AppliesTo) -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(move |bound| bound.applies_to() == values)
    }
}

impl NumberBound {
    /// Whether this is a flag that excludes the number of another bound.
    pub const fn is_exclusive(self) -> bool {
        matches!(self, Self::ExclusiveMinimum | Self::ExclusiveMaximum)
    }
}

/// Returns the key of the attribute that bounds values of another kind at the same end.
pub const fn equivalent_key(key: &str, kind: Kind) -> Option<&'static str> {
    let side = match (NumberBound::from_key(key), CountBound::from_key(key)) {
        (Some(bound), _) => bound.side(),
        (None, Some(bound)) => bound.side(),
        (None, None) => return None,
    };
    match equivalent(side, kind) {
        (Some(bound), _) => Some(bound.key()),
        (None, Some(bound)) => Some(bound.key()),
        (None, None) => None,
    }
}

/// Returns the keyword that bounds values of another kind at the same end.
pub fn equivalent_keyword(keyword: &str, kind: Kind) -> Option<&'static str> {
    let number = NumberBound::ALL.iter().find(|bound| bound.name() == keyword).map(|bound| bound.side());
    let count = || CountBound::ALL.iter().find(|bound| bound.name() == keyword).map(|bound| bound.side());
    let (number, count) = equivalent(number.or_else(count)?, kind);
    number.map(NumberBound::name).or_else(|| count.map(CountBound::name))
}

const fn equivalent(side: Side, kind: Kind) -> (Option<NumberBound>, Option<CountBound>) {
    if matches!(side, Side::Neither) || matches!(kind, Kind::Opaque | Kind::IntOrString) {
        return (None, None);
    }
    (NumberBound::at(side, kind), CountBound::at(side, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_other_kinds() {
        for (key, kind, expected) in [
            ("minimum", Kind::String, Some("min_length")),
            ("exclusive_maximum", Kind::List, Some("max_items")),
            ("max_length", Kind::Integer, Some("maximum")),
            ("min_items", Kind::Map, Some("min_properties")),
            ("multiple_of", Kind::String, None),
            ("max_length", Kind::Boolean, None),
            ("max_length", Kind::IntOrString, None),
            ("pattern", Kind::Integer, None),
        ] {
            assert_eq!(equivalent_key(key, kind), expected, "{key}");
        }
        assert_eq!(equivalent_keyword("minimum", Kind::String), Some("minLength"));
        assert_eq!(equivalent_keyword("maxLength", Kind::Integer), Some("maximum"));
        assert_eq!(equivalent_keyword("pattern", Kind::Integer), None);
    }
}
