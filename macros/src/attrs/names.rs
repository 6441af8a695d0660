//! Names that the API server validates, validated as literals.

use std::ops::Deref;

use crdkit_core::rules::{
    names::{Name, n1, n2, n3, n5, n6, n7},
    versions::v1,
};
use darling::Result;

use super::text::{FromText, Text, check_result, from_text};

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
    Group: |text| check_result(n1(text).and_then(|()| n2(text)).and_then(|()| n3(text)));
    /// An API version.
    Version: |text| check_result(v1(text));
    /// A kind, or the kind of a list.
    Kind: |text| check_result(n5("kind", text).and_then(|()| n7(text)));
    /// A plural name.
    Plural: |text| check_result(n6(Name::Plural, text));
    /// A singular name.
    Singular: |text| check_result(n6(Name::Singular, text));
    /// A short name.
    ShortName: |text| check_result(n6(Name::ShortName, text));
    /// A category.
    Category: |text| check_result(n6(Name::Category, text));
}
