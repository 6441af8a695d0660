//! The keys of attributes.

use crdkit_core::schema::{CountBound, NumberBound};
use syn::Meta;

use super::items;

/// A key of an attribute. A `match` on it has an arm for each key.
pub(crate) trait Key: Copy {
    /// The key with this name.
    fn from_name(name: &str) -> Option<Self>;

    fn name(self) -> &'static str;

    /// All names, in the order of messages.
    fn names() -> Vec<&'static str>;

    fn of(item: &Meta) -> Option<Self> {
        Self::from_name(&items::name(item))
    }

    fn is(name: &str) -> bool {
        Self::from_name(name).is_some()
    }
}

/// Declares the keys of an attribute, with their names. `Variant(Keys)` are the keys of another declaration.
macro_rules! keys {
    ($($(#[$doc:meta])* $type:ident { $($variant:ident $(= $name:literal)? $(($others:ty))?),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $type {
            $($variant $(($others))?),+
        }

        impl $crate::attrs::key::Key for $type {
            fn from_name(name: &str) -> Option<Self> {
                let found = None;
                $(
                    $(let found = found.or((name == $name).then_some(Self::$variant));)?
                    $(let found = found.or_else(|| <$others>::from_name(name).map(Self::$variant));)?
                )+
                found
            }

            fn name(self) -> &'static str {
                match self {
                    $(
                        $(Self::$variant => $name,)?
                        $(Self::$variant(key) => <$others as $crate::attrs::key::Key>::name(key),)?
                    )+
                }
            }

            fn names() -> Vec<&'static str> {
                [$(
                    $(&[$name][..],)?
                    $(&<$others as $crate::attrs::key::Key>::names()[..],)?
                )+]
                .concat()
            }
        }
    )+};
}

pub(super) use keys;

impl Key for NumberBound {
    fn from_name(name: &str) -> Option<Self> {
        Self::from_key(name)
    }

    fn name(self) -> &'static str {
        self.key()
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|bound| bound.key()).collect()
    }
}

impl Key for CountBound {
    fn from_name(name: &str) -> Option<Self> {
        Self::from_key(name)
    }

    fn name(self) -> &'static str {
        self.key()
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|bound| bound.key()).collect()
    }
}
