//! Conversion of borrowed values to owned ones.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use super::{AdditionalProperties, ExternalDocs, Items, SchemaProps, ValidationRule};
use crate::json::Json;

/// A value that may borrow strings.
pub(super) trait IntoOwned {
    /// The same type without borrowed strings.
    type Owned;

    fn into_owned(self) -> Self::Owned;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl IntoOwned for $type {
            type Owned = Self;

            fn into_owned(self) -> Self {
                self
            }
        }
    )+};
}
plain!(bool, i64, f64);

/// Types with an `into_owned` method.
macro_rules! by_method {
    ($($type:ident),+) => {$(
        impl IntoOwned for $type<'_> {
            type Owned = $type<'static>;

            fn into_owned(self) -> $type<'static> {
                self.into_owned()
            }
        }
    )+};
}
by_method!(SchemaProps, Json);

impl IntoOwned for Cow<'_, str> {
    type Owned = Cow<'static, str>;

    fn into_owned(self) -> Cow<'static, str> {
        Cow::Owned(self.into_owned())
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

impl<T: IntoOwned> IntoOwned for Box<T> {
    type Owned = Box<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Box::new((*self).into_owned())
    }
}

impl<A: IntoOwned, B: IntoOwned> IntoOwned for (A, B) {
    type Owned = (A::Owned, B::Owned);

    fn into_owned(self) -> Self::Owned {
        (self.0.into_owned(), self.1.into_owned())
    }
}

impl IntoOwned for Items<'_> {
    type Owned = Items<'static>;

    fn into_owned(self) -> Items<'static> {
        match self {
            Self::Schema(items) => Items::Schema(items.into_owned()),
            Self::Schemas(all) => Items::Schemas(all.into_owned()),
        }
    }
}

impl IntoOwned for AdditionalProperties<'_> {
    type Owned = AdditionalProperties<'static>;

    fn into_owned(self) -> AdditionalProperties<'static> {
        match self {
            Self::Bool(any) => AdditionalProperties::Bool(any),
            Self::Schema(values) => AdditionalProperties::Schema(values.into_owned()),
        }
    }
}

macro_rules! by_field {
    ($($type:ident: $($field:ident),+;)+) => {$(
        impl IntoOwned for $type<'_> {
            type Owned = $type<'static>;

            fn into_owned(self) -> $type<'static> {
                $type { $($field: IntoOwned::into_owned(self.$field)),+ }
            }
        }
    )+};
}
by_field! {
    ExternalDocs: description, url;
    ValidationRule: rule, message, message_expression, reason, field_path, optional_old_self;
}
