//! Names that the API server validates, validated as literals.

use std::ops::Deref;

use crdkit_core::rules::{
    names::{Name, group_has_dot, group_is_given, group_is_subdomain, kind_is_label, name_is_given, name_is_label},
    versions::version_is_label,
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
    Group: |text| check_result(group_is_given(text).and_then(|()| group_is_subdomain(text)).and_then(|()| group_has_dot(text)));
    /// An API version.
    Version: |text| check_result(version_is_label(text));
    /// A kind, or the kind of a list.
    Kind: |text| check_result(name_is_given("kind", text).and_then(|()| kind_is_label(text)));
    /// A plural name.
    Plural: |text| check_result(name_is_label(Name::Plural, text));
    /// A singular name.
    Singular: |text| check_result(name_is_label(Name::Singular, text));
    /// A short name.
    ShortName: |text| check_result(name_is_label(Name::ShortName, text));
    /// A category.
    Category: |text| check_result(name_is_label(Name::Category, text));
}
