//! Decoders of types of the standard library and of serde.

use std::{
    collections::{BTreeMap, HashMap},
    hash::BuildHasher,
};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::json::decode::{Decode, Parser};

impl Decode for String {
    #[inline]
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        parser.text().map(Into::into)
    }
}

impl Decode for bool {
    #[inline]
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        parser.boolean()
    }
}

macro_rules! numbers {
    ($($method:ident: $($type:ty)*;)*) => {$($(
        impl Decode for $type {
            #[inline]
            fn decode(parser: &mut Parser<'_>) -> Option<Self> {
                parser.$method()
            }
        }
    )*)*};
}

numbers! {
    integer: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    float: f32 f64;
}

impl<T: Decode> Decode for Option<T> {
    #[inline]
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        if parser.null() {
            return Some(None);
        }
        T::decode(parser).map(Some)
    }

    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        T::decode(parser).map(Box::new)
    }

    fn missing() -> Option<Self> {
        T::missing().map(Box::new)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        let mut list = Vec::new();
        parser.list()?;
        while parser.item()? {
            list.push(T::decode(parser)?);
        }
        Some(list)
    }
}

/// Decodes the members of a map. The last of duplicate keys wins, as in serde.
fn members<T: Decode>(parser: &mut Parser<'_>, mut insert: impl FnMut(String, T)) -> Option<()> {
    parser.object()?;
    while let Some(key) = parser.key()? {
        insert(key.to_owned(), T::decode(parser)?);
    }
    Some(())
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        let mut map = Self::new();
        members(parser, |key, value| drop(map.insert(key, value)))?;
        Some(map)
    }
}

impl<T: Decode, S: BuildHasher + Default> Decode for HashMap<String, T, S> {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        let mut map = Self::default();
        members(parser, |key, value| drop(map.insert(key, value)))?;
        Some(map)
    }
}

/// Types that serde_json decodes, including as elements of lists and maps.
macro_rules! by_serde {
    ($($type:ty)*) => {$(
        impl Decode for $type {
            fn decode(parser: &mut Parser<'_>) -> Option<Self> {
                parser.by_serde()
            }
        }
    )*};
}
pub(super) use by_serde;

by_serde!(Value Map<String, Value>);

impl Decode for IgnoredAny {
    fn decode(parser: &mut Parser<'_>) -> Option<Self> {
        parser.skip().map(|()| Self)
    }
}
