//! Types of the standard library that hold others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{BuildHasher, Hash},
};

use super::{
    sink::{Encode, Encoded, Sink},
    source::{Decode, Decoded, EntryPart, Source},
};

impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut value = None;
        source.option(&mut |source| {
            value = Some(T::decode(source)?);
            Ok(())
        })?;
        Ok(value)
    }

    fn missing(_: &'static str) -> Decoded<Self> {
        Ok(None)
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<'de, T: Decode<'de>> Decode<'de> for $pointer<T> {
            fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
                T::decode(source).map(Self::new)
            }

            fn missing(field: &'static str) -> Decoded<Self> {
                T::missing(field).map(Self::new)
            }
        }

        impl<T: Encode + ?Sized> Encode for $pointer<T> {
            fn encode(&self, sink: &mut dyn Sink) -> Encoded {
                (**self).encode(sink)
            }
        }
    )*};
}

pointers!(Box);

fn items<'de, T: Decode<'de>>(source: &mut dyn Source<'de>, mut add: impl FnMut(T)) -> Decoded<()> {
    source.list(&mut |source| {
        add(T::decode(source)?);
        Ok(())
    })
}

fn entries<'de, K: Decode<'de>, V: Decode<'de>>(
    source: &mut dyn Source<'de>,
    mut insert: impl FnMut(K, V),
) -> Decoded<()> {
    let mut key = None;
    source.map(&mut |part, source| {
        if part == EntryPart::Key {
            key = Some(K::decode(source)?);
        } else if let Some(key) = key.take() {
            insert(key, V::decode(source)?);
        }
        Ok(())
    })
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut list = Self::new();
        items(source, |item| list.push(item))?;
        Ok(list)
    }
}

impl<'de, T: Decode<'de> + Ord> Decode<'de> for BTreeSet<T> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut set = Self::new();
        items(source, |item| {
            set.insert(item);
        })?;
        Ok(set)
    }
}

impl<'de, T: Decode<'de> + Eq + Hash, S: BuildHasher + Default> Decode<'de> for HashSet<T, S> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut set = Self::default();
        items(source, |item| {
            set.insert(item);
        })?;
        Ok(set)
    }
}

impl<'de, K: Decode<'de> + Ord, V: Decode<'de>> Decode<'de> for BTreeMap<K, V> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut map = Self::new();
        entries(source, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}

impl<'de, K: Decode<'de> + Eq + Hash, V: Decode<'de>, S: BuildHasher + Default> Decode<'de> for HashMap<K, V, S> {
    fn decode(source: &mut dyn Source<'de>) -> Decoded<Self> {
        let mut map = Self::default();
        entries(source, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, sink: &mut dyn Sink) -> Encoded {
        match self {
            None => sink.none(),
            Some(value) => sink.some(value),
        }
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self, sink: &mut dyn Sink) -> Encoded {
        (**self).encode(sink)
    }
}

macro_rules! lists {
    ($([$($bounds:tt)*] $type:ty;)*) => {$(
        impl<T: Encode, $($bounds)*> Encode for $type {
            fn encode(&self, sink: &mut dyn Sink) -> Encoded {
                sink.list(self.len(), &mut self.iter().map(|item| item as &dyn Encode))
            }
        }
    )*};
}

lists! {
    [] Vec<T>;
    [] [T];
    [] BTreeSet<T>;
    [S] HashSet<T, S>;
}

macro_rules! maps {
    ($([$($bounds:tt)*] $type:ty;)*) => {$(
        impl<K: Encode, V: Encode, $($bounds)*> Encode for $type {
            fn encode(&self, sink: &mut dyn Sink) -> Encoded {
                let entries = self.iter().map(|(key, value)| (key as &dyn Encode, value as &dyn Encode));
                sink.map(self.len(), &mut { entries })
            }
        }
    )*};
}

maps! {
    [] BTreeMap<K, V>;
    [S] HashMap<K, V, S>;
}
