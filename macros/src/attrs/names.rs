//! Names that the API server checks, checked here on their literals.

use std::ops::Deref;

use crdkit_core::rules::{
    names::{Name, n1, n2, n3, n5, n6, n7},
    versions::v1,
};
use darling::Result;

use super::text::{FromText, Text, from_text, rule};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $check:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name(Text);

        impl FromText for $name {
            fn from_text(text: Text) -> Result<Self> {
                text.checked($check).map(Self)
            }
        }

        from_text!($name);

        impl Deref for $name {
            type Target = Text;

            fn deref(&self) -> &Text {
                &self.0
            }
        }
    )*};
}

names! {
    /// An API group.
    Group: |text| rule(n1(text).and_then(|()| n2(text)).and_then(|()| n3(text)));
    /// An API version.
    Version: |text| rule(v1(text));
    /// A kind, or the kind of a list.
    Kind: |text| rule(n5("kind", text).and_then(|()| n7(text)));
    /// A plural name.
    Plural: |text| rule(n6(Name::Plural, text));
    /// A singular name.
    Singular: |text| rule(n6(Name::Singular, text));
    /// A short name.
    ShortName: |text| rule(n6(Name::ShortName, text));
    /// A category.
    Category: |text| rule(n6(Name::Category, text));
}
